import { isDeepStrictEqual } from 'node:util';
import type { ChangeKind } from '../../domain/change.ts';
import { findHarm, isHandOver } from '../../domain/change.ts';
import { listEntityFields } from '../../domain/entity.ts';
import { isGone, isWorking } from '../../domain/kinds.ts';
import { disownLink } from '../../domain/link.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { HOLDING_SOURCES, toPlace } from '../../domain/plan.ts';
import type { TermsChange } from '../../domain/provider.ts';
import type { GivenKey, JsonValue } from '../../domain/values.ts';
import { isJsonObject } from '../../domain/values.ts';
import { enterRules } from '../../rules/follow.ts';
import { isSource } from '../../rules/rules.ts';
import { findTerms, isProvider } from '../../store/credentials.ts';
import { changeDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { NOTHING_OPEN, toColumns } from '../../store/engine/columns.ts';
import { changeLinks, hasLink, listLinks } from '../../store/links/links.ts';
import { mayHaveMade } from '../../store/logs.ts';
import type { PlanActionRow, PlanRow } from '../../store/plans.ts';
import { listHeldChanges, lockPlans } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { findRow, lockRow, saveRow } from '../../store/resources/rows.ts';
import { isAtWork, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listWhere, updateWhere } from '../../store/tables.ts';
import type { ProcessDeps } from '../deps.ts';
import { toUnmanaged } from '../differences.ts';
import { addPlan, tellPlan } from '../plans.ts';
import type { ManyRequest } from './decide.ts';
import { decideMany } from './decide.ts';
import { followTerms, restage } from './terms.ts';

/** Decisions of operators, in any process; the leader follows them. */
export type DriftDecisions = ReturnType<typeof createDriftDecisions>;

/** Creates the decisions of one process. */
export function createDriftDecisions(deps: ProcessDeps) {
  const followed = <Result>(decision: Promise<Result>) =>
    decision.finally(() => {
      for (const what of ['decided', 'due'] as const) deps.store.bell.ring(what);
    });
  return {
    decidePlan: (plan: PlanRow, how: PlanDecision) => followed(decidePlan(deps, plan, how)),
    undo: (plan: PlanRow, by: string) => followed(undoPlan(deps, plan, by)),
    many: (request: ManyRequest) => followed(decideMany(deps, request)),
    stopManaging: (key: GivenKey) => followed(stopManaging(deps, key)),
    followTerms: (tx: Db, change: TermsChange) => followTerms(tx, deps, change),
    handOver: (all: readonly HandOver[], reason: string) =>
      followed(planHandover(deps, all, reason)),
  };
}

/** `by`: the operator's name. A discard needs no hash. */
interface PlanDecision {
  readonly status: 'approved' | 'discarded';
  readonly hash: string | undefined;
  readonly by: string;
}

/** Returns the plan as it is then; undefined: it does not wait, or has another hash. */
async function decidePlan(
  { store, clock, events }: ProcessDeps,
  { id, source }: PlanRow,
  { status, hash, by }: PlanDecision,
): Promise<PlanRow | undefined> {
  const now = clock.now();
  // What a holding plan is about is accepted first: then it is over.
  const isHolding = HOLDING_SOURCES.some((one) => one === source);
  const ended_at = status === 'approved' || isHolding ? null : now;
  // An operator decided, so the plan counts for no limit.
  const change = { status, automatic: 0, decided_at: now, decided_by: by, ended_at };
  const decided = await store.write(async (tx) => {
    await lockPlans(tx);
    const [plan] = await updateWhere(tx, 'plans', { id, hash, status: 'held' }, change);
    const repaired = { plan_id: id, status: ['open', 'contested'] } as const;
    if (plan?.status === 'approved')
      await updateWhere(tx, 'drifts', repaired, { status: 'repairing' });
    return plan;
  });
  if (decided !== undefined) tellPlan(events, decided);
  return decided;
}

/** Plans the opposite of what a plan did, where the service did not hold it already and no provider wrote it since. `leftOut`: the number of other changes. */
async function undoPlan(deps: ProcessDeps, plan: PlanRow, by: string) {
  return deps.store.write(async (tx) => {
    // Two simultaneous requests to undo come one after the other.
    await lockPlans(tx);
    const before = await findOne(tx, 'plans', { undoes: plan.id, status: 'approved' });
    if (before !== undefined) return { kind: 'undoing', plan: before } as const;
    const of = { plan_id: plan.id, status: 'done' } as const;
    const done = await listWhere(tx, 'plan_actions', of, { order: 'id' });
    const actions: PlanAction[] = [];
    for (const row of done) actions.push(...(await findOpposite(tx, deps, { plan, row })));
    const leftOut = done.length - actions.length;
    if (actions.length === 0) return { kind: 'nothing', leftOut } as const;
    const standing = { status: 'approved', source: 'undo', undoes: plan.id } as const;
    const now = deps.clock.now();
    const undoing = await addPlan(tx, actions, { ...standing, decided_by: by, now });
    return { kind: 'done', plan: undoing, leftOut } as const;
  });
}

const OPPOSITES: Readonly<Partial<Record<ChangeKind, ChangeKind>>> = {
  'user.deactivate': 'user.activate',
  'user.activate': 'user.deactivate',
  'member.remove': 'member.add',
  'member.add': 'member.remove',
  'admin.remove': 'admin.add',
  'admin.add': 'admin.remove',
  'user.hand-over': 'user.hand-over',
  'group.hand-over': 'group.hand-over',
};

async function findOpposite(
  db: Db,
  deps: ProcessDeps,
  { plan, row }: { readonly plan: PlanRow; readonly row: PlanActionRow },
): Promise<readonly PlanAction[]> {
  // Others put the member in, and rules gave nothing for it.
  const isStranger = !/^(provider|undo)$/.test(plan.source) && row.kind === 'member.remove';
  const group = isStranger ? await findRow(db, { type: 'group', id: row.resource_id }) : undefined;
  if (group?.type === 'group' && (await isSource(db, deps.rules, group))) return [];
  const kind = OPPOSITES[row.kind];
  const isOurs = isHandOver(row.kind) || (await mayHaveMade(db, row));
  if (!kind || !isOurs || !(await isStillDesired(db, deps, row))) return [];
  const opposite = { ...row, kind, desired: row.observed, observed: row.desired };
  return [{ ...opposite, harm: findHarm(opposite) }];
}

async function isStillDesired(db: Db, { policy }: ProcessDeps, action: PlanAction) {
  const { resource_type: type, resource_id: id, desired } = action;
  const row = await findRow(db, { type, id });
  if (row === undefined || row.deleted_at !== null || !isJsonObject(desired)) return false;
  if (isHandOver(action.kind)) return isOwnedAs(row, desired);
  const place = toPlace(action);
  if (place.kind === 'link') {
    const { list, userId } = place;
    const [link] = await listLinks(db, row, { list, userIds: [userId] });
    return (link?.desired === 1) === (desired.present === true);
  }
  if (row.type === 'group') return false;
  const wanted = toUserState(row).desired;
  return isWorking(wanted, policy.deactivation) === (desired.active === true);
}

/** A user or group that goes from one provider to another, or to none (null): each with the id by which it knows that one, null for none. */
export interface HandOver extends GivenKey {
  readonly from: { readonly provider: string; readonly externalId: string | null };
  readonly to: { readonly provider: string | null; readonly externalId: string | null };
  /** True for a user who is deactivated before. */
  readonly isDeactivated: boolean;
}

/** Plans a handover for an operator to approve, unless one waits already. @param reason in words */
async function planHandover(
  { store, clock, events }: ProcessDeps,
  handovers: readonly HandOver[],
  reason: string,
): Promise<{ readonly kind: 'planned' | 'waits'; readonly plan: PlanRow }> {
  const waiting = { status: 'held', source: 'handover' } as const;
  const planned = await store.write(async (tx) => {
    await lockPlans(tx);
    const before = await findOne(tx, 'plans', waiting);
    if (before !== undefined) return { kind: 'waits', plan: before } as const;
    const actions = handovers.flatMap(({ type, id, from, to, isDeactivated }): PlanAction[] => {
      const subject = { resource_type: type, resource_id: id, member_id: '' };
      const values = { desired: { ...to }, observed: { ...from }, harm: null };
      const given = { ...subject, ...values, kind: `${type}.hand-over` } as const;
      const off = { desired: { active: false }, observed: { active: true } };
      const deactivation = { ...off, kind: 'user.deactivate', harm: 'deactivate' } as const;
      return isDeactivated ? [{ ...subject, ...deactivation }, given] : [given];
    });
    const plan = await addPlan(tx, actions, { ...waiting, reason, now: clock.now() });
    return { kind: 'planned', plan } as const;
  });
  if (planned.kind === 'planned') tellPlan(events, planned.plan);
  return planned;
}

/** Gives a user or group to another provider, or to none, unless it has changed hands since. Nothing of it reaches the service. */
export async function handOver(
  tx: Db,
  deps: ProcessDeps,
  row: ResourceRow,
  { desired, observed }: PlanAction,
): Promise<boolean> {
  const { provider, externalId } = isJsonObject(desired) ? desired : {};
  if (!isOwnedAs(row, observed)) return false;
  if (provider === null) return (await release(tx, deps, row)).kind === 'released';
  if (typeof provider !== 'string' || !(await isProvider(tx, provider))) return false;
  const { externalId: _, ...others } = row.attributes;
  const attributes = typeof externalId === 'string' ? { ...others, externalId } : others;
  // No name changes, so nobody is followed by one.
  const columns = toColumns(row.type, attributes);
  const now = deps.clock.now();
  const handed = { ...row, ...columns, provider, version: row.version + 1, modified_at: now };
  // What its provider kept from being made may be made now.
  await saveRow(tx, row, { ...handed, due_at: now });
  await restage(tx, deps, handed, await findTerms(tx, provider));
  return true;
}

/** `owned`: the provider and the id, as a plan has them. */
function isOwnedAs(row: ResourceRow, owned: JsonValue): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  return isDeepStrictEqual({ provider: row.provider, externalId: row.external_id }, owned);
}

