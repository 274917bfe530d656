import { createHash } from 'node:crypto';
import { isWaiting, listWaiting, onlyWaiting } from '../domain/cell.ts';
import type { HarmKind, HarmLimit } from '../domain/change.ts';
import {
  exceedsLimit,
  findLimit,
  HARM_KINDS,
  HARM_WINDOW_MS,
  listHarms,
  toChangeKey,
  toHarmWords,
} from '../domain/change.ts';
import type { LinkKey } from '../domain/link.ts';
import { dropChange, toLinkText } from '../domain/link.ts';
import type { PlanAction } from '../domain/plan.ts';
import { toPlace } from '../domain/plan.ts';
import { BridgeError, newId } from '../domain/values.ts';
import type { PlannedFact, Step } from '../plan/step.ts';
import { listFields, listParts, listLinks as listStepLinks, toChanges } from '../plan/step.ts';
import { changeLinks, listLinks } from '../store/links/links.ts';
import type { WrittenChange } from '../store/logs.ts';
import { countProviderHarm } from '../store/logs.ts';
import type { PlanRow } from '../store/plans.ts';
import {
  countPopulation,
  insertPlanActions,
  listAutomaticChanges,
  lockPlans,
} from '../store/plans.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { findRow, lockRow, updateRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { findOne, insertOne, listWhere, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import type { ReconcileDeps } from './deps.ts';
import { listChanges } from './differences.ts';

/** Hash of a plan over its actions and their preconditions, in any order, and its size. */
type PlanSum = Pick<PlanRow, 'hash' | 'counts'>;

const NOTHING: PlanSum = { hash: '', counts: { total: 0, kinds: {}, harm: {} } };

/** Sums up actions. @param before the sum of the plan to which they are added */
export function sumUp(actions: readonly PlanAction[], { hash, counts } = NOTHING): PlanSum {
  const lines = actions.map(({ kind, resource_id, member_id, desired, observed }) =>
    JSON.stringify([kind, resource_id, member_id, desired, observed]),
  );
  const text = [hash, ...lines.toSorted()].join('\n');
  const kinds = { ...counts.kinds };
  const harms = { ...counts.harm };
  for (const { kind, harm } of actions) {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (harm !== null) harms[harm] = (harms[harm] ?? 0) + 1;
  }
  return {
    hash: createHash('sha256').update(text).digest('hex').slice(0, 32),
    counts: { total: counts.total + actions.length, kinds, harm: harms },
  };
}

/** Standing of a new plan, which by default counts for no limit. `now`: epoch milliseconds. */
export type NewPlan = Pick<PlanRow, 'status' | 'source'> &
  Partial<Pick<PlanRow, 'reason' | 'automatic' | 'undoes' | 'decided_by'>> & {
    readonly now: number;
  };

/** Stores a plan of these actions. */
export async function addPlan(
  tx: Db,
  actions: readonly PlanAction[],
  { now, ...standing }: NewPlan,
): Promise<PlanRow> {
  const plan = await insertOne(tx, 'plans', {
    automatic: 0,
    ...standing,
    ...sumUp(actions),
    id: newId(),
    created_at: now,
    decided_at: standing.status === 'held' ? null : now,
    ended_at: standing.status === 'discarded' ? now : null,
  });
  await insertPlanActions(tx, { plan_id: plan.id, planned_at: now }, actions);
  return plan;
}

/** Adds changes to the plan of their source that waits; what it holds already stays as it is. Returns the plan if it is a new one. */
export async function addToHeld(
  tx: Db,
  actions: readonly PlanAction[],
  held: Pick<PlanRow, 'source' | 'reason'> & { readonly now: number },
): Promise<PlanRow | undefined> {
  if (actions.length === 0) return undefined;
  const { source, reason, now } = held;
  const plan = await findOne(tx, 'plans', { status: 'held', source });
  if (plan === undefined) return addPlan(tx, actions, { ...held, status: 'held' });
  const toKey = (action: PlanAction) => `${action.resource_id} ${toChangeKey(action)}`;
  const resource_id = [...new Set(actions.map((action) => action.resource_id))];
  const same = { plan_id: plan.id, status: 'planned', resource_id } as const;
  const known = new Set((await listWhere(tx, 'plan_actions', same)).map(toKey));
  const added = actions.filter((action) => !known.has(toKey(action)));
  if (added.length === 0) return undefined;
  await insertPlanActions(tx, { plan_id: plan.id, planned_at: now }, added);
  // It has another hash from then on, so nobody approves what was not shown.
  const change = { ...sumUp(added, plan), reason };
  await updateWhere(tx, 'plans', { id: plan.id }, change);
  return undefined;
}

