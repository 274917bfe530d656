import { toAdoptionWords } from '../../domain/adoption.ts';
import { type DriftStatus, isUnmanagedKind } from '../../domain/drift.ts';
import { countActions, type PlanCounts, toHash } from '../../plan/plan-summary.ts';
import { enterRules } from '../../rules/follow.ts';
import { changeDrifts, type DriftRow, listDrifts, toRepair } from '../../store/drifts.ts';
import { type Db, rehearse } from '../../store/store.ts';
import { tellPlan } from '../add-plan.ts';
import { acceptDrift, IS_CHANGED } from './accept.ts';
import { findCurrent, isStillSo } from './current.ts';
import type { DecisionDeps, Takeover } from './deps.ts';
import { dropRepairs, listExceeded, lockDrifts, planRepairs, toRepairs } from './make-plan.ts';
import { findObstacle } from './obstacle.ts';

/** Repair of drifts, with what is approved: a plan within the limits, the one that was shown, or any. */
interface Repair {
  readonly kind: 'repair';
  readonly approved: 'within-limits' | 'any' | { readonly hash: string };
}

/**
 * Decision of an operator about drifts.
 * - `accept`: what the service holds is what is desired; never of what is unmanaged
 * - `adopt`: what is unmanaged is taken over, where it is not privileged
 * - `ignore`: they are left alone until then (epoch milliseconds)
 */
export type ManyDecision =
  | Repair
  | { readonly kind: 'accept' }
  | { readonly kind: 'adopt'; readonly provider: string }
  | { readonly kind: 'ignore'; readonly until: number; readonly reason: string };

/** Request for a decision about drifts. */
export interface ManyRequest {
  readonly ids: readonly string[];
  readonly decision: ManyDecision;
  /** True: nothing is done, and what would be is told. */
  readonly isDryRun: boolean;
  /** Name of the operator. */
  readonly by: string;
}

/** Reason why nothing is decided about a drift: there is none, it is over or being repaired, or it cannot be done. */
interface Refusal {
  readonly code: 'unknown' | 'not-open' | 'not-possible';
  /** Sentence. */
  readonly reason: string;
}

