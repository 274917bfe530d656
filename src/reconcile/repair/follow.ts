import { assertNever } from '../../domain/errors.ts';
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
  listApprovedPlans,
  listPlanActions,
  lockPlan,
  type PlanActionRow,
  type PlanRow,
  updatePlan,
  updatePlanActions,
} from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { type Current, judgeRepair, lockCurrent, type RepairState } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { releasePart } from './release.ts';

/** Repairs that are judged in one transaction. */
const PART = 200;

/** Goes on with every approved plan, and tells which repairs have come to their end. True: some are under way. */
export async function followRepairs(deps: DriftDeps): Promise<boolean> {
  const plans = await listApprovedPlans(deps.store.read);
  for (const plan of plans) {
    let isReleased = false;
    while (await releasePart(deps, plan)) isReleased = true;
    if (isReleased) deps.wake();
    await settlePlan(deps, plan);
  }
  const met = await settleMet(deps);
  return met || plans.length > 0;
}

/** Ends what a plan has repaired, and the plan once nothing of it waits any more. */
async function settlePlan(deps: DriftDeps, plan: PlanRow): Promise<void> {
  const { store, clock, driftEvents } = deps;
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const query: ActionQuery = { status: 'released', afterId, limit: PART };
    const actions = await listPlanActions(store.read, plan.id, query);
    await settlePart(deps, actions, settleAction);
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
  if (total !== undefined) driftEvents.plan({ id, source, status: 'applied', actions: total });
}

/** Ends what a write has met and repairs by itself. True: some of it is still under way. */
async function settleMet(deps: DriftDeps): Promise<boolean> {
  let isAny = false;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const rows: DriftRow[] = await listRepairing(deps.store.read, { afterSeq, limit: PART });
    isAny ||= rows.length > 0;
    await settlePart(deps, rows, async (settling, row) =>
      settleDrift(settling, row, await settling.judge(row)),
    );
    afterSeq = rows.at(-1)?.seq;
  }
  return isAny;
}

/** One transaction in which repairs are judged. */
interface Settling {
  readonly tx: Db;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly judge: (row: DriftRow | PlanActionRow) => Promise<RepairState | 'gone'>;
}

/** Settles some in one transaction, and tells of those that were repaired. */
async function settlePart<Row>(
  deps: DriftDeps,
  rows: readonly Row[],
  settle: (settling: Settling, row: Row) => Promise<DriftRow | undefined>,
): Promise<void> {
  if (rows.length === 0) return;
  const { store, driftEvents, clock } = deps;
  const repaired = await store.write(async (tx) => {
    const settling = { tx, now: clock.now(), judge: createJudge(tx, deps) };
    const ended: DriftRow[] = [];
    for (const row of rows) {
      const drift = await settle(settling, row);
      if (drift !== undefined) ended.push(drift);
    }
    return ended;
  });
  for (const { kind, id, first_seen_at } of repaired) {
    driftEvents.repaired({ kind, id, tookMs: clock.now() - first_seen_at });
  }
}

/** Nothing that settles a repair changes a person or group, so in what each differs is read once. */
function createJudge(tx: Db, deps: DriftDeps): Settling['judge'] {
  const known = new Map<string, Promise<Current | undefined>>();
  return async (row) => {
    const { resource_type: type, resource_id: id } = row;
    const reading = known.get(id) ?? lockCurrent(tx, deps, { type, id });
    known.set(id, reading);
    const current = await reading;
    return current === undefined ? 'gone' : judgeRepair(tx, current, row);
  };
}

/** The drift that was repaired by it; undefined: none, or not yet. */
async function settleAction(
  settling: Settling,
  action: PlanActionRow,
): Promise<DriftRow | undefined> {
  const { tx, judge } = settling;
  const state = await judge(action);
  if (state === 'waits') return undefined;
  const status = state === 'gone' ? 'dropped' : 'done';
  await updatePlanActions(tx, [action.id], { status });
  const drift = await findRepairing(tx, action);
  return drift && settleDrift(settling, drift, state);
}

async function settleDrift(
  { tx, now }: Settling,
  drift: DriftRow,
  state: RepairState | 'gone',
): Promise<DriftRow | undefined> {
  switch (state) {
    case 'waits':
      return undefined;
    case 'gone':
      await endDrifts(tx, [drift.id], { status: 'gone', now });
      return undefined;
    case 'differs':
      // It did not hold: the next look decides anew.
      await changeDrifts(tx, [drift.id], { status: 'open', plan_id: null });
      return undefined;
    case 'done':
      await endDrifts(tx, [drift.id], { status: 'repaired', now });
      return drift;
    default:
      return assertNever(state);
  }
}
