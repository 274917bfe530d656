import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { retryResting } from './retries.ts';

const NOW = 1_000;

describeStores('what waits for its next attempt', ({ makeStore, engine }) => {
  test('what rests beyond a moment is due now, however much it is', async () => {
    const store = await makeStore();
    for (let index = 0; index < 101; index += 1) {
      await addUser(store, { upstream_id: index, origin: 'created', due_at: 5_000 });
    }
    await addUser(store, { upstream_id: 200, origin: 'created', due_at: 4_000 });
    const tried: number[] = [];

    await retryResting(store, { now: NOW, beyond: 4_000 }, (done) => tried.push(done.length));

    expect(tried).toEqual([100, 1]);
    const rows = await store.read.selectFrom('users').select('due_at').orderBy('due_at').execute();
    expect(rows.filter(({ due_at }) => due_at === NOW)).toHaveLength(101);
    expect(rows.at(-1)).toEqual({ due_at: 4_000 });
  });

  test.skipIf(engine !== 'sqlite')('nobody is read who does not wait', async () => {
    const store = await makeStore();
    const plan = await explain(store, (read) =>
      retryResting({ read, write: store.write }, { now: NOW, beyond: NOW }, () => undefined),
    );
    expect(plan).toEqual(
      expect.arrayContaining([
        expect.stringContaining('users_due'),
        expect.stringContaining('groups_due'),
      ]),
    );
  });
});
