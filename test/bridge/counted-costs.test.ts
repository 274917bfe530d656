import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, send, toPatch, toUser, untilSettled } from '../support/provider.ts';
import { logStatements, type StatementLog } from '../support/statements.ts';
import { makeStoreUrl } from '../support/store-url.ts';

/**
 * Work of the bridge that belongs to no request: looking for what is due, for drifts, for plans and for what was
 * written, the log of requests, and who leads. That this process leads is asked for in transactions too, with a lock:
 * those count.
 */
const BACKGROUND = new RegExp(
  [
    /^\s*select\b.*\bdue_at\b/,
    /\binto requests\b/,
    /^select (?:(?:\*|"id") from "drifts" where "status"|"seq", "first_seen_at" from "drifts")/,
    /^\s*(?:update leader|select .*(?:"leader"|"facts"|"errands"|"waits"|"plans")(?!.*for key share))/,
    /^\s*select action\.\* from plans as plan\b/,
    /^\s*select id, modified_at as at, seq from "(?:users|groups)"/,
  ]
    .map(({ source }) => source)
    .join('|'),
  's',
);

const LEADING = /^select "id" from "leader"/;

/** What one request costs, however fast the machine is. */
interface Costs {
  /** SQL statements, without those that begin and end transactions. */
  readonly statements: number;
  readonly transactions: number;
  /** Calls to the service. */
  readonly calls: number;
}

/** A request whose costs are counted, in a company of ada and bob, where ada is a pilot. */
interface Row extends Costs {
  readonly what: string;
  /** Statements more on PostgreSQL, which lock groups before users, or prove that this process leads; 0 when left out. */
  readonly fences?: number;
  act(bridge: TestBridge, ids: Ids): Promise<unknown>;
}

interface Ids {
  readonly ada: string;
  readonly bob: string;
  readonly pilots: string;
}

const replace = (path: string, value: string | boolean) => toPatch({ op: 'replace', path, value });

const rows: readonly Row[] = [
  {
    what: 'a read of a user',
    ...{ statements: 1, transactions: 0, calls: 0 },
    act: (bridge, { ada }) => send(bridge, 'GET', `/Users/${ada}`),
  },
  {
    what: 'a look-up by userName',
    ...{ statements: 1, transactions: 0, calls: 0 },
    act: (bridge) =>
      send(bridge, 'GET', `/Users?filter=${encodeURIComponent('userName eq "ada@example.com"')}`),
  },
  {
    what: 'the last page of a list',
    ...{ statements: 1, transactions: 0, calls: 0 },
    act: (bridge) => send(bridge, 'GET', '/Users?startIndex=1&count=100'),
  },
  {
    what: 'a page of a list that goes on',
    ...{ statements: 2, transactions: 0, calls: 0 },
    act: (bridge) => send(bridge, 'GET', '/Users?startIndex=1&count=1'),
  },
  {
    what: 'a read of a group with its members',
    ...{ statements: 3, transactions: 0, calls: 0 },
    act: (bridge, { pilots }) => send(bridge, 'GET', `/Groups/${pilots}`),
  },
  {
    what: 'a PATCH that changes nothing',
    ...{ statements: 1, transactions: 1, calls: 0 },
    act: (bridge, { ada }) => send(bridge, 'PATCH', `/Users/${ada}`, replace('active', true)),
  },
  {
    what: 'a PUT that changes nothing',
    ...{ statements: 1, transactions: 1, calls: 0 },
    act: (bridge, { ada }) => send(bridge, 'PUT', `/Users/${ada}`, toUser('ada')),
  },
  {
    what: 'a PATCH of what the bridge alone keeps',
    ...{ statements: 2, transactions: 1, calls: 0 },
    act: (bridge, { ada }) => send(bridge, 'PATCH', `/Users/${ada}`, replace('title', 'Pilot')),
  },
  {
    what: 'a PATCH that deactivates',
    ...{ statements: 6, transactions: 2, calls: 1 },
    act: (bridge, { ada }) => send(bridge, 'PATCH', `/Users/${ada}`, replace('active', false)),
  },
  {
    what: 'a PATCH of the name',
    ...{ statements: 4, transactions: 2, calls: 1 },
    act: (bridge, { ada }) =>
      send(bridge, 'PATCH', `/Users/${ada}`, replace('name.familyName', 'Byron')),
  },
  {
    what: 'a PATCH that adds a member',
    ...{ statements: 8, transactions: 2, calls: 1 },
    act: (bridge, { pilots, bob }) =>
      send(
        bridge,
        'PATCH',
        `/Groups/${pilots}`,
        toPatch({ op: 'add', path: 'members', value: [{ value: bob }] }),
      ),
  },
  {
    what: 'a PATCH that removes a member',
    ...{ statements: 8, transactions: 2, calls: 1 },
    act: (bridge, { pilots, ada }) =>
      send(
        bridge,
        'PATCH',
        `/Groups/${pilots}`,
        toPatch({ op: 'remove', path: `members[value eq "${ada}"]` }),
      ),
  },
  {
    what: 'a POST of a user',
    ...{ statements: 12, transactions: 2, calls: 1, fences: 2 },
    act: (bridge) => addUser(bridge, 'cyd'),
  },
  {
    what: 'a DELETE of a user, who then leaves a group',
    ...{ statements: 27, transactions: 5, calls: 2, fences: 6 },
    act: (bridge, { ada }) => send(bridge, 'DELETE', `/Users/${ada}`),
  },
];

