import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './bench.ts';
import { getText, startChild } from './child.ts';
import type { BenchUser, Company, CompanySize, LargeGroup } from './company.ts';
import { bindToCore } from './cores.ts';
import { LoadClient } from './load-client.ts';
import { type Measurement, measure } from './measure.ts';
import { createScenarios, toNewUser } from './scenarios.ts';
import { createScim, type ScimTarget } from './scim-target.ts';

/** Another SCIM server, which is installed only to be measured beside the bridge. */
interface Peer {
  readonly name: string;
  /** Exact versions. The express is the one that the peer is written for. */
  readonly packages: readonly string[];
  /** Starts it and prints `{ url }`; it is copied beside the packages. */
  readonly program: URL;
}

const PEERS: readonly Peer[] = [
  {
    name: 'scimmy-routers',
    packages: ['scimmy-routers@1.3.2', 'scimmy@1.3.5', 'express@4.22.3'],
    program: new URL('./peers/scimmy-routers.mjs', import.meta.url),
  },
];

/** A SCIM server that somebody has started, empty, and that takes this token. */
export interface RunningPeer extends ScimTarget {
  readonly name: string;
}

/** What was seen of a peer: its scenarios by name. */
export interface PeerResult {
  readonly name: string;
  readonly measurements: ReadonlyMap<string, Measurement>;
}

/** How many members a group has that is not one of the two large ones. */
const MEMBERS = 20;

/**
 * Installs each peer into a folder of its own, gives it the same company as the bridge, and measures the same requests
 * on the same core. Nothing of it is left afterwards.
 * @throws Error when a peer cannot be installed or does not take the company.
 */
export async function benchPeers(options: BenchOptions): Promise<PeerResult[]> {
  const results: PeerResult[] = [];
  for (const peer of PEERS) results.push(await benchPeer(peer, options));
  return results;
}

async function benchPeer(peer: Peer, options: BenchOptions): Promise<PeerResult> {
  const { cores, say } = options;
  say(`${peer.name}: installing`);
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-peer-'));
  try {
    const child = await startChild(install(peer, folder), []);
    if (cores !== undefined) bindToCore(child.pid, cores.measured);
    const target = { baseUrl: getText(child.greeting, 'url'), token: 'any' };
    const result = await benchRunning({ name: peer.name, ...target }, options, child.pid);
    await child.stop();
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Gives a server that runs the same company as the bridge, and measures the same requests.
 * @param pid of its process; undefined: what it uses of the machine is not told
 * @throws Error when it does not take the company
 */
export async function benchRunning(
  { name, ...target }: RunningPeer,
  options: BenchOptions,
  pid?: number,
): Promise<PeerResult> {
  const { connections, size, say } = options;
  say(`${name}: creating everybody`);
  const company = await fillCompany(target, size, connections);
  const client = new LoadClient({ ...target, connections });
  const measurements = await measureAll(client, pid, { company, options });
  await client.close();
  return { name, measurements };
}

/** @returns the program to start. */
function install({ packages, program }: Peer, folder: string): string {
  const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, '--prefix', folder, ...packages], { stdio: 'inherit' });
  const copy = join(folder, basename(fileURLToPath(program)));
  copyFileSync(program, copy);
  return copy;
}

async function measureAll(
  client: LoadClient,
  pid: number | undefined,
  { company, options }: { company: Company; options: BenchOptions },
): Promise<Map<string, Measurement>> {
  const { connections, durations, only, say } = options;
  const measurements = new Map<string, Measurement>();
  for (const { name, title, source } of createScenarios(company, connections)) {
    if (only.length > 0 && !only.includes(name)) continue;
    say(title);
    measurements.set(name, await measure({ client, source, pid }, durations));
  }
  return measurements;
}

async function fillCompany(
  target: ScimTarget,
  { users, groups, largeGroups }: CompanySize,
  lanes: number,
): Promise<Company> {
  const created: BenchUser[] = [];
  await inLanes(users, lanes, async (index) => {
    const userName = `user${index}@example.com`;
    const id = await createScim(target, '/Users', toNewUser(userName, index));
    created.push({ id, userName });
  });
  const ids = created.map(({ id }) => id);
  const [smaller, larger] = await Promise.all([
    createGroup(target, 'Large 1', ids.slice(0, largeGroups[0])),
    createGroup(target, 'Large 2', ids.slice(0, largeGroups[1])),
  ]);
  await inLanes(groups - largeGroups.length, lanes, async (index) => {
    const from = (index * MEMBERS) % users;
    await createGroup(target, `Group ${index}`, ids.slice(from, from + MEMBERS));
  });
  return { users: created, largeGroups: [smaller, larger] };
}

async function createGroup(
  target: ScimTarget,
  displayName: string,
  memberIds: readonly string[],
): Promise<LargeGroup> {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
  const members = memberIds.map((value) => ({ value }));
  const id = await createScim(target, '/Groups', { schemas, displayName, members });
  return { id, memberIds };
}

/** Does it for 0, 1, … up to `count`, so many at the same time. */
async function inLanes(
  count: number,
  lanes: number,
  act: (index: number) => Promise<void>,
): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  const lane = async () => {
    for (const index of indices) await act(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
