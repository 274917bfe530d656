import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { opsRoutes } from '../../src/ops/routes.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, toGroup, toPatch, toUser, untilSettled } from '../support/provider.ts';
import { sendAndReset } from '../support/send-and-reset.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS } from '../support/sweep.ts';
import { takeStore } from '../support/take-store.ts';

/** Credentials, and what they may change. */
const KINDS = ['provider', 'operator', 'reader', 'metrics', 'none'] as const;
type Kind = (typeof KINDS)[number];

/** What requests of a test are about. */
interface Ids {
  readonly user: string;
  readonly group: string;
  readonly token: string;
  readonly client: string;
  /** Makes names unlike those of other requests. */
  readonly nth: string;
}

/** A request that writes. */
interface Row {
  readonly method: string;
  /** Below the bridge. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const scimRows = ({ user, group, nth }: Ids): Row[] => [
  { method: 'POST', path: '/scim/v2/Users', body: toUser(`new-${nth}`) },
  { method: 'PUT', path: `/scim/v2/Users/${user}`, body: toUser(`kim-${nth}`, { title: nth }) },
  {
    ...{ method: 'PATCH', path: `/scim/v2/Users/${user}` },
    body: toPatch({ op: 'replace', path: 'title', value: `${nth}-too` }),
  },
  { method: 'POST', path: '/scim/v2/Groups', body: toGroup(`New ${nth}`) },
  { method: 'PUT', path: `/scim/v2/Groups/${group}`, body: toGroup(`Put ${nth}`, [user]) },
  {
    ...{ method: 'PATCH', path: `/scim/v2/Groups/${group}` },
    body: toPatch({ op: 'remove', path: 'members' }),
  },
  {
    ...{ method: 'POST', path: '/scim/v2/Bulk' },
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'b', data: toUser(`bulk-${nth}`) }],
    },
  },
  { method: 'DELETE', path: `/scim/v2/Groups/${group}` },
  { method: 'DELETE', path: `/scim/v2/Users/${user}` },
];

/** Requests of operators that change something, in an order in which each can. */
const opsRows = ({ user, group, token, client, nth }: Ids): Row[] =>
  Object.entries({
    '/pause': { reason: 'a test' },
    '/resume': {},
    '/retry': {},
    '/sweeps': {},
    '/providers': { name: `provider-${nth}` },
    [`/providers/provider-${nth}/change`]: { domains: ['example.com'] },
    [`/providers/provider-${nth}/delete`]: {},
    '/tokens': { name: `new-${nth}`, for: 'reader' },
    [`/tokens/${token}/revoke`]: {},
    '/clients': { name: `new-${nth}` },
    [`/clients/${client}/rotate`]: {},
    [`/clients/${client}/revoke`]: {},
    [`/users/${user}/look`]: {},
    [`/groups/${group}/look`]: {},
    [`/users/${user}/release`]: {},
    [`/groups/${group}/release`]: {},
    [`/users/${user}/adopt`]: {},
    [`/groups/${group}/adopt`]: {},
    '/notifications/retry': {},
    '/notifications/test': {},
    '/api/users/retrieveCurrentUser': {},
  }).map(([path, body]) => ({ method: 'POST', path: `/ops${path}`, body }));

/** The routes that need what other tests make: nothing is there, which is kept as well. */
const vainRows: Row[] = opsRoutes
  .filter(({ method }) => method === 'post')
  .map(({ path }) => ({ method: 'POST', path: `/ops${path.replaceAll(/\{\w+\}/g, 'nothing')}` }));

/** When a credential was used is no change. */
const USED = /"lastUsedAt":(?:null|"[^"]*")/g;

const OWN_PAGE = { 'x-scim-bridge-console': '1' };
const signIn: Row = {
  ...{ method: 'POST', path: '/console/session', body: { token: OPS_TOKEN } },
  headers: OWN_PAGE,
};

const ENGINES = inject('postgresUrl') === undefined ? ['sqlite'] : ['sqlite', 'postgres'];
describe.each(ENGINES as ('sqlite' | 'postgres')[])('on %s', (engine) => {
  let bridge: TestBridge;
  let tokens: Readonly<Record<Kind, string | undefined>>;
  let store: Awaited<ReturnType<typeof takeStore>>;
  let count = 0;

  beforeAll(async () => {
    store = await takeStore(engine);
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: store.url };
    bridge = await startTestBridge({ settings });
    const make = async (purpose: string) => {
      const { body } = await askOps(bridge, 'POST', '/tokens', { name: purpose, for: purpose });
      return String(body.token);
    };
    const [reader, metrics] = [await make('reader'), await make('metrics')];
    tokens = { provider: bridge.token, operator: OPS_TOKEN, reader, metrics, none: undefined };
  });
  afterAll(async () => {
    await bridge?.stop();
    await store?.giveBack();
  });

  async function makeIds(): Promise<Ids> {
    count += 1;
    const nth = `${count}`;
    const user = await addUser(bridge, `kim-${nth}`);
    const group = await addGroup(bridge, `Kims ${nth}`, [user]);
    await untilSettled(bridge);
    const token = await askOps(bridge, 'POST', '/tokens', { name: `old-${nth}`, for: 'scim' });
    const client = await askOps(bridge, 'POST', '/clients', { name: `old-${nth}` });
    return { user, group, token: String(token.body.id), client: String(client.body.id), nth };
  }

  const toHeaders = (kind: Kind, { headers }: Row, requestId: string) => ({
    ...{ ...headers, 'x-request-id': requestId },
    authorization: tokens[kind] && `Bearer ${tokens[kind]}`,
  });

  /** The records of requests, by their ids. */
  async function listRecords(list: 'acts' | 'requests') {
    const { body } = await askOps(bridge, 'GET', `/${list}?limit=1000`);
    return Map.groupBy(Object(body).items as JsonObject[], ({ requestId }) => String(requestId));
  }

  /** Sends each request with a connection that is reset, and waits until all that are kept are there. */
  async function sendAll(
    kind: Kind,
    rows: readonly Row[],
    list: 'acts' | 'requests',
    keeps: boolean,
  ) {
    count += 1;
    const ids = rows.map((_row, index) => `${list}-${kind}-${count}-${index}`);
    for (const [index, row] of rows.entries()) {
      const requestId = ids[index] ?? '';
      const url = new URL(row.path, bridge.baseUrl).href;
      await sendAndReset({ ...row, url, headers: toHeaders(kind, row, requestId) });
      if (!keeps) continue;
      const isKept = async () => (await listRecords(list)).get(requestId)?.[0]?.status ?? 0;
      await expect.poll(isKept, { message: `${row.method} ${row.path}` }).not.toBe(0);
    }
    const records = await listRecords(list);
    return ids.map((id) => records.get(id) ?? []);
  }

  test('every write of a provider is kept although the connection is reset at once', async () => {
    const rows = scimRows(await makeIds());
    const kept = await sendAll('provider', rows, 'requests', true);
    expect(kept.map(([line]) => [line?.status, line?.credential])).toEqual(
      [201, 200, 200, 201, 200, 204, 201, 204, 204].map((status) => [status, 'settings-1']),
    );
    expect(kept.every(([line]) => Object(line?.resource).id !== undefined)).toBe(true);
  });

  test('every act of an operator is kept with who and from where although the connection is reset', async () => {
    const url = new URL(signIn.path, bridge.baseUrl).href;
    const { headers } = await bridge.request('POST', url, signIn.body, {
      ...{ ...OWN_PAGE, 'content-type': 'application/json' },
    });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    const signOut = { method: 'DELETE', path: signIn.path, headers: { ...OWN_PAGE, cookie } };
    const rows = [...opsRows(await makeIds()), signIn, signOut, ...vainRows];
    const kept = await sendAll('operator', rows, 'acts', true);
    for (const [index, lines] of kept.entries()) {
      expect(lines, rows[index]?.path).toMatchObject([
        { credential: 'settings-operator', address: expect.stringMatching(/127\.0\.0\.1$/) },
      ]);
    }
    const done = kept.slice(0, -vainRows.length).filter(([line]) => Number(line?.status) < 300);
    expect(done.length).toBeGreaterThan(15);
  });

  test('whoever may not change anything changes nothing, and leaves no record of a change', async () => {
    const ids = await makeIds();
    const read = async () => [
      (await bridge.request('GET', '/Users?count=500')).text,
      (await bridge.request('GET', '/Groups?count=500')).text,
      (await askOps(bridge, 'GET', '/tokens')).text.replaceAll(USED, ''),
      (await askOps(bridge, 'GET', '/providers')).text,
      (await askOps(bridge, 'GET', '/clients')).text.replaceAll(USED, ''),
      (await askOps(bridge, 'GET', '/sessions')).text,
    ];
    const before = await read();
    for (const kind of KINDS) {
      const rows = [
        ...(kind === 'provider' ? [] : scimRows(ids)),
        ...(kind === 'operator' ? [] : opsRows(ids)),
      ];
      for (const list of ['acts', 'requests'] as const) {
        expect((await sendAll(kind, rows, list, false)).flat()).toEqual([]);
      }
    }
    expect(await read()).toEqual(before);
  });

  test('a change whose record cannot be stored is not made', async () => {
    const ids = await makeIds();
    const rename = (from: string, to: string) =>
      bridge.store.write(async (tx) => {
        await sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx);
      });
    const refuse = async (table: 'acts' | 'requests', kind: Kind, rows: readonly Row[]) => {
      await rename(table, 'elsewhere');
      const statuses: string[] = [];
      for (const row of rows) {
        const url = new URL(row.path, bridge.baseUrl).href;
        const { status } = await bridge.request(row.method, url, row.body, {
          ...toHeaders(kind, row, 'refused'),
          'content-type': 'application/json',
        });
        statuses.push(`${row.path} ${status}`);
      }
      await rename('elsewhere', table);
      return statuses;
    };
    const writes = opsRows(ids).filter(({ path }) => /tokens|clients|providers$|pause/.test(path));
    const ofOperator = await refuse('acts', 'operator', [...writes, signIn]);
    const ofProvider = await refuse('requests', 'provider', scimRows(ids));

    const all = [...ofOperator, ...ofProvider];
    expect(all.filter((one) => !/Bulk|50[03]$/.test(one))).toEqual([]);
    const { body: tokensNow } = await askOps(bridge, 'GET', '/tokens?limit=1000');
    expect(JSON.stringify(tokensNow)).not.toContain(`new-${ids.nth}"`);
    const { body: users } = await bridge.request('GET', `/Users/${ids.user}`);
    expect(users).not.toHaveProperty('title');
    const { body: found } = await bridge.request(
      'GET',
      `/Users?filter=userName sw "bulk-${ids.nth}"`,
    );
    expect(found.totalResults).toBe(0);
  });
});