/** Outcome of a decision for one of many drifts. */
interface OneDecided {
  readonly id: string;
  /** Undefined: it is decided. */
  readonly refusal: Refusal | undefined;
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

/** Decides about drifts: repairs are one plan. A dry run does the same and is undone. */
export async function decideMany(deps: DecisionDeps, request: ManyRequest): Promise<ManyDecided> {
  const { decision, ids, isDryRun } = request;
  if (decision.kind === 'repair') return repairMany(deps, request, decision);
  const ones: OneDecided[] = [];
  for (const id of ids) {
    const isAdoption = decision.kind === 'adopt';
    const how = isAdoption && { provider: decision.provider, isDryRun };
    ones.push(await (how ? adoptOne(deps, id, how) : decideOne(deps, id, request)));
  }
  return { kind: 'done', ones, plan: undefined };
}

/** Adopts in a transaction of its own, after a look at the service where that is needed. */
async function adoptOne(deps: DecisionDeps, id: string, how: Takeover): Promise<OneDecided> {
  const [drift] = await listDrifts(deps.store.read, [id]);
  const refusal = await findRefusal(drift, async ({ kind, resource_type: type, resource_id }) => {
    if (!isUnmanagedKind(kind)) return toAdoptionWords({ kind: 'managed' });
    const adoption = await deps.adopt({ type, id: resource_id }, how);
    return adoption.kind === 'adopted' ? undefined : toAdoptionWords(adoption);
  });
  return { id, refusal, before: drift?.status };
}

/** Decides about one. Its repair drops out of the plan that has it, which would overrule the decision. */
async function decideOne(
  deps: DecisionDeps,
  id: string,
  { decision, isDryRun, by: noted_by }: ManyRequest,
): Promise<OneDecided> {
  const { store, rules, clock, events } = deps;
  const decide = async (tx: Db) => {
    await enterRules(tx, rules, 'names');
    const drift = (await lockDrifts(tx, [id])).get(id);
    const refusal = await findRefusal(drift, async (open) => {
      if (decision.kind !== 'ignore') return acceptDrift(tx, deps, open);
      const { until: ignored_until, reason: note } = decision;
      await changeDrifts(tx, [open], { status: 'ignored', ignored_until, note, noted_by });
      return undefined;
    });
    const decided = drift === undefined || refusal !== undefined ? [] : [drift];
    const discarded = await dropRepairs(tx, decided, clock.now());
    return { one: { id, refusal, before: drift?.status }, discarded };
  };
  if (isDryRun) return (await rehearse(store, decide)).one;
  const { one, discarded } = await store.write(decide);
  for (const plan of discarded) tellPlan(events, plan, 0);
  return one;
}

const UNDECIDED: ReadonlySet<DriftStatus> = new Set(['open', 'contested', 'ignored']);

/** Finds the reason why a drift is not decided; `findWhy` tells it of one that is neither over nor being repaired. */
async function findRefusal(
  drift: DriftRow | undefined,
  findWhy: (drift: DriftRow) => Promise<string | undefined>,
): Promise<Refusal | undefined> {
  if (drift === undefined) return { code: 'unknown', reason: 'There is no drift with this id.' };
  if (!UNDECIDED.has(drift.status))
    return { code: 'not-open', reason: `It is ${drift.status} already.` };
  const reason = await findWhy(drift);
  return reason === undefined ? undefined : { code: 'not-possible', reason };
}

async function repairMany(
  deps: DecisionDeps,
  { ids, isDryRun, by }: ManyRequest,
  { approved }: Repair,
): Promise<ManyDecided> {
  const { decided, discarded } = await deps.store.write(async (tx) => {
    await enterRules(tx, deps.rules, 'names');
    const { ones, drifts } = await sortOut(tx, deps, ids);
    const actions = toRepairs(drifts);
    if (actions.length === 0) {
      return { decided: { kind: 'done', ones, plan: undefined } as const, discarded: [] };
    }
    const exceeded = await listExceeded(tx, deps, actions);
    const plan = { id: undefined, hash: toHash(actions), counts: countActions(actions), exceeded };
    const kind = isDryRun ? 'done' : findMismatch(plan, approved);
    const decided: ManyDecided = { kind, ones, plan };
    if (isDryRun || kind !== 'done') return { decided, discarded: [] };
    const now = deps.clock.now();
    // What the operator has seen counts for no limit.
    const automatic = approved === 'within-limits' ? 1 : 0;
    const { id } = await planRepairs(tx, drifts, { ...BY_OPERATOR, automatic, by, now });
    const discarded = await dropRepairs(tx, drifts, now);
    return { decided: { ...decided, plan: { ...plan, id } }, discarded };
  });
  for (const plan of discarded) tellPlan(deps.events, plan, 0);
  return decided;
}

/** Standing of a plan of repairs that an operator asks for: it is followed at once. */
const BY_OPERATOR = { status: 'approved', source: 'operator', reason: null } as const;

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
    const refusal = await findRefusal(drift, (open) => findHindrance(tx, deps, open));
    ones.push({ id, refusal, before: drift?.status });
    if (refusal === undefined && drift !== undefined) drifts.push(drift);
  }
  return { ones, drifts };
}

/** Finds the reason why a drift cannot be repaired; undefined: it can. */
async function findHindrance(
  tx: Db,
  deps: DecisionDeps,
  drift: DriftRow,
): Promise<string | undefined> {
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: nothing of it is changed.';
  const obstacle = await findObstacle(tx, deps, repair);
  if (obstacle !== undefined) return obstacle;
  // Nothing locks the user or group, because the release looks again.
  const current = await findCurrent(tx, deps, { type: repair.type, id: repair.resourceId });
  return current !== undefined && isStillSo(current, repair) ? undefined : IS_CHANGED;
}

/** Tells whether a plan is the one that is meant. */
function findMismatch(
  { hash, exceeded }: Pick<ManyPlan, 'hash' | 'exceeded'>,
  approved: Repair['approved'],
): ManyDecided['kind'] {
  if (approved === 'any') return 'done';
  if (approved === 'within-limits') return exceeded.length > 0 ? 'above-limits' : 'done';
  return approved.hash === hash ? 'done' : 'other-hash';
}
