import { expect, onTestFinished, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { findToken, insertToken } from '../store/credentials/tokens.ts';
import { StoreError } from '../store/engine/store-error.ts';
import type { Store } from '../store/store.ts';
import { createUsage } from './usage.ts';

const token = {
  name: 'okta',
  purpose: 'scim',
  profile: 'lenient',
  provider: 'default',
  digest: '',
  created_at: 0,
  created_by: 'command',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
} as const;

function setUp(store: Pick<Store, 'write'>) {
  const state = { now: 100_000, writes: 0 };
  const failures: unknown[] = [];
  const usage = createUsage({
    store: {
      write: (work) => {
        state.writes += 1;
        return store.write(work);
      },
    },
    clock: { now: () => state.now },
    onFailure: (error) => void failures.push(error),
  });
  onTestFinished(() => usage.stop());
  return { state, usage, failures };
}

describeStores('when a credential was last used', ({ makeStore }) => {
  test('is stored once a minute, however often it is, and at a stop', async () => {
    const store = await makeStore();
    await store.write((tx) => insertToken(tx, { ...token, id: 'a' }));
    const { state, usage, failures } = setUp(store);
    const readUse = async () => (await findToken(store.read, 'a'))?.last_used_at;
    for (let use = 0; use < 100; use += 1) usage.used('token-a');
    await expect.poll(readUse, { interval: 10 }).toBe(100_000);
    state.now += 59_999;
    usage.used('token-a');
    await usage.stop();
    expect([state.writes, await readUse()]).toEqual([1, 100_000]);

    state.now += 1;
    usage.used('token-a');
    await usage.stop();
    expect([state.writes, await readUse()]).toEqual([2, 160_000]);
    expect(failures).toEqual([]);
  });
});

test('a store that takes no writes is told once a minute', async () => {
  const full = () => Promise.reject(new StoreError('store-full', 'full'));
  const { state, usage, failures } = setUp({ write: full });
  for (let use = 0; use < 3; use += 1) {
    usage.used('token-a');
    await usage.stop();
  }
  expect(failures).toHaveLength(1);

  state.now += 60_000;
  usage.used('token-a');
  await usage.stop();
  expect(failures).toHaveLength(2);
});
