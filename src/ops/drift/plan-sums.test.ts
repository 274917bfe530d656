import { expect, test } from 'vitest';
import { createSetClock } from '../../../test/support/set-clock.ts';
import { logStatements } from '../../../test/support/statements.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { findPlan, insertPlan } from '../../store/plans/plans.ts';
import type { Store } from '../../store/store.ts';
import { createPlanSums, sumUp, toParts } from './plan-sums.ts';

const COUNT = 250;

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

describeStores('the parts of a large plan', ({ makeStore }) => {
  test('are counted once for all who look within a minute', async () => {
    const { store, log } = logStatements(await makeStore());
    const clock = createSetClock();
    const listParts = createPlanSums(store.read, clock);
    const row = await addPlan(store);
    log.reset();

    const both = await Promise.all([listParts(row), listParts(row)]);
    const once = log.reads.length;
    log.reset();
    const again = await listParts(row);
    const still = log.reads.length;
    clock.state.aheadMs = 61_000;
    await listParts(row);

    expect([...both, again]).toEqual(
      [1, 2, 3].map(() => [{ group: null, kind: 'user.activate', by: null, count: COUNT }]),
    );
    expect([still, log.reads.length]).toEqual([0, once]);
  });
});

test('the parts of a plan are by group, kind and author, and add up by kind and author', () => {
  const toAction = (resourceId: string, by?: string) => ({
    ...({ kind: 'member.remove', type: 'group', resourceId } as const),
    author: by === undefined ? undefined : { by },
  });
  const parts = toParts([
    toAction('a', 'carl'),
    toAction('b', 'carl'),
    toAction('a'),
    toAction('b', 'carl'),
  ]);

  expect(parts).toEqual([
    { group: 'b', kind: 'member.remove', by: 'carl', count: 2 },
    { group: 'a', kind: 'member.remove', by: 'carl', count: 1 },
    { group: 'a', kind: 'member.remove', by: null, count: 1 },
  ]);
  expect(sumUp(parts)).toEqual([
    { kind: 'member.remove', by: 'carl', count: 3 },
    { kind: 'member.remove', by: null, count: 1 },
  ]);
});
