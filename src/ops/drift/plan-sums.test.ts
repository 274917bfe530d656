import { expect, test } from 'vitest';
import { createSetClock } from '../../../test/support/set-clock.ts';
import { logStatements } from '../../../test/support/statements.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { findPlan, insertPlan } from '../../store/plans/plans.ts';
import type { Store } from '../../store/store.ts';
import { createPlanSource } from './plans.ts';

const COUNT = 250;
const never = async () => {
  throw new Error('not asked for');
};
const decisions = { approve: never, discard: never, undo: never, previewUndo: never };

async function addPlan(store: Store) {
  const plan = {
    ...({ id: 'large', hash: 'abc', status: 'held', source: 'sweep', reason: null } as const),
    ...{ counts: JSON.stringify({ total: COUNT, kinds: {}, harm: {} }), automatic: 1 },
    ...{ undoes: null, created_at: 1, decided_at: null, decided_by: null, ended_at: null },
  };
  const actions = Array.from({ length: COUNT }, (_, n) => ({
    ...({ kind: 'user.activate', type: 'user' } as const),
    ...{
      resourceId: `u${n}`,
      memberId: '',
      desired: { active: true },
      observed: null,
      harm: undefined,
    },
  }));
  await store.write((tx) => insertPlan(tx, plan, actions));
  const row = await findPlan(store.read, 'large');
  if (row === undefined) throw new Error('no plan');
  return row;
}

describeStores('the sum of a large plan', ({ makeStore }) => {
  test('is made once for all who look within a minute', async () => {
    const { store, log } = logStatements(await makeStore());
    const clock = createSetClock();
    const plans = createPlanSource(store.read, clock, decisions);
    const row = await addPlan(store);
    log.reset();

    const both = await Promise.all([plans.sumUp(row), plans.sumUp(row)]);
    const once = log.reads.length;
    log.reset();
    const again = await plans.sumUp(row);
    const still = log.reads.length;
    clock.state.aheadMs = 61_000;
    await plans.sumUp(row);

    expect([...both, again]).toEqual(
      [1, 2, 3].map(() => [{ kind: 'user.activate', by: null, count: COUNT }]),
    );
    expect([still, log.reads.length]).toEqual([0, once]);
  });
});
