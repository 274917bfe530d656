import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../test/support/lifetimes.ts';
import type { Access } from '../access/access.ts';
import { createAccess } from '../access/access.ts';
import type { Trust } from '../domain/credential.ts';
import { SettingsError } from '../settings/errors.ts';
import { loadSettings } from '../settings/load.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openServableStore, readTokens } from './first-access.ts';

const REAL = { UPSTREAM_URL: 'https://service.example.com', UPSTREAM_TOKEN: 'secret' };

function setUp() {
  const base = { DATABASE_URL: `sqlite:${join(makeFolder(), 'bridge.db')}` };
  const load = (env: Readonly<Record<string, string>>) =>
    loadSettings({ env: { ...base, ...env }, readFile: () => '' }).settings;
  const withStore = async <T>(
    env: Readonly<Record<string, string>>,
    run: (store: Store) => Promise<T>,
  ) => {
    const store = await openServableStore(load(env), {});
    try {
      return await run(store);
    } finally {
      await store.close();
    }
  };
  return { load, withStore };
}

const ACCESS = {
  clock: systemClock,
  given: { scim: [], operator: undefined, reader: undefined },
  onFailure: () => {},
  keyHosts: { hosts: [], privateAddresses: 'refuse' },
  events: { issuerUnreadable: () => {} },
} as const;

const OF = { profile: 'lenient', provider: 'default', networks: null } as const;
const WISH = { name: 'okta', by: 'command', ...OF };
const TRUST: Trust = {
  ...{ issuer: null, keys: { kind: 'given', keys: [] }, audiences: [], claims: [] },
  ...{ lifetimeMs: 1, once: 'jti' },
};

test.each([
  ['a token', ({ tokens }: Access) => tokens.make({ ...WISH, purpose: 'scim', validForMs: null })],
  [
    'a client that has no secret',
    ({ clients }: Access) => clients.make({ ...WISH, proof: { trust: TRUST } }),
  ],
])('a real service is not served before anybody can come in, and is by %s', async (_, make) => {
  const { withStore } = setUp();
  const nothing = async () => 'open';
  await expect(withStore(REAL, nothing)).rejects.toThrow(SettingsError);
  expect(await withStore({ ...REAL, OPS_TOKEN: 'token-of-an-operator' }, nothing)).toBe('open');

  await withStore({}, async (store) => make(createAccess({ store, ...ACCESS })));
  expect(await withStore(REAL, nothing)).toBe('open');
});

test('the token that a first run prints survives a restart, and never opens a real service', async () => {
  const { load, withStore } = setUp();
  const read = (env: Readonly<Record<string, string>>) =>
    withStore(env, async (store) => (await readTokens(load(env), store)).scimTokens);
  const [first] = await read({});

  expect(first).toMatch(/^[\w-]{32}$/);
  expect(await read({})).toEqual([first]);
  expect(await read({ SCIM_TOKENS: 'token-of-a-provider' })).toEqual(['token-of-a-provider']);
  expect(await read({ ...REAL, OPS_TOKEN: 'token-of-an-operator' })).toEqual([]);
});
