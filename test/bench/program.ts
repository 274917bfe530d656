import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { replace, toPatch } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import type { BridgeProcess } from '../support/server.ts';
import { startBridge } from '../support/server.ts';
import { OPS_TOKEN, toEnv } from '../support/site.ts';
import { LoadClient } from './load-client.ts';
import { bindToCore } from './machine.ts';

/** Number of people and groups; the first two groups are large, the others have 20 members. */
interface CompanySize {
  readonly users: number;
  readonly groups: number;
  readonly largeGroups: readonly [number, number];
}

/** What the bridge holds when the measuring begins. */
export interface Company {
  readonly users: readonly { readonly id: string; readonly userName: string }[];
  readonly largeGroups: readonly { readonly id: string; readonly memberIds: readonly string[] }[];
}

/** A bridge of one checkout of the project, in front of a company of its own. */
export interface Program {
  readonly client: LoadClient;
  readonly bridge: () => BridgeProcess;
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly firstReadMs: number;
  sweep(): Promise<number>;
  /** Stops it and starts it again a few times. Resolves with the shortest time until it was ready, in milliseconds. */
  startAgain(): Promise<number>;
  stop(): Promise<void>;
}

interface ProgramOptions {
  readonly root: string;
  readonly folder: string;
  readonly size: CompanySize;
  readonly connections: number;
  readonly core: number;
}

const READY_MAX_MS = 600_000;
const STARTS = 3;
const POLL_MS = 20;
const PAGE = 1_000;

/** Builds a checkout, starts its bridge as `npm start` does, and adopts everybody. @throws Error when one of these fails */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { root, size, connections, core } = options;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const sandbox = await startSandbox({ seed: { ...size, groupSizes: size.largeGroups } });
  const launch = {
    folder: mkdtempSync(join(options.folder, 'program-')),
    command: readStartArguments(root),
    env: toBridgeEnv(sandbox),
  };
  const start = async () => {
    const startedAt = performance.now();
    const started = await startBridge(launch);
    bindToCore(started.pid, core);
    await started.ready(READY_MAX_MS);
    return { bridge: started, ms: performance.now() - startedAt };
  };
  const first = await start();
  let { bridge } = first;
  const client = new LoadClient({ baseUrl: bridge.baseUrl, token: bridge.token, connections });
  return {
    client,
    bridge: () => bridge,
    sandbox,
    company: await adoptCompany(bridge, client, size),
    firstReadMs: first.ms,
    sweep: () => sweep(bridge),
    async startAgain() {
      const times: number[] = [];
      for (let count = 0; count < STARTS; count += 1) {
        await bridge.stop();
        const again = await start();
        bridge = again.bridge;
        times.push(again.ms);
      }
      return Math.min(...times);
    },
    async stop() {
      await client.close();
      await bridge.stop();
      await sandbox.stop();
    },
  };
}

/** The arguments that `npm start` gives to node, with the path of the program. @throws Error when that is no plain call of node */
function readStartArguments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, args] = String(scripts.start).split('exec node ');
  if (args === undefined) throw new Error(`npm start is no plain call of node: ${scripts.start}`);
  return args.split(' ').map((part) => (part.endsWith('.js') ? join(root, part) : part));
}

/** Settings of a bridge in front of the sandbox: nothing limits it, and nothing but requests keeps it busy. */
function toBridgeEnv(sandbox: Sandbox): Record<string, string> {
  return {
    MALLOC_ARENA_MAX: '1',
    ...toEnv(sandbox),
    SCIM_REQUESTS_PER_SECOND: '0',
    LIMITS_PROVIDER: '0',
    SWEEP_INTERVAL: '0',
    AUDIT_POLL_INTERVAL: '0',
    LOG_LEVEL: 'warn',
  };
}

/** Makes every seeded person and group managed, by one PATCH for each, as a provider that finds them. @throws Error */
async function adoptCompany(
  bridge: BridgeProcess,
  client: LoadClient,
  size: CompanySize,
): Promise<Company> {
  const provider = toRequester(bridge);
  const users: Company['users'][number][] = [];
  for (let startIndex = 1; startIndex <= size.users + 1; startIndex += PAGE) {
    const query = `attributes=userName&count=${PAGE}&startIndex=${startIndex}`;
    const page = await provider.list(`/Users?${query}`);
    users.push(...page.map(({ id, userName }) => ({ id: String(id), userName: String(userName) })));
  }
  // The owner was there before anything was seeded, and is nobody's to change.
  const seeded = users.filter(({ userName }) => userName !== 'owner');
  const query = `excludedAttributes=members&count=${PAGE}`;
  const groups = await provider.list(`/Groups?${query}`);
  if (seeded.length !== size.users || groups.length !== size.groups)
    throw new Error(`the bridge shows ${seeded.length} users and ${groups.length} groups`);
  const paths = [
    ...seeded.map(({ id }) => `/Users/${id}`),
    ...groups.map(({ id }) => `/Groups/${id}`),
  ];
  const left = paths.entries();
  const { failures } = await client.run(() => {
    const { value } = left.next();
    if (value === undefined) return undefined;
    const change = replace('externalId', `external-${value[0]}`);
    return { method: 'PATCH', path: value[1], body: JSON.stringify(toPatch(change)) };
  });
  if (failures.length > 0)
    throw new Error(`${failures.length} were refused: ${JSON.stringify(failures[0])}`);
  const largest = groups.slice(0, 2).map(async ({ id }) => {
    const memberIds = await provider.readMemberIds(String(id));
    return { id: String(id), memberIds };
  });
  return { users: seeded, largeGroups: await Promise.all(largest) };
}

async function sweep(bridge: BridgeProcess): Promise<number> {
  const operator = toRequester({ ...bridge, token: OPS_TOKEN });
  const startedAt = performance.now();
  const sweeps = new URL('/ops/sweeps', bridge.baseUrl).href;
  const { id } = (await operator.send('POST', sweeps, {})).body;
  for (;;) {
    await sleep(POLL_MS);
    const { status } = (await operator.send('GET', `${sweeps}/${id}`)).body;
    if (status === 'complete') return performance.now() - startedAt;
    if (status !== 'running') throw new Error(`the sweep is ${status}`);
  }
}
