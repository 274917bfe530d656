import { DRIFT_KINDS, type DriftKind, isUnmanagedKind } from '../../domain/drift.ts';
import { findDriftAction, listActedOn } from '../../domain/drift-policy.ts';
import { HARM_WINDOW_MS } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import { REPAIR_SOURCES } from '../../domain/plan.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { toHash } from '../../plan/plan-summary.ts';
import { enterRules } from '../../rules/follow.ts';
import {
  changeDrifts,
  type DriftRow,
  listRepairable,
  reopenIgnoredDrifts,
  toRepair,
} from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countPlanActions } from '../../store/plans/actions.ts';
import { countRepairs } from '../../store/plans/harm.ts';
import { lockHeld, type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, tellPlan } from '../add-plan.ts';
import { acceptDrift } from './accept.ts';
import type { DriftDeps } from './deps.ts';
import { listExceeded, planRepairs, toRepairs } from './make-plan.ts';
import { findObstacle } from './obstacle.ts';

/** Largest number of actions of a plan; more are left to the next one. */
const ACTIONS_MAX = 10_000;
const PART = 500;
/** Repairs of the same drift in 24 hours, after which it is only reported. */
const REPAIRS_MAX = 3;

/** Occasion of a decision about the known drifts. */
export interface Occasion {
  /** `audit`: only some resources were looked at, so a waiting plan is left as it is. */
  readonly source: 'sweep' | 'audit';
  /** True when the plan is made to be shown, and nothing follows. */
  readonly isDryRun: boolean;
}

/**
 * Decides by the policy about every known drift: accepts some, and makes one plan of all repairs, which waits for an
 * operator where it would do too much harm. Undefined when there is nothing to be repaired.
 */
export async function decide(deps: DriftDeps, occasion: Occasion): Promise<PlanRow | undefined> {
  const { isDryRun } = occasion;
  const { plan, toAccept } = await deps.store.write(async (tx) => {
    if (!isDryRun) await enterRules(tx, deps.rules, 'names');
    const held = await lockHeld(tx, REPAIR_SOURCES);
    const { toRepair: candidates, toAccept } = await sortKnown(tx, deps, isDryRun);
    if (!isDryRun) for (const drift of toAccept) await acceptDrift(tx, deps, drift);
    const made = await planFor(tx, deps, { ...occasion, candidates, held });
    return { plan: made, toAccept };
  });
  // Rules may derive changes of others from what was accepted.
  if (toAccept.length > 0) deps.notify();
  // What is unmanaged was not accepted: each is taken over in a transaction of its own.
  for (const { kind, resource_type: type, resource_id: id } of isDryRun ? [] : toAccept)
    if (isUnmanagedKind(kind)) await deps.adopt({ type, id }, BY_POLICY);
  if (plan === undefined) return undefined;
  tellPlan(deps.events, plan);
  return plan;
}

/** Takeover that nobody asked for by name. */
const BY_POLICY = { provider: DEFAULT_PROVIDER, isDryRun: false };

/** Known drifts by what is to be done about them. */
interface Sorted {
  readonly toRepair: DriftRow[];
  readonly toAccept: DriftRow[];
}

/** Sorts the known drifts by the policy, up to a number of repairs; contested ones are marked. */
async function sortKnown(tx: Db, deps: DriftDeps, isDryRun: boolean): Promise<Sorted> {
  const { actions } = deps.repair;
  const kinds: DriftKind[] = listActedOn(actions, DRIFT_KINDS);
  await reopenIgnoredDrifts(tx, deps.clock.now());
  const sorted: Sorted = { toRepair: [], toAccept: [] };
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const rows: DriftRow[] = await listRepairable(tx, kinds, { afterSeq, limit: PART });
    for (const row of rows) {
      const desired = parseStored<JsonValue>(row.desired);
      const observed = parseStored<JsonValue>(row.observed);
      const action = findDriftAction(actions, { kind: row.kind, desired, observed });
      if (action === 'accept') sorted.toAccept.push(row);
      if (action === 'repair' && (await mayRepair(tx, deps, { row, isDryRun })))
        sorted.toRepair.push(row);
    }
    afterSeq = sorted.toRepair.length >= ACTIONS_MAX ? undefined : rows.at(-1)?.seq;
  }
  return { ...sorted, toRepair: sorted.toRepair.slice(0, ACTIONS_MAX) };
}

/**
 * Decides on the repair of one drift. A drift that returns again and again is contested between people, so it is only
 * reported, with what is in the way where something is.
 */
async function mayRepair(
  tx: Db,
  deps: DriftDeps,
  { row, isDryRun }: { row: DriftRow; isDryRun: boolean },
): Promise<boolean> {
  const repair = toRepair(row);
  if (repair === undefined) return false;
  const repairs = await countRepairs(tx, repair, deps.clock.now() - HARM_WINDOW_MS);
  const status = repairs >= REPAIRS_MAX ? 'contested' : 'open';
  const note = (await findObstacle(tx, deps, repair)) ?? null;
  if ((status !== row.status || note !== row.note) && !isDryRun) {
    await changeDrifts(tx, [row], { status, note });
  }
  return status === 'open' && note === null;
}

interface Planning extends Occasion {
  readonly candidates: readonly DriftRow[];
  /** Plan that waits already. */
  readonly held: PlanRow | undefined;
}

async function planFor(tx: Db, deps: DriftDeps, planning: Planning): Promise<PlanRow | undefined> {
  const { source, isDryRun, held, candidates } = planning;
  // A look at some resources does not change a waiting plan.
  const isLeft = (row: DriftRow) => source === 'audit' && held?.id === row.plan_id;
  const rows = candidates.filter((row) => !isLeft(row));
  const actions = toRepairs(rows);
  const now = deps.clock.now();
  if (held !== undefined && source === 'sweep') {
    // What differs again after it dropped out of a plan is in none.
    const isWhole = !(await countPlanActions(tx, held.id)).has('dropped');
    if (isWhole && held.hash === toHash(actions)) return held;
    const change = { status: 'discarded', reason: 'superseded' } as const;
    if (!isDryRun) await updatePlan(tx, held.id, { ...change, decided_at: now, ended_at: now });
  }
  if (actions.length === 0) return undefined;
  const exceeded = await listExceeded(tx, deps, toRepairs(candidates));
  // Only one plan can wait; the next sweep makes one of everything.
  if (exceeded.length > 0 && rows.length < candidates.length) return undefined;
  const standing = { ...toStanding(exceeded, isDryRun), source, automatic: 1, now };
  return isDryRun ? addPlan(tx, actions, standing) : planRepairs(tx, rows, standing);
}

function toStanding(exceeded: readonly string[], isDryRun: boolean) {
  if (isDryRun) return { status: 'discarded', reason: 'dry-run' } as const;
  if (exceeded.length > 0) return { status: 'held', reason: exceeded.join('; ') } as const;
  return { status: 'approved', reason: null } as const;
}
