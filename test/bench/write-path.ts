import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { startBridge } from '../support/server.ts';
import { INSPECTED, toBridgeEnv } from './bench.ts';
import { toTable } from './markdown-table.ts';
import { connectProfiler, type EnteredFunction, type Profiler } from './profiler.ts';
import { startBenchSandbox } from './sandbox.ts';
import { createScim, type ScimTarget, toPatch } from './scim-target.ts';

/** PATCHes before the counting begins: what happens once has happened then. */
const WARM_UPS = 5;
/** Counted PATCHes. A function that one of them does not enter, such as one of a timer, is not on the path. */
const COUNTED = 20;
/** Time after the first write in which a bridge finishes what it began at its start, in milliseconds. */
const REST_MS = 3_000;
const sources = pathToFileURL(`${process.cwd()}/src/`).href;

/**
 * Finds the functions of the sources that each PATCH enters which adds one member to a group, until its answer: a bridge on
 * SQLite, with the service in another process. Counts the same on a busy machine.
 * @throws Error when the bridge does not start, or refuses a request
 */
export async function findWritePath(): Promise<EnteredFunction[]> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-path-'));
  const sandbox = await startBenchSandbox({ users: 0, groups: 0 });
  const env = { ...toBridgeEnv(sandbox), ...INSPECTED };
  const bridge = await startBridge({ folder, env });
  try {
    await bridge.ready();
    const profiler = await connectProfiler(bridge.output());
    const entered = await enterPath(bridge, profiler);
    profiler.close();
    return entered;
  } finally {
    await bridge.kill();
    await sandbox.stop();
    rmSync(folder, { recursive: true });
  }
}

async function enterPath(bridge: ScimTarget, profiler: Profiler): Promise<EnteredFunction[]> {
  const userIds: string[] = [];
  for (let n = 0; n <= WARM_UPS + COUNTED; n += 1) {
    userIds.push(await createScim(bridge, '/Users', toUser(`user-${n}@example.com`)));
  }
  const [first, ...others] = userIds;
  const members = [{ value: first }];
  const groupId = await createScim(bridge, '/Groups', { displayName: 'Pilots', members });
  for (const userId of others.splice(0, WARM_UPS)) await addMember(bridge, groupId, userId);
  await sleep(REST_MS);
  await profiler.startCounting();
  let path: Map<string, EnteredFunction> | undefined;
  for (const userId of others) {
    await profiler.takeEntered();
    await addMember(bridge, groupId, userId);
    const entered = new Map((await profiler.takeEntered()).map((one) => [toKey(one), one]));
    path = new Map([...(path ?? entered)].filter(([key]) => entered.has(key)));
  }
  return [...(path?.values() ?? [])].filter(({ url }) => url.startsWith(sources));
}

function toKey({ url, offset, name }: EnteredFunction): string {
  return `${url} ${offset} ${name}`;
}

function toUser(userName: string): object {
  const name = { givenName: 'Ada', familyName: 'Example' };
  return { userName, name, emails: [{ value: userName, primary: true }], active: true };
}

async function addMember({ baseUrl, token }: ScimTarget, groupId: string, userId: string) {
  const { statusCode, body } = await request(`${baseUrl}/Groups/${groupId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: toPatch('add', 'members', [{ value: userId }]),
  });
  const text = await body.text();
  if (statusCode !== 204) throw new Error(`a PATCH was answered ${statusCode}: ${text}`);
}

/** The path as a section in Markdown: how much of each folder it enters, then the functions of each file. Pure. */
export function toPathSection(path: readonly EnteredFunction[]): string {
  const placed = path.map((one) => ({ ...one, file: one.url.slice(sources.length) }));
  const byFile = Map.groupBy(placed, ({ file }) => file);
  const byFolder = Map.groupBy(placed, ({ file }) => file.split('/').slice(0, -1).join('/'));
  const files = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1));
  const folders = [...byFolder].sort(([a], [b]) => (a < b ? -1 : 1));
  return `## The path of a PATCH that adds one member

What each of ${COUNTED} of them enters in \`src/\` until its answer.

${toTable(
  ['folder', 'files', 'named functions', 'all functions'],
  [['all', placed] as const, ...folders].map(([folder, entered]) => toPathRow(folder, entered)),
)}

${files.map(([file, entered]) => `- \`${file}\`: ${listNames(entered).join(', ')}`).join('\n')}`;
}

function toPathRow(
  folder: string,
  entered: readonly (EnteredFunction & { readonly file: string })[],
): string[] {
  const files = new Set(entered.map(({ file }) => file));
  const named = entered.filter(({ name }) => name !== '');
  return [folder, ...[files.size, named.length, entered.length].map(String)];
}

function listNames(entered: readonly EnteredFunction[]): string[] {
  const names = entered.flatMap(({ name }) => (name === '' ? [] : [name]));
  const unnamed = entered.length - names.length;
  return unnamed === 0 ? names : [...names, `${unnamed} without a name`];
}
