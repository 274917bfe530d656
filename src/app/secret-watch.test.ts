import { expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { createSecretWatch } from './secret-watch.ts';

type Files = Readonly<Record<string, string | undefined>>;

const YAML = 'upstream: { url: "https://work.example.com" }';
const TOKENS = {
  UPSTREAM_TOKEN: 'service-1',
  SCIM_TOKENS: 'provider-token-1',
  OPS_TOKEN: 'operators-token-1',
  OPS_READER_TOKEN: 'a-readers-token-1',
};
const DATABASE_URL = 'postgres://bridge:old@db/work';
const FILES: Files = { 'bridge.yaml': YAML, ...TOKENS, DATABASE_URL, NOTIFY_RECEIVERS: '[]' };
const NEW = {
  UPSTREAM_TOKEN: 'service-2',
  SCIM_TOKENS: 'provider-token-2',
  OPS_TOKEN: 'operators-token-2',
  OPS_READER_TOKEN: 'a-readers-token-2',
  DATABASE_URL: 'postgres://bridge:new@db/work',
};

/** Secrets in force, and the log, once these files have changed; undefined: nobody can read it any more. */
function change(before: Files, ...changes: readonly Files[]) {
  let files = before;
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
    return text;
  };
  const { 'bridge.yaml': _, ...secrets } = before;
  const env = Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, name]));
  const said: string[] = [];
  const watch = createSecretWatch(loadSettings({ env, readFile, configFile: 'bridge.yaml' }), {
    restartNeeded: ({ settings }) => void said.push(`restart ${settings}`),
    secretsRenewed: ({ settings }) => void said.push(`renewed ${settings}`),
    secretsRefused: ({ error }) => void said.push(String(error)),
  });
  for (const one of changes) {
    files = { ...files, ...one };
    watch.readAgain();
  }
  watch.stop();
  const { upstream, scim, ops, database } = watch.current();
  const tokens = [upstream.token, ...scim.tokens, ops.token, ops.readerToken];
  return { secrets: [...tokens, database.url], said: said.join() };
}

test.each([
  ['postgres://bridge:new@db/work', 'postgres://bridge:new@db/work'],
  ['postgres://bridge:old@db/other', DATABASE_URL],
  ['sqlite:other.db', DATABASE_URL],
])(
  'a running bridge that is told %s uses %s: its store stays, its password may change',
  (told, used) => {
    expect(change(FILES, { DATABASE_URL: told }).secrets.at(-1)).toBe(used);
  },
);

test.each<[name: string, text: string | undefined, why: string]>([
  ...Object.keys(NEW).map((name): [string, undefined, string] => [
    name,
    undefined,
    'nobody can read',
  ]),
  ...Object.keys(NEW).map((name): [string, string, string] => [name, 'x y', 'is (hidden)']),
  ['OPS_TOKEN', NEW.SCIM_TOKENS, 'have a token in common'],
  ['bridge.yaml', 'upstream: [', 'no valid YAML'],
  ['bridge.yaml', `${YAML}\nscim: { tokns: x }`, 'scim.tokns'],
  ['bridge.yaml', `${YAML}\nport: 99999`, 'port is 99999'],
  ['NOTIFY_RECEIVERS', '[5]', 'notify.receivers'],
])('while %s holds %j, each other secret is renewed, and the log says why', (name, text, why) => {
  const unusable = { ...NEW, [name]: text };
  const usable: Files = { ...FILES, ...NEW };
  const { secrets, said } = change(FILES, unusable);

  expect(secrets).toEqual(change({ ...usable, [name]: FILES[name] }).secrets);
  expect(said).toContain(why);
  expect(change(FILES, unusable, usable).secrets).toEqual(Object.values(NEW));
});

test('two secrets change places, and what is left out of a file that can be read ends', () => {
  const { UPSTREAM_TOKEN, SCIM_TOKENS, OPS_TOKEN, OPS_READER_TOKEN } = TOKENS;
  const scim = { tokens: [SCIM_TOKENS] };
  const toFile = (token: string, readerToken: string) => {
    const upstream = { url: 'https://work.example.com' };
    return { 'bridge.yaml': JSON.stringify({ upstream, scim, ops: { token, readerToken } }) };
  };
  const before = { UPSTREAM_TOKEN, ...toFile(OPS_TOKEN, OPS_READER_TOKEN) };
  const swapped = change(before, toFile(OPS_READER_TOKEN, OPS_TOKEN)).secrets;
  const ended = change(before, { 'bridge.yaml': YAML }).secrets;

  const tokens = [UPSTREAM_TOKEN, SCIM_TOKENS, OPS_READER_TOKEN, OPS_TOKEN];
  expect(swapped.slice(0, -1)).toEqual(tokens);
  expect(ended.slice(0, -1)).toEqual([UPSTREAM_TOKEN, undefined, undefined]);
});
