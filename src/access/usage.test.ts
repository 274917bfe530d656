import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../store/engine/store-error.ts';
import type { Store } from '../store/store.ts';
import { createUsage } from './usage.ts';

function setUp(store: Pick<Store, 'write'>) {
  const state = { now: 100_000 };
  const failures: unknown[] = [];
  const usage = createUsage({
    store,
    clock: { now: () => state.now },
    onFailure: (error) => void failures.push(error),
  });
  onTestFinished(() => usage.stop());
  return { state, usage, failures };
}

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
