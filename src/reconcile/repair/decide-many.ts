import { type DriftStatus, isUnmanagedKind } from '../../domain/drift.ts';
import { countActions, type PlanCounts, toHash } from '../../plan/plan-summary.ts';
import { enterRules } from '../../rules/follow.ts';
import { type DriftRow, findDrift } from '../../store/drifts.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { isDriftStillSo } from './current.ts';
import {
  acceptOne,
  BY_OPERATOR,
  type DriftDecision,
  findHindrance,
  type Ignoring,
  ignoreDrift,
  isUndecided,
} from './decisions.ts';
import type { DecisionDeps } from './deps.ts';
import { dropRepairs, lockDrifts, tellDiscarded } from './drop-repairs.ts';
import { listExceeded, planRepairs, toPlanAction } from './make-plan.ts';

/** Decision of an operator about many drifts. */
export type ManyDecision =
  | {
      readonly kind: 'repair';
      /** Hash of the plan that the operator was shown; undefined: one within the limits, whatever it is. */
      readonly hash: string | undefined;
    }
  | { readonly kind: 'accept' }
  | ({ readonly kind: 'ignore' } & Omit<Ignoring, 'by'>);

/** Request for a decision about many drifts. */
export interface ManyRequest {
  readonly ids: readonly string[];
  readonly decision: ManyDecision;
  /** True: nothing is done, and what would be is told. */
  readonly isDryRun: boolean;
  /** Name of the operator. */
  readonly by: string;
}

/** Outcome of a decision for one of many drifts. */
interface OneDecided {
  readonly id: string;
  readonly kind: DriftDecision['kind'];
  /** Status before the decision; undefined: there is no such drift. */
  readonly before: DriftStatus | undefined;
}

/** Plan that repairs many drifts. */
interface ManyPlan {
  /** Undefined: it was not made. */
  readonly id: string | undefined;
  readonly hash: string;
  readonly counts: PlanCounts;
  /** Limits that it would exceed, in words. */
  readonly exceeded: readonly string[];
}

/** Result of a decision about many drifts. */
export interface ManyDecided {
  /** `other-hash`, `above-limits`: nothing was done. */
  readonly kind: 'done' | 'other-hash' | 'above-limits';
  readonly ones: readonly OneDecided[];
  /** Undefined where nothing is to be repaired. */
  readonly plan: ManyPlan | undefined;
}

/** Decides about many drifts: repairs are one plan, which exceeds a limit only where the operator has seen it. */
export async function decideMany(deps: DecisionDeps, request: ManyRequest): Promise<ManyDecided> {
  const { decision, ids, isDryRun, by } = request;
  if (decision.kind === 'repair') return repairMany(deps, request, decision.hash);
  const ones: OneDecided[] = [];
  for (const id of ids) {
    const before = (await findDrift(deps.store.read, id))?.status;
    const { kind } = await (isDryRun
      ? deps.store.write((tx) => previewOne(tx, deps, { id, decision }))
      : decision.kind === 'accept'
        ? acceptOne(deps, id)
        : ignoreDrift(deps, id, { ...decision, by }));
    ones.push({ id, kind, before });
  }
  return { kind: 'done', ones, plan: undefined };
}

/** Tells what a decision would come to, as far as it is known without a call. */
async function previewOne(
  tx: Db,
  deps: DecisionDeps,
  { id, decision }: { readonly id: string; readonly decision: ManyDecision },
): Promise<Pick<OneDecided, 'kind'>> {
  const drift = await findDrift(tx, id);
  if (drift === undefined) return { kind: 'unknown' };
  if (!isUndecided(drift)) return { kind: 'not-open' };
  if (decision.kind === 'ignore' || isUnmanagedKind(drift.kind)) return { kind: 'done' };
  return { kind: (await isDriftStillSo(tx, deps, drift)) ? 'done' : 'not-possible' };
}

async function repairMany(
  deps: DecisionDeps,
  request: ManyRequest,
  hash: string | undefined,
): Promise<ManyDecided> {
  const { decided, discarded } = await deps.store.write(async (tx) => {
    await enterRules(tx, deps.rules, 'names');
    const { ones, drifts } = await sortOut(tx, deps, request.ids);
    if (drifts.length === 0) return toUndone({ kind: 'done', ones, plan: undefined });
    const now = deps.clock.now();
    const plan = await toPlan(tx, deps, drifts);
    if (request.isDryRun) return toUndone({ kind: 'done', ones, plan });
    const obstacle = findMismatch(plan, hash);
    if (obstacle !== undefined) return toUndone({ kind: obstacle, ones, plan });
    // What the operator has seen counts for no limit.
    const automatic = hash === undefined ? 1 : 0;
    const standing = { ...BY_OPERATOR, automatic, by: request.by, now };
    const { id } = await planRepairs(tx, drifts, standing);
    const empty = await dropRepairs(tx, drifts, now);
    return { decided: { kind: 'done', ones, plan: { ...plan, id } } as const, discarded: empty };
  });
  tellDiscarded(deps.events, discarded);
  return decided;
}

/** A result after which every plan is as it was. */
function toUndone(decided: ManyDecided): {
  readonly decided: ManyDecided;
  readonly discarded: readonly PlanRow[];
} {
  return { decided, discarded: [] };
}

/** The drifts that can be repaired, and what becomes of each. */
async function sortOut(
  tx: Db,
  deps: DecisionDeps,
  ids: readonly string[],
): Promise<{ readonly ones: OneDecided[]; readonly drifts: DriftRow[] }> {
  const ones: OneDecided[] = [];
  const drifts: DriftRow[] = [];
  const found = await lockDrifts(tx, ids);
  for (const id of ids) {
    const drift = found.get(id);
    const kind = await findRefusal(tx, deps, drift);
    ones.push({ id, kind: kind ?? 'done', before: drift?.status });
    if (kind === undefined && drift !== undefined) drifts.push(drift);
  }
  return { ones, drifts };
}

async function toPlan(tx: Db, deps: DecisionDeps, drifts: readonly DriftRow[]): Promise<ManyPlan> {
  const actions = drifts.map(toPlanAction);
  const exceeded = await listExceeded(tx, deps, drifts);
  return { id: undefined, hash: toHash(actions), counts: countActions(actions), exceeded };
}

/** The reason why a plan is not the one that is meant; undefined: it is. */
function findMismatch(
  { hash, exceeded }: ManyPlan,
  seen: string | undefined,
): 'other-hash' | 'above-limits' | undefined {
  if (seen === undefined) return exceeded.length > 0 ? 'above-limits' : undefined;
  return seen === hash ? undefined : 'other-hash';
}

/** The reason why a drift cannot be repaired; undefined: it can. */
async function findRefusal(
  tx: Db,
  deps: DecisionDeps,
  drift: DriftRow | undefined,
): Promise<Exclude<DriftDecision['kind'], 'done'> | undefined> {
  if (drift === undefined) return 'unknown';
  if (!isUndecided(drift)) return 'not-open';
  return (await findHindrance(tx, deps, drift))?.kind;
}
