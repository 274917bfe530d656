import { askOnly, editAll, forgetSent, listSent, onlyWaiting } from '../../domain/cell.ts';
import { listWantedEntities, restartEntities } from '../../domain/entity.ts';
import { restartLink } from '../../domain/link.ts';
import { NOT_THERE } from '../../domain/refusal.ts';
import type { Field } from '../../plan/step.ts';
import { noteMissing } from '../../store/drifts.ts';
import { addInspection } from '../../store/due.ts';
import { hasWaiting, parseCells } from '../../store/engine/columns.ts';
import { changeLinks, deleteAllLinks, hasLink } from '../../store/links/links.ts';
import { resetLinksOf } from '../../store/links/of-users.ts';
import {
  endObserved,
  type GroupRow,
  type ResourceRow,
  type UserRow,
} from '../../store/resources/rows.ts';
import { NO_IDS, toObservedUser } from '../../store/resources/state.ts';
import { toObservedColumns } from '../user/observe.ts';
import { type Recording, toSuccessColumns } from './recording.ts';

/**
 * The row once the service does not have what it stands for. Where something waits, what is wanted is made anew, and what
 * is not is done; otherwise the next comparison reports it. A write that would have taken an account over is refused, and
 * the user is forgotten: undefined.
 */
export async function endMissing(r: Recording): Promise<ResourceRow | undefined> {
  const { tx, row, waiters, now } = r;
  const success = toSuccessColumns(r);
  const { type, id } = row;
  const isLive = row.deleted_at === null && row.origin !== null;
  if (type === 'group' && !isLive) {
    await deleteAllLinks(tx, row);
    const cells = JSON.stringify(onlyWaiting(parseCells<Field>(row), []));
    // A list that was asked for before may still show it.
    const modified_at = Math.max(row.modified_at, now);
    return { ...row, ...success, observed: null, cells, modified_at };
  }
  const takeover = waiters.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (type === 'user' && takeover !== undefined && row.deleted_at === null) {
    await endObserved(tx, row, now);
    r.undone.push({ version: takeover.version, problem: NOT_THERE });
    return undefined;
  }
  const waits = hasWaiting(row) || (type === 'group' && (await hasLink(tx, row, 'waiting')));
  if (!waits && row.observed !== null && row.deleted_at === null) {
    await addInspection(tx, { type, id }, { source: 'discovery', now });
    if (type === 'group') return { ...row, ...success };
    // A write that comes before the inspection looks first: the id may be another person's by now.
    const observed = JSON.stringify({ ...toObservedUser(row), goneAt: now });
    return { ...row, ...success, observed };
  }
  return type === 'user' ? restartUser(r, row) : restartGroup(r, row);
}

/** The row of a user whose account is gone. An active user is created; any other one is looked for, as it may have another. */
async function restartUser(r: Recording, row: UserRow): Promise<UserRow> {
  const { tx, now } = r;
  const { id, version, origin } = row;
  // Its memberships are forgotten, and the wanted ones wait to be made again.
  await resetLinksOf(tx, id, 0);
  const isWanted = row.deleted_at === null && row.active === 1 && origin !== null;
  if (isWanted) await noteMissing(tx, { type: 'user', id, desired: { active: true } }, now);
  const cells = editAll(parseCells<Field>(row), ({ pending, failure, source }) => {
    return { pending, failure, source };
  });
  return {
    ...row,
    ...toSuccessColumns(r),
    ...toObservedColumns(row, undefined),
    upstream_id: null,
    cells: JSON.stringify(askOnly(cells, origin === null ? [] : ['account'], version)),
  };
}

/** The row of a group that is gone and wanted: it is created anew, with its lists. */
async function restartGroup(r: Recording, row: GroupRow): Promise<GroupRow> {
  const { tx, now } = r;
  const { id, version, name: displayName } = row;
  await noteMissing(tx, { type: 'group', id, desired: { displayName } }, now);
  await changeLinks(tx, row, {}, (link) => restartLink(link, version));
  const cells = restartEntities(parseCells<Field>(row));
  // A call for a group that is gone has no effect any more.
  const kept = forgetSent(cells, listSent(cells));
  return {
    ...row,
    ...toSuccessColumns(r),
    ...NO_IDS,
    observed: null,
    entities: null,
    cells: JSON.stringify(askOnly(kept, ['existence', ...listWantedEntities(kept)], version)),
  };
}
