import { expect, test } from 'vitest';
import { bridgeForTest, type TestBridge } from '../../test/support/bridge.ts';
import { runAlone } from '../../test/support/command.ts';

const OPS_TOKEN = 'token-of-an-operator';

/** Runs `explain` with these arguments against the bridge. */
function runExplain(args: readonly string[], env: Record<string, string>) {
  return runAlone(['explain', ...args], env);
}

function toEnv({ baseUrl }: TestBridge, token = OPS_TOKEN) {
  return { OPS_URL: new URL(baseUrl).origin, OPS_TOKEN: token };
}

function openBridge(): Promise<TestBridge> {
  return bridgeForTest({ settings: { OPS_TOKEN } });
}

test('explain prints what the running bridge knows, as a table or as JSON', async () => {
  const bridge = await openBridge();
  const id = await bridge.addUser('ada');
  await bridge.addGroup('Board of directors', [id]);
  const env = toEnv(bridge);

  const person = await runExplain(['user', 'ADA@example.com'], env);
  const group = await runExplain(['board of directors'], env);
  const json = await runExplain(['user', id, '--json'], env);

  expect(person).toMatchObject({ code: 0, err: '' });
  expect(person.out).toMatch(/^user ada@example\.com\n/);
  expect(person.out).toMatch(/^active +true +true +settled +provider$/m);
  expect(group.out).toMatch(/^ +members +1 wanted, 1 seen, 0 waiting, 0 different$/m);
  expect(JSON.parse(json.out)).toMatchObject({ type: 'user', id });
});

test('nothing, several, a wrong token and a bridge that is not there end with 1 and say why', async () => {
  const bridge = await openBridge();
  await bridge.addUser('ada', { displayName: 'Ada' });
  await bridge.addGroup('Ada');
  const env = toEnv(bridge);

  const none = await runExplain(['group', 'Nobody/here'], env);
  const several = await runExplain(['ada'], env);
  const stranger = await runExplain(['ada'], toEnv(bridge, 'some-other-token-1234'));
  const away = await runExplain(['ada'], { ...env, OPS_URL: 'http://127.0.0.1:1' });

  expect([none, several, stranger, away].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  expect(none.err).toMatch(/^Nothing has this id or name\. .*answered 404\)/);
  expect(several.err).toMatch(/^Several have this name.*user .*, group .*answered 409\)/);
  expect(stranger.err).toContain('401');
  expect(away.err).toContain('is the bridge running?');
  expect([none, several, stranger, away].every(({ out }) => out === '')).toBe(true);
});

test('what cannot be understood is wrong usage, without a call', async () => {
  const env = { OPS_URL: 'http://127.0.0.1:1', OPS_TOKEN };
  for (const args of [[], ['people', 'ada'], ['user', 'ada', 'lovelace']]) {
    const { code, out } = await runExplain(args, env);
    expect({ args, code, out }).toEqual({ args, code: 64, out: '' });
  }
});

test('without an operator token nothing can be asked', async () => {
  const { code, err } = await runExplain(['ada'], {});
  expect(code).toBe(1);
  expect(err).toContain('set OPS_TOKEN');
});