/** Tells telemetry of a plan that was made or has another status now. */
export function tellPlan(events: Pick<Events, 'plan'>, plan: PlanRow): void {
  const { id: planId, status, source, counts } = plan;
  events.plan({ planId, status, source, actions: counts.total });
}

/** Harms that are counted at most, to stop providers and to report: health is asked for every few seconds. */
const HARM_MAX = 1_000_000;
const HARM_SHOWN_MAX = 10_000;

/** Removals that are more than providers may ask for; nothing of the call was sent. */
export class TooMuchHarm extends BridgeError {
  readonly harms: ReadonlySet<HarmKind>;

  constructor(harms: ReadonlySet<HarmKind>, words: string) {
    super('provider-limit', words);
    this.harms = harms;
  }
}

/** Counts the harms that providers did to more than so many subjects within 24 hours, and those to whom they could. */
async function countHarms(
  db: Db,
  harms: Iterable<HarmKind>,
  { now, above, max }: Readonly<Record<'now' | 'above' | 'max', number>>,
) {
  // An operator who approves a plan of removals has them counted anew.
  const approved = { source: 'provider', status: ['approved', 'applied'] } as const;
  const last = await findOne(db, 'plans', approved, { order: 'seq desc' });
  const since = Math.max(now - HARM_WINDOW_MS, last?.decided_at ?? 0);
  const counted: { harm: HarmKind; count: number; population: number }[] = [];
  for (const harm of harms) {
    const count = await countProviderHarm(db, { harm, since, max });
    if (count <= above) continue;
    counted.push({ harm, count, population: count + (await countPopulation(db, harm)) });
  }
  return counted;
}