/** Has the bridge only observe a user or group from now on, as the service holds it. Nothing reaches the service. */
const stopManaging = (deps: ProcessDeps, key: GivenKey) =>
  deps.store.write(async (tx) => {
    await enterRules(tx, deps.rules, 'names');
    const row = await lockRow(tx, key);
    if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' } as const;
    return row.origin === null ? ({ kind: 'unmanaged' } as const) : release(tx, deps, row);
  });

async function release(tx: Db, { clock, rules }: ProcessDeps, row: ResourceRow) {
  if (await isUnsettled(tx, row)) return { kind: 'waits' } as const;
  // Nothing of it would be left.
  if (row.observed === null || isGone(row.observed)) return { kind: 'not-in-service' } as const;
  if (await isRuled(tx, row, rules)) return { kind: 'ruled' } as const;
  const now = clock.now();
  const drifts = await listActiveDrifts(tx, [row.id]);
  await changeDrifts(tx, drifts, { status: 'gone', ended_at: now });
  if (row.type === 'group') await changeLinks(tx, row, {}, disownLink);
  const ended = { ...NOTHING_OPEN, modified_at: now, admins_asked: 0 };
  await saveRow(tx, row, { ...toUnmanaged<ResourceRow>(row), ...ended });
  return { kind: 'released', provider: row.provider } as const;
}

/** True where something of a user or group waits, is stuck or is held by a plan: the service differs, and that is no drift. */
export async function isUnsettled(db: Db, row: ResourceRow): Promise<boolean> {
  if (isAtWork(row) || (await listHeldChanges(db, [row.id])).length > 0) return true;
  return row.type === 'group' && hasLink(db, row, 'waiting');
}

/** True for a group from which rules or outer groups derive something: that ends with it, and the service would get that change. */
async function isRuled(tx: Db, row: ResourceRow, rules: ProcessDeps['rules']): Promise<boolean> {
  if (row.type === 'user') return false;
  const hasRoles = listEntityFields(row.cells).length > 0;
  return hasRoles || (await hasLink(tx, row, 'ruled')) || isSource(tx, rules, row);
}
