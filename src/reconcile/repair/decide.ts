import { DRIFT_KINDS, HARM_WINDOW_MS, isGranting, isUnmanagedKind } from '../../domain/change.ts';
import { REPAIR_SOURCES } from '../../domain/plan.ts';
import { DEFAULT_PROVIDER, toAdoptionWords } from '../../domain/provider.ts';
import { enterRules } from '../../rules/follow.ts';
import { isSource } from '../../rules/rules.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { changeDrifts, toRepair } from '../../store/drifts.ts';
import type { PlanRow } from '../../store/plans.ts';
import { countPlanActions, lockPlans } from '../../store/plans.ts';
import { findRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { rehearse } from '../../store/store.ts';
import { countWhere, findOne, listWhere, updateWhere } from '../../store/tables.ts';
import type { ProcessDeps, ReconcileDeps } from '../deps.ts';
import { isStillSo, lockCurrent } from '../differences.ts';
import type { NewPlan } from '../plans.ts';
import { addPlan, listExceeded, sumUp, tellPlan } from '../plans.ts';
import { acceptDrift, findObstacle, IS_CHANGED } from './desire.ts';

/** Largest number of drifts that one decision is about, the oldest first; more are left to the next one. */
const DRIFTS_MAX = 10_000;
/** Repairs of the same drift in 24 hours, after which it is only reported. */
const REPAIRS_MAX = 3;

/** Occasion of a decision. `audit`: only some were looked at, so a waiting plan stays. `dry-run`: nothing follows. */
export type DecisionSource = 'sweep' | 'audit' | 'dry-run';

/** Accepts some known drifts by the policy, and plans the repair of others: the plan waits for an operator if it harms too much. */
export async function decide(
  deps: ReconcileDeps,
  source: DecisionSource,
): Promise<PlanRow | undefined> {
  const { plan, accept } = await deps.store.write(async (tx) => {
    if (source !== 'dry-run') await enterRules(tx, deps.rules, 'names');
    await lockPlans(tx);
    const known = await sortKnown(tx, deps);
    const accept = source === 'dry-run' ? [] : known.accept;
    for (const drift of accept) await acceptDrift(tx, deps, drift);
    return { plan: await planByPolicy(tx, deps, { source, drifts: known.repair }), accept };
  });
  // Rules may derive changes of others from what was accepted.
  if (accept.length > 0) deps.store.bell.ring('due');
  // What is unmanaged was not accepted: each is taken over in a transaction of its own.
  for (const { kind, resource_type: type, resource_id: id } of accept)
    if (isUnmanagedKind(kind)) await deps.adopt(type, { ...BY_POLICY, id });
  if (plan !== undefined) tellPlan(deps.events, plan);
  return plan;
}

const BY_POLICY = { provider: DEFAULT_PROVIDER, privileged: 'refuse', isDryRun: false } as const;

async function sortKnown(tx: Db, deps: ReconcileDeps) {
  const { default: otherwise, kinds: named } = deps.policy.drift;
  // The default never reaches unmanaged ones.
  const kind = DRIFT_KINDS.filter(
    (one) => (named[one] ?? (isUnmanagedKind(one) ? 'report' : otherwise)) !== 'report',
  );
  // An operator wanted them left alone until now.
  const over = { status: 'ignored', ignored_until: { '<=': deps.clock.now() } } as const;
  await updateWhere(tx, 'drifts', over, { status: 'open', ignored_until: null });
  const known = { status: ['open', 'contested'], kind } as const;
  const repair: DriftRow[] = [];
  const accept: DriftRow[] = [];
  for (const row of await listWhere(tx, 'drifts', known, { order: 'seq', limit: DRIFTS_MAX })) {
    const action = await findReaction(tx, deps, row);
    if (action === 'accept') accept.push(row);
    if (action === 'repair' && (await mayRepair(tx, deps, row))) repair.push(row);
  }
  return { repair, accept };
}

/** The default accepts nothing that grants more, and nothing of a group from which rules or outer groups derive something. */
async function findReaction(tx: Db, { policy, rules }: ReconcileDeps, row: DriftRow) {
  const { default: otherwise, kinds } = policy.drift;
  const named = kinds[row.kind];
  const repair = toRepair(row);
  if (named || otherwise !== 'accept' || repair === undefined) return named ?? otherwise;
  const { kind, resource_type: type, resource_id: id } = repair;
  // Rules may have a say about another name.
  const isNamed = kind === 'group.rename' && !rules.book.isEmpty;
  if (isGranting(repair) || isNamed) return 'report';
  const group = type === 'group' ? await findRow(tx, { type, id }) : undefined;
  return group?.type === 'group' && (await isSource(tx, rules, group)) ? 'report' : 'accept';
}

/** A drift that returns again and again is contested between people: it is only reported, as one with an obstacle is. */
async function mayRepair(tx: Db, deps: ReconcileDeps, row: DriftRow): Promise<boolean> {
  const repair = toRepair(row);
  if (repair === undefined) return false;
  const { kind, resource_id, member_id } = row;
  const ended_at = { '>': deps.clock.now() - HARM_WINDOW_MS };
  const before = { resource_id, member_id, kind, status: 'repaired', ended_at } as const;
  const status = (await countWhere(tx, 'drifts', before)) >= REPAIRS_MAX ? 'contested' : 'open';
  const note = (await findObstacle(tx, deps, repair)) ?? null;
  if (status !== row.status || note !== row.note) await changeDrifts(tx, [row], { status, note });
  return status === 'open' && note === null;
}

async function planByPolicy(
  tx: Db,
  deps: ReconcileDeps,
  { source, drifts }: { source: DecisionSource; drifts: readonly DriftRow[] },
): Promise<PlanRow | undefined> {
  const held = await findOne(tx, 'plans', { status: 'held', source: REPAIR_SOURCES });
  // Only one plan can wait; the next sweep makes one of everything.
  if (held !== undefined && source === 'audit') return undefined;
  const actions = toRepairs(drifts);
  const now = deps.clock.now();
  if (held !== undefined && source === 'sweep') {
    // What differs again after it dropped out of a plan is in none.
    const isWhole = !(await countPlanActions(tx, held.id)).has('dropped');
    if (isWhole && held.hash === sumUp(actions).hash) return held;
    const end = { reason: 'superseded', decided_at: now, ended_at: now };
    await updateWhere(tx, 'plans', { id: held.id }, { status: 'discarded', ...end });
  }
  if (actions.length === 0) return undefined;
  const standing = { source: source === 'audit' ? source : 'sweep', automatic: 1, now } as const;
  if (source === 'dry-run')
    return addPlan(tx, actions, { ...standing, status: 'discarded', reason: source });
  const exceeded = await listExceeded(tx, deps, actions);
  const status = exceeded.length > 0 ? 'held' : 'approved';
  return planRepairs(tx, drifts, { ...standing, status, reason: exceeded.join('; ') || null });
}

async function planRepairs(tx: Db, drifts: readonly DriftRow[], standing: NewPlan) {
  const plan = await addPlan(tx, toRepairs(drifts), standing);
  await changeDrifts(tx, drifts, { plan_id: plan.id });
  if (plan.status === 'approved') await changeDrifts(tx, drifts, { status: 'repairing' });
  return plan;
}

const toRepairs = (drifts: readonly DriftRow[]) => drifts.flatMap((drift) => toRepair(drift) ?? []);

/** Request of an operator for a decision about drifts. */
export interface ManyRequest {
  readonly ids: readonly string[];
  /** `repair`: by one plan, which has this hash or is within the limits. `adopt`: what is unmanaged. `until`: epoch milliseconds. */
  readonly decision:
    | { readonly kind: 'repair'; readonly hash: string | undefined }
    | { readonly kind: 'accept' }
    | { readonly kind: 'adopt'; readonly provider: string }
    | { readonly kind: 'ignore'; readonly until: number; readonly reason: string };
  /** True: nothing is done; the answer says what would be done. */
  readonly isDryRun: boolean;
  readonly by: string;
}

/** What became of each, and the plan of the repairs; with `other-hash` and `above-limits` nothing was done. */
export type ManyDecided = Awaited<ReturnType<typeof decideMany>>;

/** `before`: the status before the decision. `refusal`: why it is not decided. */
type OneDecided = Awaited<ReturnType<typeof judge>>;

/** Decides about drifts in one transaction: repairs are one plan. A dry run does the same and is undone. */
export async function decideMany(deps: ProcessDeps, request: ManyRequest) {
  const { store } = deps;
  const { ids, decision, isDryRun } = request;
  if (decision.kind !== 'adopt') {
    const work = (tx: Db) => decideIn(tx, deps, request);
    return isDryRun ? rehearse(store, work) : store.write(work);
  }
  const { provider } = decision;
  const ones: OneDecided[] = [];
  // Each in a transaction of its own, after a look at the service where that is needed.
  for (const id of ids) {
    const drift = await findOne(store.read, 'drifts', { id });
    const one = await judge(id, drift, async ({ kind, resource_type: type, resource_id }) => {
      if (!isUnmanagedKind(kind)) return toAdoptionWords({ kind: 'managed' });
      const asked = { id: resource_id, provider, privileged: 'refuse', isDryRun } as const;
      const adoption = await deps.adopt(type, asked);
      return adoption.kind === 'adopted' ? undefined : toAdoptionWords(adoption);
    });
    ones.push(one);
  }
  return { kind: 'done', ones, plan: undefined } as const;
}

async function decideIn(tx: Db, deps: ProcessDeps, request: ManyRequest) {
  await enterRules(tx, deps.rules, 'names');
  // Nothing of them is released until the transaction ends.
  await lockPlans(tx);
  const known = await listWhere(tx, 'drifts', { id: request.ids });
  const found = new Map(known.map((drift) => [drift.id, drift]));
  const ones: OneDecided[] = [];
  for (const id of request.ids) {
    ones.push(await judge(id, found.get(id), (open) => decideOne(tx, deps, open, request)));
  }
  const drifts = ones.flatMap(({ id, refusal }) => (refusal ? [] : (found.get(id) ?? [])));
  const planned = await planAsked(tx, deps, drifts, request);
  for (const { plan_id, change: kind, resource_id, member_id } of drifts) {
    if (planned.kind !== 'done' || plan_id === null || kind === null) continue;
    // The plan that has its repair would overrule the decision.
    const before = { plan_id, status: 'planned', kind, resource_id, member_id } as const;
    await updateWhere(tx, 'plan_actions', before, { status: 'dropped' });
  }
  return { ...planned, ones };
}

/** `work` returns why a drift that is open is not decided. */
async function judge(
  id: string,
  drift: DriftRow | undefined,
  work: (drift: DriftRow) => Promise<string | undefined>,
) {
  const toOne = (code: 'unknown' | 'not-open' | 'not-possible', reason: string | undefined) => {
    return { id, before: drift?.status, refusal: reason === undefined ? reason : { code, reason } };
  };
  if (drift === undefined) return toOne('unknown', 'There is no drift with this id.');
  const isUndecided = /^(open|contested|ignored)$/.test(drift.status);
  if (!isUndecided) return toOne('not-open', `It is ${drift.status} already.`);
  return toOne('not-possible', await work(drift));
}

async function decideOne(
  tx: Db,
  deps: ProcessDeps,
  drift: DriftRow,
  { decision, by: noted_by }: ManyRequest,
): Promise<string | undefined> {
  if (decision.kind === 'accept') return acceptDrift(tx, deps, drift);
  if (decision.kind === 'ignore') {
    const { until: ignored_until, reason: note } = decision;
    await changeDrifts(tx, [drift], { status: 'ignored', ignored_until, note, noted_by });
    return undefined;
  }
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: nothing of it is changed.';
  const obstacle = await findObstacle(tx, deps, repair);
  if (obstacle !== undefined) return obstacle;
  const current = await lockCurrent(tx, deps, { type: drift.resource_type, id: drift.resource_id });
  return current !== undefined && isStillSo(current, repair) ? undefined : IS_CHANGED;
}

/** Makes the plan of the repairs that an operator asks for, if it is the one that is meant. It is followed at once. */
async function planAsked(
  tx: Db,
  deps: ProcessDeps,
  drifts: readonly DriftRow[],
  { decision, isDryRun, by }: ManyRequest,
) {
  const actions = toRepairs(drifts);
  if (decision.kind !== 'repair' || actions.length === 0)
    return { kind: 'done', plan: undefined } as const;
  const { hash } = decision;
  const exceeded = await listExceeded(tx, deps, actions);
  const plan = { id: undefined, ...sumUp(actions), exceeded };
  if (isDryRun) return { kind: 'done', plan } as const;
  if (hash === undefined && exceeded.length > 0) return { kind: 'above-limits', plan } as const;
  if (hash !== undefined && hash !== plan.hash) return { kind: 'other-hash', plan } as const;
  // What the operator has seen counts for no limit.
  const automatic = hash === undefined ? 1 : 0;
  const standing = { status: 'approved', source: 'operator', automatic, decided_by: by } as const;
  const { id } = await planRepairs(tx, drifts, { ...standing, now: deps.clock.now() });
  return { kind: 'done', plan: { ...plan, id } } as const;
}
