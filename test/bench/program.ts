import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { adoptCompany, type Company, type CompanySize } from './company.ts';
import { bindToCore, type Cores } from './cores.ts';
import { LoadClient } from './load-client.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';

/** A bridge of one checkout of the project, in front of a company of its own. */
export interface Program {
  readonly client: LoadClient;
  /** The process that serves now. */
  readonly bridge: () => BridgeProcess;
  readonly sandbox: BenchSandbox;
  readonly company: Company;
  /** From the start of the bridge until it was ready to serve. */
  readonly firstReadMs: number;
  /** Has everything compared once. Resolves with the milliseconds that it took. */
  sweep(): Promise<number>;
  /** Stops it and starts it again a few times. Resolves with the shortest time until it was ready, in milliseconds. */
  startAgain(): Promise<number>;
  stop(): Promise<void>;
}

/** What to start. */
interface ProgramOptions {
  /** Folder of the checkout, which is built as `npm start` does. */
  readonly root: string;
  /** An empty one, on the disk that is judged. */
  readonly folder: string;
  readonly size: CompanySize;
  readonly connections: number;
  readonly cores: Cores | undefined;
}

const SCIM_TOKEN = 'the-token-of-the-benchmark';
const OPS_TOKEN = 'the-operator-of-the-benchmark';
const READY_MAX_MS = 600_000;
const STARTS = 3;
const POLL_MS = 20;
const manifest = z.object({ scripts: z.object({ start: z.string() }) });
const Asked = z.object({ id: z.string() });
const Swept = z.object({ status: z.string() });

/** Builds a checkout, starts its bridge as `npm start` does, and adopts everybody. @throws Error when one of these fails */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { root, size, connections, cores } = options;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const sandbox = await startBenchSandbox({ ...size, groupSizes: size.largeGroups });
  const launch = {
    folder: mkdtempSync(join(options.folder, 'program-')),
    command: readStartArguments(root),
    env: toBridgeEnv(sandbox),
  };
  const start = async () => {
    const startedAt = performance.now();
    const started = await startBridge(launch);
    if (cores !== undefined) bindToCore(started.pid, cores.measured);
    await started.ready(READY_MAX_MS);
    return { bridge: started, ms: performance.now() - startedAt };
  };
  const first = await start();
  let { bridge } = first;
  const { baseUrl } = bridge;
  const client = new LoadClient({ baseUrl, token: SCIM_TOKEN, connections });
  return {
    client,
    bridge: () => bridge,
    sandbox,
    company: await adoptCompany({ baseUrl, token: SCIM_TOKEN }, client, size),
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
  const { scripts } = manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const [, args] = scripts.start.split('exec node ');
  if (args === undefined) throw new Error(`npm start is no plain call of node: ${scripts.start}`);
  return args.split(' ').map((part) => (part.endsWith('.js') ? join(root, part) : part));
}

/** Settings of a bridge in front of the sandbox: nothing limits it, and nothing but requests keeps it busy. */
function toBridgeEnv(sandbox: BenchSandbox): Record<string, string> {
  return {
    MALLOC_ARENA_MAX: '1',
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: SCIM_TOKEN,
    SCIM_REQUESTS_PER_SECOND: '0',
    OPS_TOKEN,
    LIMITS_PROVIDER: '0',
    SWEEP_INTERVAL: '0',
    AUDIT_POLL_INTERVAL: '0',
    LOG_LEVEL: 'warn',
  };
}

async function sweep(bridge: BridgeProcess): Promise<number> {
  const startedAt = performance.now();
  const { id } = Asked.parse(await askOps(bridge, 'POST', '/ops/sweeps'));
  for (;;) {
    await sleep(POLL_MS);
    const { status } = Swept.parse(await askOps(bridge, 'GET', `/ops/sweeps/${id}`));
    if (status === 'complete') return performance.now() - startedAt;
    if (status !== 'running') throw new Error(`the sweep is ${status}`);
  }
}

async function askOps(bridge: BridgeProcess, method: 'GET' | 'POST', path: string) {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const { statusCode, body } = await request(new URL(path, bridge.baseUrl), { method, headers });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
  return JSON.parse(text);
}
