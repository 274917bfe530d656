import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import { findProcessFacts } from '../bench/process-facts.ts';
import { startBridgeOf } from '../support/bridge.ts';
import { addGroup, addUser, untilSettled } from '../support/provider.ts';
import { insertMany } from '../support/rows.ts';
import { startBridge } from '../support/server.ts';
import { describeStores } from '../support/stores.ts';

/** An answer of so many members is 120 MB. */
const MEMBERS = 600_000;
/** Heap of a bridge that has room for its program and some pages of members, and not for half of the answer. */
const HEAP_MB = 64;
/** What an answer may add to the memory at its most: pages, and what a connection holds until it is read. */
const GROWTH_MAX_MB = 60;
/** Members that are made by one statement. */
const AT_ONCE = 50_000;
const TOKEN = 'token-of-a-reader-of-many';
const ID_START = '00000000-0000-4000-8000-';
/** Numbers with as many digits as an id has left. */
const FIRST_NUMBER = 100_000_000_000;

describeStores('a group of many thousands', ({ makeUrl }) => {
  test('is answered in flat memory, and completely', { timeout: 600_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-flat-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const url = await makeUrl('migrated');
    const env = {
      DATABASE_URL: url,
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      SCIM_TOKENS: TOKEN,
      SWEEP_INTERVAL: '0',
    };
    const group = await makeLargeGroup(sandbox, url);

    const bridge = await startBridge({
      folder,
      env,
      command: [`--max-old-space-size=${HEAP_MB}`, 'src/cli/bin.mjs', 'serve'],
    });
    onTestFinished(() => bridge.kill());
    await bridge.ready();
    const before = findProcessFacts(bridge.pid)?.peakResidentMb ?? 0;

    const read = await readMembers(`${bridge.baseUrl}/Groups/${group}?attributes=members`);

    expect(read).toEqual({ count: MEMBERS, isInOrder: true });
    const after = findProcessFacts(bridge.pid)?.peakResidentMb ?? 0;
    expect(after - before).toBeLessThan(GROWTH_MAX_MB);
  });
});

/** Makes a group of so many members, of whom the service knows only one. @returns its id */
async function makeLargeGroup(sandbox: Sandbox, url: string): Promise<string> {
  const bridge = await startBridgeOf(sandbox, { settings: { DATABASE_URL: url } });
  try {
    const group = await addGroup(bridge, 'Everybody', [await addUser(bridge, 'ada')]);
    await untilSettled(bridge);
    await addMembers(bridge.store);
    return group;
  } finally {
    await bridge.stop();
  }
}

/** Puts members like the only one into the store, as many at a time as a database takes in one statement. */
async function addMembers(store: Store): Promise<void> {
  const user = await store.read.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  const link = await store.read.selectFrom('memberships').selectAll().executeTakeFirstOrThrow();
  const number = sql`cast(${sql.lit(FIRST_NUMBER)} + n as text)`;
  const id = sql`${ID_START} || ${number}`;
  const name = sql`'person' || ${number} || '@example.com'`;
  const own = { id, user_name: name, user_name_folded: name, upstream_id: sql`2000000 + n` };
  for (let first = 1; first < MEMBERS; first += AT_ONCE) {
    const numbers = { first, last: Math.min(first + AT_ONCE, MEMBERS) - 1 };
    await store.write(async (tx) => {
      await insertMany(tx, 'users', { ...user, seq: undefined, ...own }, numbers);
      await insertMany(tx, 'memberships', { ...link, seq: undefined, user_id: id }, numbers);
    });
  }
  // As a database does by itself before long.
  await store.write((tx) => sql`analyze`.execute(tx));
}

/** Reads the members of an answer piece by piece; its text is longer than what a test should hold. */
async function readMembers(url: string): Promise<{ count: number; isInOrder: boolean }> {
  const { body, statusCode } = await request(url, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(statusCode).toBe(200);
  const look = (entry: string) => {
    isInOrder &&= count === 0 || entry.startsWith(`${ID_START}${FIRST_NUMBER + count}"`);
    count += 1;
  };
  let rest = '';
  let count = 0;
  let isInOrder = true;
  for await (const piece of body.setEncoding('utf8')) {
    const text = rest + String(piece);
    const entries = text.split('"value":"');
    // The last one may not be whole yet, nor the words before it.
    rest = entries.length === 1 ? text : `"value":"${entries.pop()}`;
    for (const entry of entries.slice(1)) look(entry);
  }
  look(rest.slice('"value":"'.length));
  return { count, isInOrder };
}
