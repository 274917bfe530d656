import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { AUDIENCE, SETTINGS, TYPE, toRight, WHO } from '../support/assertions.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { postTokenForm } from '../support/credentials.ts';
import { startIssuer } from '../support/issuer.ts';
import { forTest } from '../support/lifetimes.ts';

const NETWORKS = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'];
const INSIDE = ['203.0.113.5', '::ffff:203.0.113.5', '2001:db8:1::1', '198.51.100.7'];
const OUTSIDE = ['203.0.114.5', '::ffff:203.0.114.6', '2001:db9::1', ''];
const BOTH = ['203.0.113.5', '2001:db9::1'];

/** A bridge behind a proxy, which says from where a request comes. */
async function setUp() {
  const lines: JsonObject[] = [];
  const settings = { ...SETTINGS, TRUST_PROXY: '1' };
  const bridge = await bridgeForTest({ settings, onLog: (line) => lines.push(line) });
  const make = async (path: '/tokens' | '/clients', more: JsonObject = {}) =>
    (await bridge.ops('POST', path, { name: 'okta', networks: NETWORKS, ...more })).body;
  const ask = (path: string, headers: object, all: readonly string[], body?: JsonObject) => {
    const { href } = new URL(path, bridge.baseUrl);
    const toHeaders = (from: string) => ({ ...headers, 'x-forwarded-for': from });
    const method = body ? 'POST' : 'GET';
    return Promise.all(all.map((from) => bridge.request(method, href, body, toHeaders(from))));
  };
  return { bridge, lines, make, ask };
}

const toBearer = (token: unknown) => ({ authorization: `Bearer ${token}` });
const listStatuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

test('a token opens SCIM from its networks; from elsewhere it is answered as an unknown one, and the log names it', async () => {
  const { lines, make, ask } = await setUp();
  const { id, token } = await make('/tokens');
  expect(listStatuses(await ask('/scim/v2/Users', toBearer(token), INSIDE))).not.toContain(401);

  const [unknown] = await ask('/scim/v2/Users', toBearer('unknown'), BOTH);
  for (const { status, text, headers } of await ask('/scim/v2/Users', toBearer(token), OUTSIDE)) {
    const seen = [status, text, headers['www-authenticate']];
    expect(seen).toEqual([401, unknown?.text, unknown?.headers['www-authenticate']]);
  }
  expect(lines).toContainEqual(expect.objectContaining({ place: 'scim', outside: id }));
  expect(JSON.stringify(lines)).not.toContain(token);
});

test('an operator and their session come from the networks of the token', async () => {
  const { make, ask, lines } = await setUp();
  const { id, token = '' } = await make('/tokens', { for: 'operator' });
  const own = { 'x-scim-bridge-console': '1', 'content-type': 'application/json' };
  const signedIn = await ask('/console/session', own, BOTH, { token });
  const [cookie] = String(signedIn[0]?.headers['set-cookie']).split(';');
  const bySession = await ask('/ops/status', { authorization: undefined, cookie }, BOTH);
  const byToken = await ask('/ops/status', toBearer(token), BOTH);

  const statuses = listStatuses([...signedIn, ...bySession, ...byToken]);
  expect(statuses).toEqual([201, 401, 200, 401, 200, 401]);
  expect(lines).toContainEqual(expect.objectContaining({ place: 'ops', outside: id }));
});

test('a client, its assertions and its access tokens come from its networks, also after a change', async () => {
  const [{ bridge, make, ask, lines }, issuer] = [await setUp(), await forTest(startIssuer())];
  const [inside, outside] = BOTH.map((from) => ({ 'x-forwarded-for': from }));
  const { id: client_id, secret: client_secret } = await make('/clients');
  const form = { client_id, client_secret };
  const wrong = await postTokenForm(bridge, { ...form, client_secret: 'wrong' }, outside);
  const refused = await postTokenForm(bridge, { ...form, grant_type: 'password' }, outside);
  const { access_token: text } = (await postTokenForm(bridge, form, inside)).body;
  const read = async () => listStatuses(await ask('/scim/v2/Users', toBearer(text), BOTH));
  const before = await read();
  await bridge.ops('POST', `/clients/${client_id}/change`, { networks: ['2001:db9::1'] });

  expect([refused.status, refused.body]).toEqual([401, wrong.body]);
  expect(lines).toContainEqual(expect.objectContaining({ place: 'oauth', outside: client_id }));
  expect([...before, ...(await read())]).toEqual([200, 401, 401, 200]);

  const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims: { sub: [WHO.sub] } };
  const { id } = await make('/clients', { trust, name: 'entra' });
  const assertion = await issuer.sign(toRight(issuer));
  const proof = { client_id: id, client_assertion_type: TYPE, client_assertion: assertion };
  const asked = [outside, inside].map((headers) => postTokenForm(bridge, proof, headers));
  expect(listStatuses(await Promise.all(asked))).toEqual([401, 200]);
  expect(lines).toContainEqual(expect.objectContaining({ credential: id, reason: 'network' }));
});

const WRONG = ['10.0.0.0/33', '::/129', 'foo', '', '10.0.0.0/', '10.0.0.1 ', 'fe80::1%eth0'];
test('what is no network is refused with its text, and more than 100 are', async () => {
  const { make } = await setUp();
  const refuse = async (networks: JsonValue) => (await make('/tokens', { networks })).message;
  for (const entry of WRONG) expect(await refuse([entry])).toContain(`: ${JSON.stringify(entry)} `);
  expect(await refuse(Array.from({ length: 101 }, () => '::1'))).toContain('<=100');
});

test('the command line gives, shows and changes networks, and the change is an act', async () => {
  const { bridge } = await setUp();
  const run = runner(bridge);
  for (const kind of ['token', 'client']) {
    await run(kind, 'create', 'okta', '--networks', NETWORKS.join(','));
    const { items } = JSON.parse((await run(kind, 'list', '--json')).out);
    expect(items).toMatchObject([{ networks: NETWORKS }]);
    expect((await run(kind, 'list')).out).toContain(`, from ${NETWORKS.join(' ')}`);
    const changed = await run(kind, 'change', 'okta', '--networks', 'any');
    expect(changed.out).toContain('from everywhere');
    const [act] = await bridge.listOps('/acts?limit=1');
    const states = { before: { networks: NETWORKS }, after: { networks: null } };
    expect(act).toMatchObject({ act: `${kind} change`, target: items[0].id, ...states });
  }
});
