import { ask } from '../../domain/cell.ts';
import { isHandOver } from '../../domain/change.ts';
import { userId } from '../../domain/ids.ts';
import { isOfRecovery } from '../../domain/plan.ts';
import { enterRules } from '../../rules/follow.ts';
import { changeDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { parseCells, parseStored, toDueClass } from '../../store/engine/columns.ts';
import { claimLinks } from '../../store/links/work.ts';
import {
  listPlanActions,
  type PlanActionRow,
  updatePlanActions,
} from '../../store/plans/actions.ts';
import { lockPlan, type PlanRow } from '../../store/plans/plans.ts';
import { isUserRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toStaleColumns } from '../retry-columns.ts';
import { isBelieved, listUnknownUsers } from './believe.ts';
import { type Current, isStillSo, lockCurrent, toKey, toPlace } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { desire } from './desire.ts';
import { handOverAll } from './hand-over.ts';
import { findObstacle } from './obstacle.ts';
import { addReleased } from './release-progress.ts';

/** Actions of one transaction. */
const PART = 200;
/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;

/**
 * Makes the next actions of an approved plan pending. An action that no longer holds is dropped. After a crash the next
 * process continues. False when no action was left.
 */
export async function releasePart(deps: DriftDeps, plan: PlanRow): Promise<boolean> {
  return deps.store.write(async (tx) => {
    // Another process may be releasing it as well.
    if ((await lockPlan(tx, plan.id))?.status !== 'approved') return false;
    if (plan.undoes !== null) await enterRules(tx, deps.rules, 'names');
    const query = { status: 'planned', afterId: 0, limit: PART } as const;
    const actions = await listPlanActions(tx, plan.id, query);
    const handovers = actions.filter(({ kind }) => isHandOver(kind));
    await handOverAll(tx, deps, handovers);
    const changes = actions.filter(({ kind }) => !isHandOver(kind));
    let resources = 0;
    for (const some of Map.groupBy(changes, ({ resource_id }) => resource_id).values()) {
      const [first] = some;
      if (first === undefined) continue;
      resources += Number(await releaseResource(tx, deps, { ...first, plan, actions: some }));
    }
    if (isOfRecovery(plan.source)) await addReleased(tx, resources, deps.clock.now());
    return actions.length > 0;
  });
}

interface Release extends Pick<PlanActionRow, 'resource_type' | 'resource_id'> {
  readonly plan: PlanRow;
  readonly actions: readonly PlanActionRow[];
}

/** True when some action of the resource holds. */
async function releaseResource(tx: Db, deps: DriftDeps, release: Release): Promise<boolean> {
  const { plan, actions } = release;
  const released: PlanActionRow[] = [];
  let current = await lockCurrent(tx, deps, release);
  for (const action of actions) {
    if (current === undefined || !(await prepare(tx, deps, { plan, action, current }))) continue;
    released.push(action);
    // Undoing changes the desired state, so the next action is compared with the new one.
    if (plan.undoes !== null) current = await lockCurrent(tx, deps, release);
  }
  const now = deps.clock.now();
  const left = actions.filter((action) => !released.includes(action));
  await updatePlanActions(tx, toIds(left), { status: 'dropped' });
  if (released.length === 0) return false;
  await updatePlanActions(tx, toIds(released), { status: 'released', released_at: now });
  const pending = { ...release, actions: released };
  await makePending(tx, deps, pending);
  await markRepairing(tx, pending);
  return true;
}

/** True when the action holds. An undo is made desired first. */
async function prepare(
  tx: Db,
  deps: DriftDeps,
  { plan, action, current }: { plan: PlanRow; action: PlanActionRow; current: Current },
): Promise<boolean> {
  const { kind, harm, resource_id: resourceId, member_id: memberId } = action;
  const repair = { kind, harm, resourceId, memberId };
  if ((await findObstacle(tx, deps, repair)) !== undefined) return false;
  if (plan.undoes === null) return isStillSo(current, action);
  return desire(tx, deps, current, { kind, memberId, value: parseStored(action.desired) });
}

/** Makes the parts of the actions pending, after a look where the last one is old. */
async function makePending(tx: Db, deps: DriftDeps, release: Release) {
  const { actions } = release;
  const current = await lockCurrent(tx, deps, release);
  if (current === undefined) return;
  const { row } = current;
  const now = deps.clock.now();
  const places = actions.map((action) => {
    const { kind, member_id: memberId } = action;
    return { ...toPlace({ kind, memberId, desired: parseStored(action.desired) }), memberId };
  });
  const fields = places.flatMap((place) => (place.kind === 'fields' ? place.fields : []));
  const cells = ask(parseCells<string>(row), fields, row.version);
  const isKnown = await isStillKnown(tx, release, { row, now });
  const change = {
    cells: JSON.stringify(cells),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: toDueClass(row.due_class === 0 || actions.some(({ harm }) => harm !== null)),
    ...(isKnown ? {} : toStaleColumns(now)),
  };
  if (isUserRow(row)) return updateRow(tx, row, change);
  for (const list of ['memberships', 'group_admins'] as const) {
    const userIds = places.flatMap((place) =>
      place.kind === 'link' && place.list === list ? [userId(place.memberId)] : [],
    );
    await claimLinks(tx, list, row.id, { userIds, version: row.version });
  }
  return updateRow(tx, row, change);
}

/** Tells whether what is known of the resource is acted on without a look. */
async function isStillKnown(
  tx: Db,
  { plan, actions }: Release,
  { row, now }: { readonly row: ResourceRow; readonly now: number },
): Promise<boolean> {
  if (isOfRecovery(plan.source)) {
    if (!isUserRow(row) || !isBelieved(plan, now)) return false;
    // The read shows the account, or that there is none.
    return (
      row.upstream_id !== null || (await listUnknownUsers(tx, [row], plan.created_at)).length > 0
    );
  }
  const isMissing = actions.some(({ kind }) => kind.endsWith('.create'));
  return now - plan.created_at <= FRESH_MS && !isMissing;
}

async function markRepairing(tx: Db, { plan, resource_id: id, actions }: Release): Promise<void> {
  const keys = new Set(actions.map(toKey));
  const drifts = await listActiveDrifts(tx, [id]);
  const repaired = drifts.filter(
    ({ change: kind, member_id }) => kind !== null && keys.has(toKey({ kind, member_id })),
  );
  await changeDrifts(tx, repaired, { status: 'repairing', plan_id: plan.id });
}

function toIds(actions: readonly { readonly id: number }[]): number[] {
  return actions.map(({ id }) => id);
}