/** Stops a written call if providers took access from more than `limits.provider` allows in 24 hours. @throws TooMuchHarm */
export async function assertWithinLimit(
  tx: Db,
  { policy: { providerHarm: limit }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  written: readonly WrittenChange[],
): Promise<void> {
  const harms = new Set(listHarms(written.filter(({ is_repair }) => is_repair === 0)));
  if (limit.count === 0 || harms.size === 0) return;
  const counting = { now: clock.now(), above: limit.count, max: HARM_MAX };
  const exceeded = (await countHarms(tx, harms, counting)).filter(
    ({ count, population }) => count * 100 > limit.percent * population,
  );
  if (exceeded.length === 0) return;
  const words = exceeded.map(
    ({ harm, count, population }) =>
      `${toHarmWords(harm, count)} in 24 hours, limits.provider allows ${limit.count} and ${limit.percent} % of ${population}`,
  );
  throw new TooMuchHarm(new Set(exceeded.map(({ harm }) => harm)), words.join('; '));
}

/** Lists in words the limits that repairs, or what they grant, would exceed together with those of the last 24 hours. */
export async function listExceeded(
  tx: Db,
  { policy: { repairHarm: limit }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  actions: readonly PlanAction[],
): Promise<string[]> {
  const asked = await withMembers(tx, actions);
  const limits = asked.flatMap((action) => findLimit(action) ?? []);
  if (limits.length === 0) return [];
  const done = await listAutomaticChanges(tx, clock.now() - HARM_WINDOW_MS);
  const all = [...asked, ...(await withMembers(tx, done))];
  const exceeded: string[] = [];
  for (const [name, harm] of new Map(limits.map((one) => [one.name, one.harm]))) {
    const same = all.filter((change) => findLimit(change)?.name === name);
    const count = new Set(same.map((one) => `${one.resource_id} ${one.member_id}`)).size;
    const population = await countPopulation(tx, harm);
    if (!exceedsLimit(limit, { count, population })) continue;
    exceeded.push(
      `${name}: ${count} in 24 hours of ${population}, more than ${limit.count} or ${limit.percent} %`,
    );
  }
  return exceeded;
}

/** Changes, with the members and admins of the groups that they create. */
async function withMembers(tx: Db, actions: readonly PlanAction[]): Promise<PlanAction[]> {
  const all = [...actions];
  for (const action of actions.filter(({ kind }) => kind === 'group.create')) {
    const row = await findRow(tx, { type: 'group', id: action.resource_id });
    for (const { list, userId: member_id, desired } of row ? await listLinks(tx, row) : [])
      if (desired === 1) all.push({ ...action, kind: `${list}.add`, member_id });
  }
  return all;
}

/** Lists the harms that providers did to more subjects within 24 hours than this limit allows; a large number is a lower bound. */
export async function listProviderHarm(
  db: Db,
  now: number,
  limit: HarmLimit,
): Promise<{ readonly harm: HarmKind; readonly count: number }[]> {
  const counted = await countHarms(db, HARM_KINDS, { now, above: 0, max: HARM_SHOWN_MAX });
  return counted.filter((one) => exceedsLimit(limit, one));
}

/** Moves the removals of a step from what waits into the plan of providers' removals, unless it was written since. */
export async function holdRemovals(
  deps: Pick<ReconcileDeps, 'store' | 'clock' | 'events' | 'policy'>,
  { row: planned, action: step }: { readonly row: ResourceRow; readonly action: Step },
  limit: TooMuchHarm,
): Promise<void> {
  const isTaken = (fact: PlannedFact) =>
    listHarms(toChanges(planned.type, { ...step, facts: [fact] }, undefined)).some((harm) =>
      limit.harms.has(harm),
    );
  const parts = listParts({ ...step, facts: step.facts.filter(isTaken) });
  const which = { fields: listFields(parts), links: listStepLinks(parts) };
  const plan = await deps.store.write(async (tx) => {
    await lockPlans(tx);
    const row: ResourceRow | undefined = await lockRow(tx, planned);
    if (row?.version !== planned.version) return undefined;
    const actions = await takeWaiting(tx, deps, row, which);
    // A leaver is waited for until the service holds it, whoever decides when that is; a group is not.
    if (row.type === 'group') await updateRow(tx, row, { asked_kind: null });
    const held = { source: 'provider', reason: limit.message, now: deps.clock.now() } as const;
    return addToHeld(tx, actions, held);
  });
  if (plan !== undefined) tellPlan(deps.events, plan);
}

/** Parts of a user or group. */
type Parts = { readonly fields: readonly string[]; readonly links: readonly LinkKey[] };

/** Takes what waits of a user or group, or these parts of it, out of what is to be done. Returns what differs there from then on. */
export async function takeWaiting(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  row: ResourceRow,
  which?: Parts,
): Promise<PlanAction[]> {
  const { fields, links, cells } = await dropWaiting(tx, row, which);
  const differing = await listChanges(tx, { ...row, cells }, policy.deactivation);
  return differing.filter((action) => {
    const place = toPlace(action);
    return place.kind === 'link'
      ? links.has(toLinkText(place))
      : place.fields.some((field) => fields.includes(field));
  });
}

/** Has nothing of a user or group wait any more, or none of these parts. Returns what has waited, and the cells that are left. */
export async function dropWaiting(tx: Db, row: ResourceRow, which?: Parts) {
  const waiting = listWaiting(row.cells);
  const fields = waiting.filter((field) => which?.fields.includes(field) ?? true);
  const left = waiting.filter((field) => !fields.includes(field));
  const cells = onlyWaiting(row.cells, left);
  await updateRow(tx, row, { cells });
  const named = which && new Set(which.links.map(toLinkText));
  const users = { userIds: which?.links.map(({ userId }) => userId) };
  const dropped = await changeLinks(
    tx,
    row,
    row.type === 'user' ? { userIds: [] } : users,
    (link) => (isWaiting(link) && (named?.has(toLinkText(link)) ?? true) ? dropChange(link) : link),
  );
  return { fields, links: new Set(dropped.map(toLinkText)), cells };
}
