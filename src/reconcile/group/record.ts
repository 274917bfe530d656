import { askOnly, listWaiting, onlyWaiting } from '../../domain/cell.ts';
import { isEntityField, listWantedEntities, restartEntities } from '../../domain/entity.ts';
import type { GroupField, GroupState, UpstreamGroupIds } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import { toPlannableGroup } from '../../plan/plan-group.ts';
import { noteMissing } from '../../store/drifts.ts';
import { HANDED_OVER, hasWaiting, parseCells } from '../../store/engine/columns.ts';
import {
  deleteGroup,
  findGroupByUpstream,
  type GroupRow,
  lockGroup,
  toGroupState,
  updateGroup,
} from '../../store/groups/groups.ts';
import { addInspection } from '../../store/inspections.ts';
import { deleteAllLinks, restartLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import { readWaiting } from '../../store/links/waiting.ts';
import type { Db } from '../../store/store.ts';
import { claimLostLinks, listOvertaken, withFieldsClaimed } from '../lost-calls.ts';
import { isLostLook, keepLook, toAfterLostLook, toRetriedRow } from '../lost-create.ts';
import type { Problem } from '../outcome.ts';
import { GONE, type Recorded, type Undone } from '../recorded.ts';
import type { Recorder } from '../resource-kind.ts';
import { toSuccessColumns } from '../retry-columns.ts';
import { hideNotCreated } from '../take-back.ts';
import { countFailed, countFailedLook, countParts } from './count-failed.ts';
import {
  finishStep,
  followGroupStep,
  listGroupLinks,
  type Recording,
  recordLinks,
  saveChanges,
  toDoneRow,
  toFinished,
} from './finish-step.ts';
import { handOverGroup, linkGroup } from './link-group.ts';
import type { GroupKnown, GroupOutcome, GroupPart, GroupStep, GroupTypes } from './outcome.ts';
import { listStillPlanned, refuse } from './refuse.ts';

/** Recorder of groups: it clears fields that now hold, undoes a refused write or marks it as stuck, and tells whom it concerns. */
export const groupRecorder: Recorder<GroupTypes> = {
  lock: (tx, { id }) => lockGroup(tx, id),
  handOver,
  isRenamed: (row, { desired }) => row.display_name !== desired.displayName,
  done: recordDone,
  refused: recordRefused,
  postponed: recordRetry,
  finish: (tx, row, step) => finishStep(tx, row, step, []),
  follow: followGroupStep,
};

/** Gives a deleted group in the service to its successor, which is returned; the deleted one has nothing left to do. */
async function handOver(
  tx: Db,
  row: GroupRow,
  step: GroupStep,
): Promise<readonly GroupId[] | undefined> {
  const successor = await handOverGroup(tx, row, step);
  if (successor === undefined) return undefined;
  await updateGroup(tx, row.id, { ...HANDED_OVER, in_flight: 0, steps: row.steps + 1 });
  return [successor];
}

async function recordDone(
  tx: Db,
  row: GroupRow,
  step: Recording,
  known: GroupKnown,
): Promise<Recorded<GroupState>> {
  if (known.missing) return recordMissing(tx, row, step);
  const isLost = isLostLook(row, step.planned);
  if (isLost && !(await isItsOwn(tx, row, known.ids))) return recordLostLook(tx, row, step);
  let next = toDoneRow(row, step, known);
  if (known.ids !== undefined) {
    const linked = await linkGroup(tx, row, known);
    if (linked.kind === 'later') return recordRetry(tx, row, step, linked);
    if (linked.kind === 'refused') {
      const parts: GroupPart[] = [{ kind: 'field', field: 'existence' }];
      return recordRefused(tx, row, step, { parts, problem: linked.problem });
    }
    next = { ...next, ...linked.columns, lost_looks: 0, sent_creates: '[]' };
  }
  await recordLinks(tx, next, step, known);
  if (step.planned.mustLook) {
    const lost = await listOvertaken(tx, next, step);
    await claimLostLinks(tx, next, lost);
    next = withoutDoubted(withFieldsClaimed(next, lost));
  }
  const { failedLinks = [], refusedMembers = [] } = known;
  const [failed] = failedLinks;
  if (failed) await countParts(tx, next, step, { ...failed, parts: failedLinks });
  const [refused] = refusedMembers;
  if (refused) return recordRefused(tx, next, step, { ...refused, parts: refusedMembers });
  return finishStep(tx, next, step, []);
}

/** The row after a look: while roles in an entity wait, a call may have changed them, so the entities are to be listed. */
function withoutDoubted(row: GroupRow): GroupRow {
  const isDoubted = listWaiting(parseCells<GroupField>(row)).some(isEntityField);
  return isDoubted ? { ...row, entities: null } : row;
}

/** Records a look that did not find the lost create: it is looked for again, a bounded number of times. */
async function recordLostLook(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  const { next, isLast } = toAfterLostLook(row, step.now);
  if (isLast) return finishStep(tx, next, step, []);
  await saveChanges(tx, step, next);
  if (row.deleted_at !== null) await deleteAllLinks(tx, row.id);
  return toFinished(tx, next, []);
}

/**
 * Records that the service has no such group. A deleted group is done. A wanted one is created anew where something
 * waits for it; otherwise the next comparison reports it.
 */
async function recordMissing(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  if (row.deleted_at !== null || row.origin === null) {
    await deleteAllLinks(tx, row.id);
    return finishStep(
      tx,
      {
        ...{ ...row, ...toSuccessColumns(row), observed: null },
        cells: JSON.stringify(onlyWaiting(parseCells<GroupField>(row), [])),
        // A list that was asked for before may still show it.
        modified_at: Math.max(row.modified_at, step.now),
      },
      step,
      [],
    );
  }
  const { oldest } = await readWaiting(tx, row.id);
  if (!hasWaiting(row) && oldest === undefined && row.observed !== null) {
    await addInspection(tx, { type: 'group', id: row.id }, { source: 'discovery', now: step.now });
    return finishStep(tx, { ...row, ...toSuccessColumns(row) }, step, []);
  }
  const desired = { displayName: row.display_name };
  await noteMissing(tx, { type: 'group', id: row.id, desired }, step.now);
  await restartLinks(tx, row.id, row.version);
  const cells = restartEntities<GroupField>(parseCells(row));
  const changed: GroupRow = {
    ...row,
    ...toSuccessColumns(row),
    observed: null,
    upstream_scim_id: null,
    upstream_rest_id: null,
    upstream_uid: null,
    entities: null,
    cells: JSON.stringify(askOnly(cells, ['existence', ...listWantedEntities(cells)], row.version)),
  };
  return finishStep(tx, changed, step, []);
}

async function recordRefused(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { parts: refused, problem }: { parts: readonly GroupPart[]; problem: Problem },
): Promise<Recorded<GroupState>> {
  if (isLostLook(row, step.planned)) return recordLostLook(tx, row, step);
  const parts = await listStillPlanned(tx, row, { planned: step.planned, parts: refused });
  if (parts.length === 0) return finishStep(tx, keepLook(row, step), step, []);
  const { undone, isNotCreated, ...left } = await refuse(tx, row, { ...step, parts, problem });
  if (isNotCreated) return recordNotCreated(tx, row, step, undone);
  return finishStep(tx, keepLook(left.row, step), step, undone);
}

/**
 * Records that the write which created the group was taken back: the row is deleted, or kept hidden to find a lost
 * create.
 */
async function recordNotCreated(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  step.reverted.push(...(await listLinkedUsers(tx, row.id)));
  await deleteAllLinks(tx, row.id);
  if (row.lost_looks === 0) await deleteGroup(tx, row.id);
  if (row.lost_looks > 0) return finishStep(tx, hideNotCreated(row, step.now), step, undone);
  return { finished: true, ...GONE, undone, notified: [] };
}

async function recordRetry(
  tx: Db,
  row: GroupRow,
  step: Recording,
  outcome: Extract<GroupOutcome, { kind: 'later' | 'unknown' }>,
): Promise<Recorded<GroupState>> {
  const retried = toRetriedRow(row, outcome, step);
  if (outcome.kind === 'later') {
    return recordPaused(tx, await countFailedLook(tx, retried, step, outcome), step);
  }
  const { row: changed, goesOn } = await countFailed(tx, retried, step, outcome);
  if (goesOn || outcome.lookNow) {
    await saveChanges(tx, step, changed);
    const links = await listGroupLinks(tx, changed.id, step);
    const state = toPlannableGroup(toGroupState(changed, links), step.now);
    return { finished: false, state, undone: [], notified: [] };
  }
  return recordPaused(tx, changed, step);
}

/** Finishes the run until it is time to try again. */
async function recordPaused(tx: Db, row: GroupRow, step: Recording): Promise<Recorded<GroupState>> {
  await saveChanges(tx, step, row);
  return { ...(await toFinished(tx, row, [])), retryAt: row.due_at ?? step.now };
}

/** True when a look found the group of the lost create, and not one that was known before. */
async function isItsOwn(
  tx: Db,
  row: GroupRow,
  ids: Partial<UpstreamGroupIds> | undefined,
): Promise<boolean> {
  if (ids === undefined) return false;
  const holder = await findGroupByUpstream(tx, ids);
  return holder === undefined || holder.id === row.id || holder.created_at >= row.created_at;
}
