import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { askWith, fetchToken, getToken, makeClient } from '../support/credentials.ts';
import { createSetClock } from '../support/leaping-clock.ts';
import { makeLives } from '../support/lives.ts';
import { readMetrics } from '../support/metrics.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('OAuth', () => {
  const bridge = bridgeForSuite();

  test('a public library gets an access token, which opens SCIM', async () => {
    const made = await makeClient(bridge, 'library');
    const client = { client_id: made.id };
    const { origin, href } = new URL('/oauth/token', bridge.baseUrl);
    const server = { issuer: origin, token_endpoint: href };
    // The bridge of a test has no certificate.
    const options = { [oauth.allowInsecureRequests]: true };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(made.secret),
      new URLSearchParams({ scope: 'scim' }),
      options,
    );
    const token = await oauth.processClientCredentialsResponse(server, client, response);

    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'scim' });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const url = new URL(`${bridge.baseUrl}/Users`);
    const headers = new Headers({ accept: 'application/scim+json' });
    const users = await oauth.protectedResourceRequest(
      ...([token.access_token, 'GET', url, headers, null, options] as const),
    );
    expect(users.status).toBe(200);
    const readLog = async () => {
      await bridge.request('GET', '/Users/nobody', undefined, {
        authorization: `Bearer ${token.access_token}`,
      });
      return Object((await bridge.ops('GET', '/requests?limit=1')).body.items)[0];
    };
    await expect.poll(readLog).toMatchObject({ credential: made.id });
  });

  test('an access token opens nothing of operators, and a secret opens nothing by itself', async () => {
    const client = await makeClient(bridge, 'opening');
    const authorization = `Bearer ${await getToken(bridge, client)}`;
    const url = new URL('/ops/status', bridge.baseUrl).href;

    expect((await bridge.request('GET', url, undefined, { authorization })).status).toBe(401);
    expect((await askWith(bridge, client.secret)).status).toBe(401);
  });

  test('unknown, wrong, expired and revoked clients and secrets are answered alike', async () => {
    const clock = createSetClock();
    const settings = { ACCESS_FAILED_DELAY_MAX: '0' };
    const bridge = await bridgeForTest({ settings, clock });
    const old = await makeClient(bridge, 'old');
    clock.state.aheadMs = 730 * DAY_MS + 1;
    const good = await makeClient(bridge, 'good');
    const gone = await makeClient(bridge, 'gone');
    const half = await makeClient(bridge, 'half');
    await bridge.ops('POST', '/clients/gone/revoke');
    await bridge.ops('POST', '/clients/half/revoke', { secret: half.secretId });
    const unknown = { ...good, id: 'client-0000000000000000' };
    const wrong = { ...good, secret: good.secret.replace(/.{43}$/, old.secret.slice(-43)) };
    const other = { ...good, secret: old.secret };
    const noSecret = { ...good, secret: 'x' };
    const clients = [old, gone, half, unknown, wrong, other, noSecret];
    const answers = await Promise.all(clients.map((client) => fetchToken(bridge, client)));
    const seen = answers.map(({ status, headers, body }) =>
      JSON.stringify([status, headers['www-authenticate'], body]),
    );

    expect(new Set(seen).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answers[0]?.headers['www-authenticate']).toMatch(/^Basic /);
    expect((await fetchToken(bridge, good)).status).toBe(200);
  });

  test('a rotation refuses no request: two secrets are valid, a third is refused until one is revoked', async () => {
    const first = await makeClient(bridge, 'rotating');
    const before = await getToken(bridge, first);
    const second = await makeClient(bridge, 'rotating', '/rotating/rotate');
    expect(second.id).toBe(first.id);
    const after = await getToken(bridge, second);
    expect((await fetchToken(bridge, first)).status).toBe(200);
    const third = await bridge.ops('POST', '/clients/rotating/rotate');
    expect([third.status, third.body.code]).toEqual([409, 'two-secrets']);

    await bridge.ops('POST', '/clients/rotating/revoke', { secret: first.secretId });

    expect((await fetchToken(bridge, first)).status).toBe(401);
    expect((await askWith(bridge, before)).status).toBe(401);
    expect((await askWith(bridge, after)).status).toBe(200);
    const next = await makeClient(bridge, 'rotating', '/rotating/rotate');
    await bridge.ops('POST', '/clients/rotating/revoke');
    expect((await askWith(bridge, after)).status).toBe(401);
    expect((await fetchToken(bridge, next)).status).toBe(401);
    expect((await bridge.ops('POST', '/clients/rotating/rotate')).status).toBe(404);
  });

  test('an access token lasts as long as it says, by the clock of the store, and over a restart', async () => {
    const clock = createSetClock();
    const { live } = await makeLives({ clock });
    const { body } = await live(async (bridge) =>
      fetchToken(bridge, await makeClient(bridge, 'entra')),
    );
    const token = String(body.access_token);
    expect(body.expires_in).toBe(3_600);

    await live(async (bridge) => {
      clock.state.aheadMs = HOUR_MS - 60_000;
      expect((await askWith(bridge, token)).status).toBe(200);
      clock.state.aheadMs = HOUR_MS + 1;
      const late = await askWith(bridge, token);
      expect(late.status).toBe(401);
      expect(late.headers['www-authenticate']).toContain('error="invalid_token"');
    });
  });
});

