import { assertNever } from '../../domain/errors.ts';
import { isHolding } from '../../domain/plan.ts';
import {
  changeDrifts,
  type DriftRow,
  endDrifts,
  findRepairing,
  listRepairing,
} from '../../store/drifts.ts';
import {
  type ActionQuery,
  countPlanActions,
  listPlanActions,
  type PlanActionRow,
  updatePlanActions,
} from '../../store/plans/actions.ts';
import { listDecidedPlans, lockPlan, type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { acceptDiscarded, dropOvertaken, endRecoveryOf } from './accept-held.ts';
import { type Current, checkRepair, lockCurrent, type RepairState } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { releasePart } from './release.ts';

/** Repairs that are checked in one transaction. */
const PART = 200;

/**
 * Continues every decided plan, or those alone that hold changes back, and reports the changes that are done. True when some
 * are under way.
 */
export async function followPlans(
  deps: DriftDeps,
  scope: 'all' | 'holding' = 'all',
): Promise<boolean> {
  await dropOvertaken(deps);
  const decided = await listDecidedPlans(deps.store.read);
  const plans = decided.filter(({ source }) => scope === 'all' || isHolding(source));
  for (const plan of plans) {
    if (plan.status === 'discarded') {
      await acceptDiscarded(deps, plan);
      await endRecoveryOf(deps, plan);
      continue;
    }
    let isReleased = false;
    while (await releasePart(deps, plan)) isReleased = true;
    if (isReleased) deps.notify();
    await endRecoveryOf(deps, plan);
    await endPlan(deps, plan);
  }
  const met = await endMetDrifts(deps);
  return met || plans.length > 0;
}

/** Ends the finished repairs of a plan, and the plan once nothing of it waits any more. */
async function endPlan(deps: DriftDeps, plan: PlanRow): Promise<void> {
  const { store, clock, events } = deps;
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const query: ActionQuery = { status: 'released', afterId, limit: PART };
    const actions = await listPlanActions(store.read, plan.id, query);
    await endPart(deps, actions, endAction);
    afterId = actions.at(-1)?.id;
  }
  const total = await store.write(async (tx) => {
    // Another process may have ended it.
    if ((await lockPlan(tx, plan.id))?.status !== 'approved') return undefined;
    const counts = await countPlanActions(tx, plan.id);
    if (counts.has('planned') || counts.has('released')) return undefined;
    await updatePlan(tx, plan.id, { status: 'applied', ended_at: clock.now() });
    return counts.values().reduce((sum, count) => sum + count, 0);
  });
  const { id, source } = plan;
  if (total !== undefined) events.plan({ id, source, status: 'applied', actions: total });
}

/** Ends repairs that a write made unnecessary. True when some are still under way. */
async function endMetDrifts(deps: DriftDeps): Promise<boolean> {
  let isAny = false;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const rows: DriftRow[] = await listRepairing(deps.store.read, { afterSeq, limit: PART });
    isAny ||= rows.length > 0;
    await endPart(deps, rows, async (ending, row) =>
      endDrift(
        ending,
        row,
        row.change === null ? 'gone' : await ending.check({ ...row, kind: row.change }),
      ),
    );
    afterSeq = rows.at(-1)?.seq;
  }
  return isAny;
}

/** Change under way, as far as its state is concerned. */
type Checked = Pick<
  PlanActionRow,
  'kind' | 'resource_type' | 'resource_id' | 'member_id' | 'desired'
>;

/** One transaction in which repairs are checked and ended. */
interface Ending {
  readonly tx: Db;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly check: (row: Checked) => Promise<RepairState>;
}

/** Ends some repairs in one transaction, and reports those that are done. */
async function endPart<Row>(
  deps: DriftDeps,
  rows: readonly Row[],
  end: (ending: Ending, row: Row) => Promise<DriftRow | undefined>,
): Promise<void> {
  if (rows.length === 0) return;
  const { store, driftEvents, clock } = deps;
  const repaired = await store.write(async (tx) => {
    const ending = { tx, now: clock.now(), check: createRepairCheck(tx, deps) };
    const ended: DriftRow[] = [];
    for (const row of rows) {
      const drift = await end(ending, row);
      if (drift !== undefined) ended.push(drift);
    }
    return ended;
  });
  for (const { kind, id, first_seen_at } of repaired) {
    driftEvents.repaired({ kind, id, tookMs: clock.now() - first_seen_at });
  }
}

/** Reads each resource once, because ending a repair changes no user or group. */
function createRepairCheck(tx: Db, deps: DriftDeps): Ending['check'] {
  const known = new Map<string, Promise<Current | undefined>>();
  return async (row) => {
    const { resource_id: id } = row;
    const reading = known.get(id) ?? lockCurrent(tx, deps, row);
    known.set(id, reading);
    const current = await reading;
    return current === undefined ? 'gone' : checkRepair(tx, current, row);
  };
}

/** Ends one action. Returns the drift that it repaired; undefined when there is none, or not yet. */
async function endAction(ending: Ending, action: PlanActionRow): Promise<DriftRow | undefined> {
  const { tx, check } = ending;
  const state = await check(action);
  if (state === 'waits') return undefined;
  const status = state === 'gone' ? 'dropped' : 'done';
  await updatePlanActions(tx, [action.id], { status });
  const drift = await findRepairing(tx, action);
  return drift && endDrift(ending, drift, state);
}

async function endDrift(
  { tx, now }: Ending,
  drift: DriftRow,
  state: RepairState,
): Promise<DriftRow | undefined> {
  switch (state) {
    case 'waits':
      return undefined;
    case 'gone':
      await endDrifts(tx, [drift], { status: 'gone', now });
      return undefined;
    case 'differs':
      // The repair did not hold: the next look decides anew.
      await changeDrifts(tx, [drift], { status: 'open', plan_id: null });
      return undefined;
    case 'done':
      await endDrifts(tx, [drift], { status: 'repaired', now });
      return drift;
    default:
      return assertNever(state);
  }
}
