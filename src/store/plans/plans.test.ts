import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import type { ActionStatus, PlanStatus } from '../../domain/plan.ts';
import { insertDrifts, listRepairable } from '../drifts.ts';
import type { Store } from '../store.ts';
import { listPlanActions, updatePlanActions } from './actions.ts';
import { listHarmed } from './harm.ts';
import { insertPlan } from './plans.ts';

const action = {
  kind: 'member.remove',
  type: 'group',
  resourceId: 'g',
  memberId: 'm',
  desired: { present: false },
  observed: { present: true },
  harm: 'removeMember',
} as const;
const difference = { ...action, kind: 'member.added' } as const;

const plan = {
  id: 'p',
  hash: 'h',
  source: 'sweep',
  reason: null,
  counts: '{}',
  undoes: null,
  created_at: 1_000,
  decided_at: null,
  decided_by: null,
  ended_at: null,
} as const;

/** Stores a drift and an automatic plan to repair it, with these statuses of the plan and of its action. */
async function addPlanned(store: Store, status: PlanStatus, became: ActionStatus): Promise<void> {
  await store.write(async (tx) => {
    await insertDrifts(tx, [difference], { detector: 'sweep', now: 1_000 });
    await insertPlan(tx, { ...plan, status, automatic: 1 }, [action]);
    const [row] = await listPlanActions(tx, plan.id, { afterId: 0, limit: 1 });
    await updatePlanActions(tx, [row?.id ?? 0], { status: became });
  });
}

const cases: readonly { plan: PlanStatus; action: ActionStatus; isFree: boolean }[] = [
  { plan: 'approved', action: 'planned', isFree: false },
  { plan: 'approved', action: 'dropped', isFree: true },
  { plan: 'held', action: 'planned', isFree: true },
  { plan: 'discarded', action: 'planned', isFree: true },
];

describeStores('plans', ({ makeStore }) => {
  for (const { plan: status, action: became, isFree } of cases) {
    const what = isFree
      ? 'may be planned again'
      : 'is not planned again, and counts for the limits';
    test(`what is ${became} in a plan that is ${status} ${what}`, async () => {
      const store = await makeStore();
      await addPlanned(store, status, became);

      const page = { afterSeq: 0, limit: 10 };
      expect(await listRepairable(store.read, ['member.added'], page)).toHaveLength(isFree ? 1 : 0);
      const harmed = await listHarmed(store.read, 0);
      expect(harmed.map(({ harm }) => harm)).toEqual(isFree ? [] : ['removeMember']);
    });
  }
});
