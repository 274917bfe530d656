import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { askWith, makeToken } from '../support/credentials.ts';
import { makeFolder } from '../support/lifetimes.ts';

const [TEXT, OTHER] = ['pZ4kT9vQ1xW7mB3nR8cL5sD2fG6hJ0yA', 'aQ7wE3rT9yU1iO5pL8kJ4hG2fD6sZ0xC'];
const PROVIDER = { name: 'partners', domains: ['Partner.example'], mode: 'observe' };
const TOKEN = { name: 'partners-2027', provider: 'partners', secretFile: 'secret' };
const GIVEN = { name: 'given', expires: 'never', digest: hash('sha256', OTHER) };
const WHOLE = { providers: [PROVIDER], tokens: [TOKEN, GIVEN] };

async function setUp() {
  const bridge = await bridgeForTest();
  const file = join(makeFolder(), 'providers.yaml');
  writeFileSync(join(file, '../secret'), `${TEXT}\n`);
  const send = async (verb: 'plan' | 'apply', content: object | string) => {
    writeFileSync(file, typeof content === 'string' ? content : stringify(content));
    const { code, out, err } = await runner(bridge)('provider', verb, file, '--json');
    return { code, err, ...(out !== '' && JSON.parse(out)) };
  };
  const ask = (...texts: string[]) =>
    Promise.all(texts.map(async (text) => (await askWith(bridge, text)).status));
  return { bridge, send, ask };
}

test('a plan shows requests, an application sends them, and then nothing differs; a secret by file and one by digest open SCIM', async () => {
  const { bridge, send, ask } = await setUp();
  const steps = ['/providers', '/tokens', '/tokens'].map((path) => ({ path }));
  const planned = await send('plan', WHOLE);
  expect(planned).toMatchObject({ code: 0, steps, left: [] });
  expect(planned.steps[0].changes).toMatch(/^domains: \["Partner/);
  expect(await ask(TEXT, OTHER)).toEqual([401, 401]);

  expect(await send('apply', WHOLE)).toMatchObject({ code: 0, steps });
  expect(await ask(TEXT, OTHER)).toEqual([200, 200]);
  expect(await send('apply', WHOLE)).toMatchObject({ code: 0, steps: [], left: [] });
  const made = { domains: ['partner.example'], mode: 'observe', graceDays: 0 };
  expect((await bridge.listOps('/providers'))[0]).toMatchObject(made);
  const acts = await bridge.listOps('/acts');
  expect(acts.filter(({ act }) => act === 'token create').length).toBe(2);
  expect(JSON.stringify([planned, acts])).not.toContain(TEXT);
});

test('what differs is changed, or revoked and made anew; a trace stays, and a secret that was used is refused', async () => {
  const { bridge, send, ask } = await setUp();
  await send('apply', WHOLE);
  const { tracedUntil } = (await bridge.ops('POST', '/providers/partners/trace', {})).body;
  const provider = { name: 'partners', domains: ['partner.example'], graceDays: 7 };
  const given = { ...GIVEN, expires: '9d', digest: hash('sha256', `${OTHER}2`) };
  const tokens = [{ ...TOKEN, networks: ['203.0.113.7'] }, given];
  const applied = await send('apply', { providers: [provider], tokens });

  expect(applied.steps).toMatchObject([
    { path: '/providers/partners/change', body: { mode: 'live', graceDays: 7 }, result: 'done' },
    { path: '/tokens/partners-2027/change', changes: 'networks: "none" → ["203.0.113.7"]' },
    { path: '/tokens/given/revoke', changes: expect.stringContaining('expires: "never" → "9d"') },
    { path: '/tokens', result: 'done' },
  ]);
  expect(await ask(TEXT, OTHER, `${OTHER}2`)).toEqual([401, 401, 200]);
  expect((await bridge.listOps('/providers'))[0]).toMatchObject({ tracedUntil });
  expect((await send('apply', WHOLE)).err).toContain('tokens entry 2: a token has or had');
  const again = await runner(bridge)('token', 'create', 'again', '--digest', GIVEN.digest);
  expect(again.err).toContain('A token has or had this secret');
});

test('what the file does not name is listed, and with prune revoked or deleted; other credentials stay', async () => {
  const { bridge, send, ask } = await setUp();
  await send('apply', WHOLE);
  await bridge.ops('POST', '/clients', { name: 'importer', provider: 'partners' });
  const { id } = await makeToken(bridge, { name: 'eyes', for: 'reader' });
  const revoked = ['given', 'partners-2027'].map((name) => ({ path: `/tokens/${name}/revoke` }));
  const ends = [...revoked, { path: '/providers/partners/delete' }];
  expect(await send('apply', 'tokens: []')).toMatchObject({ code: 0, steps: [], left: ends });
  expect(await ask(TEXT, OTHER)).toEqual([200, 200]);

  const { code, steps } = await send('apply', { prune: true });
  expect([code, steps[2].result]).toEqual([1, expect.stringContaining('has a credential')]);
  await bridge.ops('POST', '/clients/importer/revoke', {});
  expect((await send('apply', { prune: true })).code).toBe(0);
  expect(await ask(TEXT, OTHER)).toEqual([401, 401]);
  expect(await bridge.listOps('/providers')).toMatchObject([{ name: 'default' }]);
  expect(await bridge.listOps('/tokens?state=live')).toMatchObject([{ id }]);
});

test('a file with problems names each with its place, and sends nothing; the example has none', async () => {
  const { bridge, send } = await setUp();
  const providers = [{ ...PROVIDER, mode: 'off' }];
  const both = { ...GIVEN, secretFile: 'secret' };
  const tokens = [{ ...TOKEN, secretFile: 'gone' }, both, { ...GIVEN, token: TEXT }];
  const { err } = await send('apply', { providers, tokens });
  const places = ['providers entry 1 mode:', 'tokens entry 1 secretFile:', 'tokens entry 2:'];
  for (const place of [...places, 'tokens entry 3: Unrecognized key: "token"'])
    expect(err).toContain(place);
  expect(err).not.toContain(TEXT);
  const expectRefused = async (tokens: object[], words: string) =>
    expect((await send('plan', { tokens })).err).toContain(words);
  await expectRefused([GIVEN, { ...TOKEN, provider: 'nobody' }], 'tokens entry 2: `provider`');
  await expectRefused([{ ...GIVEN, expires: 'soon' }], 'tokens entry 1: `expires`');
  await expectRefused([GIVEN, { ...GIVEN, name: 'two' }], 'tokens: two entries have');
  expect((await send('plan', 'tokens: [')).err).toContain('is no valid YAML at line 1');
  expect(await bridge.listOps('/tokens')).toEqual([]);
  const example = readFileSync('config/providers.example.yaml', 'utf8');
  const { steps } = await send('plan', example.replace(/\/run\/secrets\/\S+/, 'secret'));
  expect(steps.length).toBe(3);
});
