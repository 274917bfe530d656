import { listEntityFields } from '../../domain/entity.ts';
import { type GivenKey, groupId, userId } from '../../domain/ids.ts';
import { isGone } from '../../domain/missed.ts';
import type { Release } from '../../domain/release.ts';
import { enterRules } from '../../rules/follow.ts';
import { endDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { hasWaiting, parseCells, toChangedColumns } from '../../store/engine/columns.ts';
import {
  type GroupRow,
  lockGroup,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { disownLinks } from '../../store/links/observations.ts';
import { listLinkedUsers, touchUsers } from '../../store/links/shown.ts';
import { hasRuledAdmins, hasWaitingLinks } from '../../store/links/waiting.ts';
import { listHeldChanges } from '../../store/plans/actions.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, toObservedUser, type UserRow, updateUser } from '../../store/users/users.ts';
import type { ProcessDeps } from '../deps.ts';
import { toUnmanagedGroup } from '../group/undo.ts';
import { saveEmails } from '../user/refuse.ts';
import { toUnmanagedUser } from '../user/undo.ts';

/** Has the bridge only observe a user or group from now on, as the service holds it. Nothing reaches the service. */
export async function letGo(
  { store, clock, rules }: Pick<ProcessDeps, 'store' | 'clock' | 'rules'>,
  { type, id }: GivenKey,
): Promise<Release> {
  return store.write(async (tx) => {
    await enterRules(tx, rules, 'names');
    const now = clock.now();
    const release =
      type === 'user'
        ? await releaseUser(tx, await lockUser(tx, userId(id)), now)
        : await releaseGroup(tx, { rules }, { row: await lockGroup(tx, groupId(id)), now });
    if (release.kind !== 'released') return release;
    await endDrifts(tx, await listActiveDrifts(tx, [id]), { status: 'gone', now });
    return release;
  });
}

async function releaseUser(tx: Db, row: UserRow | undefined, now: number): Promise<Release> {
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin === null) return { kind: 'unmanaged' };
  if (await isUnsettled(tx, row)) return { kind: 'waits' };
  const observed = toObservedUser(row);
  if (observed === undefined || isGone(observed)) return { kind: 'not-in-service' };
  const released: UserRow = { ...toUnmanagedUser(row), ...AT_REST, modified_at: now };
  await updateUser(tx, row.id, toChangedColumns(row, released));
  await saveEmails(tx, row, released);
  return { kind: 'released', provider: row.provider };
}

async function releaseGroup(
  tx: Db,
  { rules: { book } }: Pick<ProcessDeps, 'rules'>,
  { row, now }: { readonly row: GroupRow | undefined; readonly now: number },
): Promise<Release> {
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin === null) return { kind: 'unmanaged' };
  if ((await isUnsettled(tx, row)) || (await hasWaitingLinks(tx, row.id))) return { kind: 'waits' };
  const observed = toObservedGroup(row);
  if (observed === undefined || isGone(observed)) return { kind: 'not-in-service' };
  // What rules derive from a group ends with it, which the service would be told.
  const isSource = book.drivesMembers(row.display_name) || book.isSource(row.display_name);
  const isRuled = isSource || listEntityFields(parseCells(row)).length > 0;
  if (isRuled || (await hasRuledAdmins(tx, row.id))) return { kind: 'ruled' };
  const linked = await listLinkedUsers(tx, row.id);
  await disownLinks(tx, row.id);
  const unmanaged = toUnmanagedGroup(row);
  const version = row.version + 1;
  const released: GroupRow = {
    ...unmanaged,
    ...AT_REST,
    version,
    admins_asked: 0,
    modified_at: now,
  };
  await updateGroup(tx, row.id, toChangedColumns(row, released));
  // They are shown with the name and the members that the service has.
  await touchUsers(tx, linked, now);
  return { kind: 'released', provider: row.provider };
}

/** True while something of it may still change the service, or may have changed it, or a plan holds a change of it. */
async function isUnsettled(tx: Db, row: ResourceRow): Promise<boolean> {
  if (hasWaiting(row) || isInFlight(row)) return true;
  if (row.must_look !== 0 || row.lost_looks > 0) return true;
  return (await listHeldChanges(tx, [row.id])).length > 0;
}

/** Columns of a row of which nothing is to be done. */
const AT_REST = {
  ...{ stuck_at: null, attempts: 0, last_error: null, due_at: null },
  ...{ failing_since: null, unsure_since: null, sent_creates: '[]' },
} as const;
