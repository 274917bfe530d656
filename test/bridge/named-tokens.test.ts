import { describe, expect, test } from 'vitest';
import { newSecret } from '../../src/access/secret-text.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runAlone, runner } from '../support/command.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { askWith, makeToken } from '../support/named-token.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { createSetClock } from '../support/set-clock.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const DAY_MS = 24 * 3_600_000;
/** The machine may be busy. */
const PATIENT = { interval: 25 };

async function listTokens(bridge: TestBridge, query = '') {
  const { body } = await bridge.ops('GET', `/tokens${query}`);
  return (Array.isArray(body.items) ? body.items : []).map((item) => Object(item));
}

describe('named tokens', () => {
  test('one that was made opens SCIM at once, and is told by its name', async () => {
    const bridge = await forTest(startTestBridge());
    const { id, text } = await makeToken(bridge, { name: 'okta', expires: '90d' });
    const bare = { authorization: text };
    const answers = [
      await askWith(bridge, text),
      await bridge.request('GET', '/Users', undefined, bare),
      await bridge.request('GET', '/Users/nobody', undefined, bare),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(text).toMatch(/^scimbridge_token_[0-9a-f]{16}_[\w-]{43}$/);
    const readUse = async () => (await listTokens(bridge)).at(0)?.lastUsedAt;
    await expect.poll(readUse, PATIENT).toMatch(/^\d{4}-/);
    const [token] = await listTokens(bridge);
    expect(token).toMatchObject({
      id,
      name: 'okta',
      for: 'scim',
      createdBy: 'settings-operator',
    });
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(90 * DAY_MS);
    const readLog = async () => (await bridge.ops('GET', '/requests')).body.items;
    await expect.poll(readLog, PATIENT).toMatchObject([{ credential: id }]);
  });

  test('unknown, wrong, expired and revoked ones are answered alike, and expiry goes by the clock of the store', async () => {
    const clock = createSetClock();
    const bridge = await forTest(startTestBridge({ clock }));
    const short = await makeToken(bridge, { name: 'short', expires: '1d' });
    const long = await makeToken(bridge, { name: 'long', expires: 'never' });
    const gone = await makeToken(bridge, { name: 'gone' });
    const valid = [short, long, gone].map(({ text }) => askWith(bridge, text));
    expect((await Promise.all(valid)).map(({ status }) => status)).toEqual([200, 200, 200]);

    clock.state.aheadMs = DAY_MS + 1;
    await bridge.ops('POST', '/tokens/gone/revoke');
    const wrong = long.text.replace(/.{43}$/, newSecret('token').text.slice(-43));
    const texts = [newSecret('token').text, wrong, short.text, gone.text, 'anything-else-at-all'];
    const answers = await Promise.all(texts.map((text) => askWith(bridge, text)));

    const seen = answers.map(({ status, text, headers }) => [
      status,
      text,
      headers['www-authenticate'],
    ]);
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]?.[0]).toBe(401);
    expect(seen[0]?.[2]).toBe('Bearer realm="scim", error="invalid_token"');
    expect((await askWith(bridge, long.text)).status).toBe(200);
  });

  test('they survive a restart, several are valid at once, and a rotation refuses no request', async () => {
    const service = await forTest(startSandbox());
    const settings = { DATABASE_URL: await makeStoreUrl() };
    const first = await startTestBridge({ service, settings });
    const old = await makeToken(first, { name: 'okta-2026' });
    await first.stop();

    const bridge = await forTest(startTestBridge({ service, settings }));
    const state = { text: old.text, isOver: false, refused: 0, withNext: 0 };
    const provider = (async () => {
      while (!state.isOver) {
        const { text } = state;
        if ((await askWith(bridge, text)).status !== 200) state.refused += 1;
        if (text !== old.text) state.withNext += 1;
      }
    })();
    const next = await makeToken(bridge, { name: 'okta-2027' });
    state.text = next.text;
    // By now the provider has its answer to everything that it sent with the old one.
    await expect.poll(() => state.withNext, PATIENT).toBeGreaterThan(0);
    await bridge.ops('POST', '/tokens/okta-2026/revoke');
    const before = state.withNext;
    await expect.poll(() => state.withNext, PATIENT).toBeGreaterThan(before + 1);
    state.isOver = true;
    await provider;

    expect(state.refused).toBe(0);
    expect((await askWith(bridge, old.text)).status).toBe(401);
    expect((await listTokens(bridge, '?state=live')).map(({ name }) => name)).toEqual([
      'okta-2027',
    ]);
    expect((await listTokens(bridge, '?state=revoked')).map(({ name }) => name)).toEqual([
      'okta-2026',
    ]);
  });

  test('what expires within 30 days is told, by name to operators alone, until it is revoked', async () => {
    const bridge = await forTest(startTestBridge());
    await makeToken(bridge, { name: 'okta-now', expires: '29d' });
    await makeToken(bridge, { name: 'okta-later', expires: '31d' });
    await makeToken(bridge, { name: 'okta-ever', expires: 'never' });
    await bridge.ops('POST', '/clients', { name: 'entra' });
    const url = new URL('/readyz', bridge.baseUrl).href;
    const before = await bridge.request('GET', url);
    const metrics = await readMetrics(bridge, OPS_TOKEN);
    const name = (labels: string) => `credential_expiry_timestamp_seconds{${labels}}`;
    const now = (metrics.get(name('name="okta-now",for="scim"')) ?? 0) * 1_000;
    await bridge.ops('POST', '/tokens/okta-now/revoke');
    const after = await bridge.request('GET', url);

    expect(before.status).toBe(200);
    expect(before.body.reasons).toMatchObject([{ code: 'credential-expires' }]);
    expect(before.text).toContain('1 token or secret');
    expect(before.text).not.toContain('okta');
    expect(after.body.reasons).toEqual([]);
    expect(Math.round((now - Date.now()) / DAY_MS)).toBe(29);
    expect(metrics.has(name('name="okta-later",for="scim"'))).toBe(true);
    expect(metrics.has(name('name="entra",for="client"'))).toBe(true);
    expect(metrics.has(name('name="okta-ever",for="scim"'))).toBe(false);
    expect((await readMetrics(bridge, OPS_TOKEN)).has(name('name="okta-now",for="scim"'))).toBe(
      false,
    );
  });
});