describe('what a request costs', () => {
  for (const { what, act, fences = 0, ...costs } of rows) {
    const { statements, transactions, calls } = costs;
    const all = inject('engine') === 'postgres' ? statements + fences : statements;
    test(`${what}: ${all} statements, ${transactions} transactions, ${calls} calls`, async () => {
      await withCompany(await makeStoreUrl(), async ({ bridge, ids, log }) => {
        await act(bridge, ids);
        await untilSettled(bridge);

        expect(...toCosts(bridge, log)).toEqual({ ...costs, statements: all });
      });
    });
  }
});

/** Pages of 4 KiB that a request may write into the log of the file. Six more than it does: the log of requests may be written meanwhile. */
const pageRows: readonly (Pick<Row, 'what' | 'act'> & { readonly pagesMax: number })[] = [
  { ...findRow('a read of a user'), pagesMax: 6 },
  { ...findRow('a PATCH that changes nothing'), pagesMax: 6 },
  { ...findRow('a PATCH that deactivates'), pagesMax: 24 },
  { ...findRow('a PATCH that adds a member'), pagesMax: 27 },
  { ...findRow('a POST of a user'), pagesMax: 31 },
  { ...findRow('a DELETE of a user, who then leaves a group'), pagesMax: 57 },
];

describe('what a request writes', () => {
  test.each(pageRows)('$what: at most $pagesMax pages', async ({ act, pagesMax }) => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-pages-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'bridge.db');
    await withCompany(`sqlite:${file}`, async ({ bridge, ids }) => {
      await bridge.store.scrub();

      await act(bridge, ids);
      await untilSettled(bridge);

      expect(countPages(`${file}-wal`)).toBeLessThanOrEqual(pagesMax);
    });
  });
});

function findRow(what: string): Row {
  const row = rows.find((one) => one.what === what);
  if (row === undefined) throw new Error(`nothing is counted for ${what}`);
  return row;
}

/** Pages in a log that was emptied before. @see https://www.sqlite.org/fileformat2.html#walformat */
function countPages(log: string): number {
  return Math.max(0, (statSync(log).size - 32) / (4_096 + 24));
}

interface Measured {
  readonly bridge: TestBridge;
  readonly ids: Ids;
  readonly log: StatementLog;
}

async function withCompany(url: string, run: (measured: Measured) => Promise<void>): Promise<void> {
  const logs: StatementLog[] = [];
  const toStore = (given: Store) => {
    const { store, log } = logStatements(given);
    logs.push(log);
    return store;
  };
  await withTestBridge({ toStore, settings: { DATABASE_URL: url } }, async (bridge) => {
    const [ada, bob] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
    const ids = { ada, bob, pilots: await addGroup(bridge, 'Pilots', [ada]) };
    await untilSettled(bridge);
    const [log] = logs;
    if (log === undefined) throw new Error('the bridge has no store');
    log.reset();
    bridge.sandbox.calls.reset();
    await run({ bridge, ids, log });
  });
}

/** The costs, and every statement for the message of a failure. */
function toCosts({ sandbox }: TestBridge, { reads, writes }: StatementLog): [Costs, string] {
  // What other processes ask of the leader is looked for in transactions of their own.
  const own = writes.filter((write) => !write.some((sql) => sql.includes('"errands"')));
  // Whoever looks for something in the background asks first whether this process leads.
  const asked = own.map(listAsked).filter((write) => write.some((sql) => !LEADING.test(sql)));
  const all = [listAsked(reads), ...asked];
  const byStatus = Object.values(sandbox.calls.counts()).flatMap((counts) => Object.values(counts));
  return [
    {
      statements: all.flat().length,
      transactions: asked.length,
      calls: byStatus.reduce((total, count) => total + count, 0),
    },
    all.map((statements) => statements.join('\n')).join('\n\n'),
  ];
}

function listAsked(statements: readonly string[]): string[] {
  return statements.filter((sql) => !BACKGROUND.test(sql));
}