test('a client that asks for more tokens than its rate is 429, and a stranger uses up none of it', async () => {
  const settings = { SCIM_REQUESTS_PER_SECOND: '2', ACCESS_FAILED_DELAY_MAX: '0' };
  const clock = { ...createSetClock(), now: () => 1_900_000_000_000 };
  const bridge = await bridgeForTest({ settings, clock });
  const [client, other] = [await makeClient(bridge, 'entra'), await makeClient(bridge, 'okta')];
  const strangers = Array.from({ length: 5 }, () =>
    fetchToken(bridge, { ...client, secret: other.secret }),
  );
  expect((await Promise.all(strangers)).map(({ status }) => status)).toEqual(
    strangers.map(() => 401),
  );
  const answers = [];
  for (let nth = 0; nth < 4; nth += 1) answers.push(await fetchToken(bridge, client));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  expect(answers[3]).toMatchObject({ body: { error: 'temporarily_unavailable' } });
  expect(answers[3]?.headers['retry-after']).toBe('1');
  expect((await fetchToken(bridge, other)).status).toBe(200);
  expect((await readMetrics(bridge)).get('requests_turned_away_total{reason="rate"}')).toBe(2);
});

test('scim-bridge client makes, rotates and ends clients and their secrets', async () => {
  const bridge = await bridgeForTest();
  const run = runner(bridge);
  const made = await run('client', 'create', 'entra');
  const short = await run('client', 'create', 'x', '--expires', '30d');
  const id = /^client_id +(\S+)$/m.exec(made.text)?.[1] ?? '';
  const secret = /^client_secret +(\S+)$/m.exec(made.text)?.[1] ?? '';
  expect(made.code).toBe(0);
  expect([short.code, short.text]).toEqual([64, expect.stringContaining('365d to 1095d')]);
  await getToken(bridge, { id, secret });
  const rotated = await run('client', 'rotate', 'entra');
  const third = await run('client', 'rotate', 'entra');
  const [secretId = ''] = /secret-[0-9a-f]{16}/.exec(made.text) ?? [];
  const revoked = await run('client', 'revoke', 'entra', '--secret', secretId, '--yes');
  const listed = await run('client', 'list');

  expect([rotated.code, third.code, revoked.code, listed.code]).toEqual([0, 1, 0, 0]);
  expect(third.text).toContain('revoke one of them first');
  expect(revoked.text).toBe(`${secretId} of entra (${id}) is revoked.\n`);
  expect(listed.text).toMatch(
    /^client-[0-9a-f]{16} +entra +secret-[0-9a-f]{16} revoked .*; secret-[0-9a-f]{16} expires /m,
  );
  expect(listed.text).not.toContain('scimbridge_');
  expect((await fetchToken(bridge, { id, secret })).status).toBe(401);
  expect((await run('client', 'revoke', 'entra', '--yes')).code).toBe(0);
  expect((await run('client', 'list')).text).toBe('There is nothing to list.\n');
  const all = await run('client', 'list', '--all');
  expect(all.text).toMatch(/^client-[0-9a-f]{16} +entra +revoked 2\S+ \S+Z +2/m);
  expect(all.text).not.toMatch(/secret-|expires/);
});