describe('scim-bridge token', () => {
  test('makes tokens in the store before the first start, and asks the bridge once it runs', async () => {
    const DATABASE_URL = await makeStoreUrl();
    const alone = (...args: string[]) => runAlone(['token', ...args], { DATABASE_URL });
    const made = await alone('create', 'okta', '--expires', 'never');
    const ops = await alone('create', 'ada', '--for', 'operator', '--json');
    const twice = await alone('create', 'okta');
    const text = /scimbridge_token_\S+/.exec(made.text)?.[0] ?? '';
    const operator = JSON.parse(ops.text);

    expect([made.code, ops.code, twice.code]).toEqual([0, 0, 1]);
    expect(twice.text).toContain('Another token has this name');
    expect(operator).toMatchObject({ name: 'ada', for: 'operator', createdBy: 'command' });

    const bridge = await forTest(startTestBridge({ settings: { DATABASE_URL } }));
    const run = runner(bridge, { env: { OPS_TOKEN: operator.token } });
    await bridge.addUser('ada');
    const listed = await run('token', 'list');
    expect(listed.text).toMatch(/okta +scim +never expires +never\n/);
    expect(listed.text).not.toContain('scimbridge_');
    expect((await askWith(bridge, text)).status).toBe(200);
    const taken = await run('token', 'create', 'okta');
    const revoked = await run('token', 'revoke', 'okta', '--yes');
    const unknown = await run('token', 'revoke', 'okta', '--yes');

    expect([taken.code, revoked.code, unknown.code]).toEqual([1, 0, 1]);
    expect(taken.text).toContain('Another token has this name');
    expect(revoked.text).toMatch(/^okta \(token-[0-9a-f]{16}\) is revoked\.\n$/);
    expect((await askWith(bridge, text)).status).toBe(401);
    expect((await run('token', 'list', '--all')).text).toContain('revoked');
    expect((await run('token', 'list')).text).not.toContain('okta');
  });
});
