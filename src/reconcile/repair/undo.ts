import { type ChangeKind, findHarm, isHandOver } from '../../domain/change.ts';
import { groupId, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { isWantedActive } from '../../domain/user.ts';
import { countActions, type PlanCounts } from '../../plan/plan-summary.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listLinks } from '../../store/links/links.ts';
import {
  type ActionQuery,
  listPlanActions,
  type PlanActionRow,
} from '../../store/plans/actions.ts';
import { findUndoing, lockPlan, type PlanRow } from '../../store/plans/plans.ts';
import { isUserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toUserState } from '../../store/users/users.ts';
import { addPlan } from '../add-plan.ts';
import { type Current, lockCurrent, toPlace } from './current.ts';
import type { DecisionDeps } from './deps.ts';
import { isOwnedAs } from './hand-over.ts';

/** Opposite of each change that can be undone. */
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

const PART = 500;

/** Result of the request to undo a plan. */
export type UndoDecision =
  | { readonly kind: 'done'; readonly plan: PlanRow; readonly leftOut: number }
  | { readonly kind: 'unknown' }
  /** Another plan undoes it already and is not done. */
  | { readonly kind: 'undoing'; readonly plan: PlanRow }
  /** Nothing of it was done yet, or all of it was written by the provider since, or cannot be undone. */
  | { readonly kind: 'nothing'; readonly leftOut: number };

/**
 * Plans to undo the changes of a plan: memberships, admin lists, active flags and handovers that the provider has not
 * written since. The value observed before becomes the desired one.
 */
export async function undoPlan(deps: DecisionDeps, id: string, by: string): Promise<UndoDecision> {
  return deps.store.write(async (tx): Promise<UndoDecision> => {
    // The lock makes two simultaneous requests to undo come one after the other.
    const plan = await lockPlan(tx, id);
    if (plan === undefined) return { kind: 'unknown' };
    const before = await findUndoing(tx, id);
    if (before !== undefined) return { kind: 'undoing', plan: before };
    const { actions, leftOut } = await listUndoing(tx, deps, plan);
    if (actions.length === 0) return { kind: 'nothing', leftOut };
    const undoing = await addPlan(tx, actions, {
      status: 'approved',
      source: 'undo',
      reason: null,
      automatic: 0,
      by,
      now: deps.clock.now(),
      undoes: id,
    });
    return { kind: 'done', plan: undoing, leftOut };
  });
}

/** Effect of undoing a plan: the kinds of its actions, and the number of those of the plan that stay. */
export interface UndoPreview {
  readonly counts: PlanCounts;
  readonly leftOut: number;
}

/** Tells what undoing a plan would do now; undefined: there is no such plan. */
export async function previewUndo(
  deps: DecisionDeps,
  id: string,
): Promise<UndoPreview | undefined> {
  return deps.store.write(async (tx) => {
    const plan = await lockPlan(tx, id);
    if (plan === undefined) return undefined;
    const { actions, leftOut } = await listUndoing(tx, deps, plan);
    return { counts: countActions(actions), leftOut };
  });
}

async function listUndoing(
  tx: Db,
  deps: DecisionDeps,
  { id }: PlanRow,
): Promise<{ actions: PlanAction[]; leftOut: number }> {
  const actions: PlanAction[] = [];
  let leftOut = 0;
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const query: ActionQuery = { status: 'done', afterId, limit: PART };
    const rows: PlanActionRow[] = await listPlanActions(tx, id, query);
    for (const row of rows) {
      const opposite = await toOpposite(tx, deps, row);
      if (opposite === undefined) leftOut += 1;
      else actions.push(opposite);
    }
    afterId = rows.at(-1)?.id;
  }
  return { actions, leftOut };
}

async function toOpposite(
  tx: Db,
  deps: DecisionDeps,
  row: PlanActionRow,
): Promise<PlanAction | undefined> {
  const kind = OPPOSITES[row.kind];
  const current = await lockCurrent(tx, deps, row);
  if (kind === undefined || current === undefined) return undefined;
  if (!(await isStillDesired(tx, deps, { current, row }))) return undefined;
  const desired = parseStored<JsonValue>(row.observed);
  const observed = parseStored<JsonValue>(row.desired);
  return {
    kind,
    type: row.resource_type,
    resourceId: row.resource_id,
    memberId: row.member_id,
    desired,
    observed,
    harm: findHarm({ kind, desired, observed }),
  };
}

/** True when the value that the plan brought is still desired, so that no later write has changed it. */
async function isStillDesired(
  tx: Db,
  { policy }: DecisionDeps,
  { current: { row: resource }, row }: { current: Current; row: PlanActionRow },
): Promise<boolean> {
  if (isHandOver(row.kind)) return isOwnedAs(resource, row.desired);
  const desired = parseStored<JsonValue>(row.desired);
  if (!isJsonObject(desired) || resource.deleted_at !== null) return false;
  const place = toPlace({ kind: row.kind, memberId: row.member_id, desired });
  if (place.kind === 'link') {
    const list = await listLinks(tx, place.list, groupId(resource.id), [userId(row.member_id)]);
    return (list[0]?.desired === 1) === (desired.present === true);
  }
  if (!isUserRow(resource)) return false;
  const { desired: wanted } = toUserState(resource);
  return isWantedActive(wanted, policy.deactivation) === (desired.active === true);
}
