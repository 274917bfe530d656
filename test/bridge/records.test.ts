import { once } from 'node:events';
import { connect } from 'node:net';
import sql, { raw } from 'sql-template-tag';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeLink } from '../../src/access/sessions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { opsRoutes } from '../../src/ops/router.ts';
import type { TestBridge } from '../support/bridge.ts';
import { startTestBridge } from '../support/bridge.ts';
import { freePort } from '../support/free-port.ts';
import type { TestIssuer } from '../support/issuer.ts';
import { beginSignIn, startIssuer, toOidcSettings } from '../support/issuer.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { takeStore } from '../support/take-store.ts';

interface LostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: JsonObject | undefined;
}

/** Sends a request and resets its connection. Another one was answered on it before: else nothing of it is read. */
async function sendAndReset({ method, url, headers, body }: LostRequest): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { host: hostname, 'content-type': 'application/json', ...headers };
  const lines = Object.entries({ ...all, 'content-length': `${Buffer.byteLength(text)}` });
  const given = lines.flatMap(([name, value]) => (value ? [`${name}: ${value}\r\n`] : []));
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nhost: bridge\r\n\r\n');
  await once(socket, 'data');
  const sent = Promise.withResolvers<void>();
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${given.join('')}\r\n${text}`, () =>
    sent.resolve(),
  );
  await sent.promise;
  socket.resetAndDestroy();
}

const KINDS = ['provider', 'operator', 'reader', 'metrics', 'none'] as const;
type Kind = (typeof KINDS)[number];

interface Ids {
  readonly user: string;
  readonly group: string;
  readonly token: string;
  readonly client: string;
  readonly nth: string;
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const scimRows = ({ user, group, nth }: Ids): Row[] => [
  { method: 'POST', path: '/scim/v2/Users', body: toUser(`new-${nth}`) },
  { method: 'PUT', path: `/scim/v2/Users/${user}`, body: toUser(`kim-${nth}`, { title: nth }) },
  {
    ...{ method: 'PATCH', path: `/scim/v2/Users/${user}` },
    body: toPatch(replace('title', `${nth}-too`)),
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
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'b', data: toUser(`bulk-${nth}`) }],
    },
  },
  { method: 'DELETE', path: `/scim/v2/Groups/${group}` },
  { method: 'DELETE', path: `/scim/v2/Users/${user}` },
];

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
    '/notifications/test': {},
    '/api/users/retrieveCurrentUser': {},
  }).map(([path, body]) => ({ method: 'POST', path: `/ops${path}`, body }));

/** The routes that need what other tests make: nothing is there, which is kept as well. */
const vainRows: Row[] = opsRoutes
  .filter(({ method }) => method === 'post')
  .map(({ path }) => ({ method: 'POST', path: `/ops${path.replaceAll(/\{\w+\}/g, 'nothing')}` }));

const USED = /"lastUsedAt":(?:null|"[^"]*")/g;

const OWN_PAGE = { 'x-scim-bridge-console': '1' };
const signIn: Row = {
  ...{ method: 'POST', path: '/console/session', body: { token: OPS_TOKEN } },
  headers: OWN_PAGE,
};

type List = 'acts' | 'requests';

describe('a change and its record', () => {
  let bridge: TestBridge;
  let issuer: TestIssuer;
  let tokens: Readonly<Record<Kind, string | undefined>>;
  let store: Awaited<ReturnType<typeof takeStore>>;
  let ids: Ids;
  let count = 0;

  beforeAll(async () => {
    store = await takeStore(inject('engine'));
    issuer = await startIssuer();
    const port = await freePort();
    const settings = { ...toOidcSettings(issuer, port), DATABASE_URL: store.url };
    bridge = await startTestBridge({ port, settings });
    const make = async (purpose: string) => {
      const { body } = await bridge.ops('POST', '/tokens', { name: purpose, for: purpose });
      return String(body.token);
    };
    const [reader, metrics] = [await make('reader'), await make('metrics')];
    tokens = { provider: bridge.token, operator: OPS_TOKEN, reader, metrics, none: undefined };
    const user = await bridge.addUser('kim');
    const group = await bridge.settled(bridge.addGroup('Kims', [user]));
    const token = await bridge.ops('POST', '/tokens', { name: 'old', for: 'scim' });
    const client = await bridge.ops('POST', '/clients', { name: 'old' });
    ids = { user, group, token: String(token.body.id), client: String(client.body.id), nth: '1' };
  });
  afterAll(async () => {
    await bridge?.stop();
    await store?.giveBack();
    await issuer?.stop();
  });

  const toHeaders = (kind: Kind, { headers }: Row, requestId: string) => ({
    ...{ ...headers, 'x-request-id': requestId },
    authorization: tokens[kind] && `Bearer ${tokens[kind]}`,
  });

  /** Signs in with the issuer and by the link of the first start; a session needs no other credential. */
  async function toSignIns(): Promise<Row[]> {
    const secret = await makeLink(bridge.store, Date.now());
    const link = { method: 'GET', path: `/console/link?once=${secret}` };
    return [await beginSignIn(bridge, issuer), link];
  }

  async function listRecords(list: List, limit = 1_000) {
    const { body } = await bridge.ops('GET', `/${list}?limit=${limit}`);
    return Map.groupBy(Object(body).items as JsonObject[], ({ requestId }) => String(requestId));
  }

  async function lose(kind: Kind, row: Row): Promise<string> {
    count += 1;
    const requestId = `${kind}-${count}`;
    const url = new URL(row.path, bridge.baseUrl).href;
    await sendAndReset({ ...row, url, headers: toHeaders(kind, row, requestId) });
    return requestId;
  }

  async function untilKept(list: List, requestIds: readonly string[], limit?: number) {
    const isKept = async () => {
      const records = await listRecords(list, limit);
      return requestIds.every((id) => (records.get(id)?.[0]?.status ?? 0) !== 0);
    };
    await expect.poll(isKept, { message: requestIds.join() }).toBe(true);
  }

  async function loseAll(list: List, kind: Kind, rows: readonly Row[]) {
    const sent: string[] = [];
    for (const row of rows) {
      sent.push(await lose(kind, row));
      await untilKept(list, sent.slice(-1), 5);
    }
    const records = await listRecords(list);
    return sent.map((id) => records.get(id) ?? []);
  }

  test('whoever may not change anything changes nothing, and leaves no record of a change', async () => {
    const read = async () => [
      (await bridge.request('GET', '/Users?count=500')).text,
      (await bridge.request('GET', '/Groups?count=500')).text,
      (await bridge.ops('GET', '/tokens')).text.replaceAll(USED, ''),
      (await bridge.ops('GET', '/providers')).text,
      (await bridge.ops('GET', '/clients')).text.replaceAll(USED, ''),
      (await bridge.ops('GET', '/sessions')).text,
    ];
    const before = await read();
    const sent: string[] = [];
    for (const kind of KINDS) {
      const rows = [
        ...(kind === 'provider' ? [] : scimRows(ids)),
        ...(kind === 'operator' ? [] : opsRows(ids)),
      ];
      sent.push(...(await Promise.all(rows.map((row) => lose(kind, row)))));
    }
    const last = await lose('operator', { method: 'POST', path: '/ops/sweeps', body: {} });
    await untilKept('acts', [last]);
    const [acts, requests] = [await listRecords('acts'), await listRecords('requests')];
    expect(sent.filter((id) => acts.has(id) || requests.has(id))).toEqual([]);
    expect(await read()).toEqual(before);
  });

  test('a change whose record cannot be stored is not made', async () => {
    const rename = (from: string, to: string) =>
      bridge.store.write(async (tx) => {
        await tx.run(sql`alter table ${raw(from)} rename to ${raw(to)}`);
      });
    const refuse = async (table: List, kind: Kind, rows: readonly Row[]) => {
      const json = { accept: 'application/json', 'content-type': 'application/json' };
      const statuses: string[] = [];
      await rename(table, 'elsewhere');
      for (const row of rows) {
        const url = new URL(row.path, bridge.baseUrl).href;
        const sent = { ...toHeaders(kind, row, 'refused'), ...json };
        const { status, headers } = await bridge.request(row.method, url, row.body, sent);
        statuses.push(`${row.path} ${headers.location ?? status}`);
      }
      await rename('elsewhere', table);
      return statuses;
    };
    const { text: sessions } = await bridge.ops('GET', '/sessions');
    const writes = opsRows(ids).filter(({ path }) => /tokens|clients|providers$|pause/.test(path));
    const ofOperator = await refuse('acts', 'operator', [...writes, signIn]);
    const ofNobody = await refuse('acts', 'none', await toSignIns());
    const ofProvider = await refuse('requests', 'provider', scimRows(ids));

    const all = [...ofOperator, ...ofNobody, ...ofProvider];
    expect(all.filter((one) => !/Bulk|50[03]$|refused=failed$/.test(one))).toEqual([]);
    expect((await bridge.ops('GET', '/sessions')).text).toBe(sessions);
    const { body: tokensNow } = await bridge.ops('GET', '/tokens?limit=1000');
    expect(JSON.stringify(tokensNow)).not.toContain(`new-${ids.nth}"`);
    expect((await bridge.request('GET', `/Users/${ids.user}`)).body).not.toHaveProperty('title');
    const filter = encodeURIComponent(`userName sw "bulk-${ids.nth}"`);
    expect((await bridge.request('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(0);
  });

  test('every act of an operator is kept with who and from where although the connection is reset', async () => {
    const url = new URL(signIn.path, bridge.baseUrl).href;
    const { headers } = await bridge.request('POST', url, signIn.body, {
      ...{ ...OWN_PAGE, 'content-type': 'application/json' },
    });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    const signOut = { method: 'DELETE', path: signIn.path, headers: { ...OWN_PAGE, cookie } };
    const kept = await loseAll('acts', 'operator', [...opsRows(ids), signIn, signOut]);
    expect(kept.filter(([line]) => Number(line?.status) < 300).length).toBeGreaterThan(15);
    const signedIn = await loseAll('acts', 'none', await toSignIns());
    expect(signedIn).toMatchObject([
      [{ credential: 'oidc-ada', operator: 'ada', outcome: 'done', status: 201 }],
      [{ credential: 'sign-in-link', outcome: 'done', status: 201 }],
    ]);
    const vain = await Promise.all(vainRows.map((row) => lose('operator', row)));
    await untilKept('acts', vain);
    const records = await listRecords('acts');
    const address = expect.stringMatching(/127\.0\.0\.1$/);
    for (const lines of [...kept, ...vain.map((id) => records.get(id) ?? [])])
      expect(lines).toMatchObject([{ credential: 'settings-operator', address }]);
    expect(signedIn.flat().map((line) => line.address)).toEqual([address, address]);
  });

  test('every write of a provider is kept although the connection is reset at once', async () => {
    const kept = await loseAll('requests', 'provider', scimRows(ids));
    expect(kept.map(([line]) => [line?.status, line?.credential])).toEqual(
      [201, 200, 200, 201, 200, 204, 201, 204, 204].map((status) => [status, 'settings-1']),
    );
    expect(kept.every(([line]) => Object(line?.resource).id !== undefined)).toBe(true);
  });
});
