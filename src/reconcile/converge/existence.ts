import { ask, askOnly, edit, onlyWaiting } from '../../domain/cell.ts';
import { listWantedEntities, restartEntities } from '../../domain/entity.ts';
import { compareAccount, isAnotherGroup, isLinked } from '../../domain/kinds.ts';
import { restartLink } from '../../domain/link.ts';
import { DEFAULT_PROVIDER, findScopeLimit } from '../../domain/provider.ts';
import { foldCase, NOT_THERE, parseFields, toOwnRefusal } from '../../domain/values.ts';
import { findTerms, lockTerms } from '../../store/credentials.ts';
import { hasWaiting } from '../../store/engine/columns.ts';
import { changeLinks, deleteAllLinks, hasLink } from '../../store/links/links.ts';
import { moveLinks, resetLinksOf } from '../../store/links/of-users.ts';
import { findLinked } from '../../store/resources/find.ts';
import type { ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { deleteRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { NO_IDS, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { toLookAgainColumns } from '../differences.ts';
import { NAME_LEAVING } from '../group/apply.ts';
import type { Known } from '../outcome.ts';
import { OWNER_ACCOUNT, toObservedColumns } from '../user/account.ts';
import type { Recording } from './finish.ts';
import { changeCells } from './finish.ts';
import { EXISTENCE } from './step.ts';

const refuse = (words: string) => ({ kind: 'refused', problem: toOwnRefusal(words) }) as const;

/**
 * Links the row to the account or group that a step found or created: its columns, or what is in the way. It has at most
 * one live row: an unmanaged one is merged into this one; that of a managed one, an owner's account, and a group with
 * permissions are refused.
 */
export async function linkRow(r: Recording, known: Known) {
  const { tx, row } = r;
  const { ids } = known;
  if (ids === undefined) return { columns: {} };
  const columns = { ...toIdColumns(row, ids), sent_creates: [], staged: null };
  if (row.type === 'user' && ids.upstream_id === row.upstream_id) return { columns };
  // Locked, because a request may be taking it over.
  const found = await findLinked(tx, row.type, ids);
  const locked: ResourceRow | undefined = found && (await lockRow(tx, found));
  const holder = locked?.id === row.id ? undefined : locked;
  const obstacle =
    findObstacle(r, known, holder) ??
    (row.type === 'user' ? await findWall(tx, row, known) : undefined);
  if (obstacle !== undefined) return { obstacle };
  if (holder !== undefined) await takeFrom(r, holder);
  if (row.type === 'user' && row.upstream_id !== null) await resetLinksOf(tx, row.id, null);
  const origin = known.adopted ? ('adopted' as const) : (row.origin ?? ('created' as const));
  return { columns: { ...columns, origin } };
}

/** A group that was found under another uid loses its other ids. */
function toIdColumns({ upstream_uid: before }: ResourceRow, ids: NonNullable<Known['ids']>) {
  const isMoved = before !== null && (ids.upstream_uid ?? before) !== before;
  return { ...(isMoved && NO_IDS), ...ids };
}

/** Why the account or group is not taken, from the row that has it where there is one. */
function findObstacle(r: Recording, known: Known, holder: ResourceRow | undefined) {
  const { adopted, group } = known;
  const isRemoved = holder?.type === 'group' && holder.deleted_at !== null;
  // A lost create made nothing that was there before.
  const isOlder = isLostLook(r) && holder !== undefined && holder.created_at < r.row.created_at;
  if (isOlder || (holder && !isRemoved && isTheirs(holder, known))) {
    // A deleted user or group has left nothing then.
    if (r.row.deleted_at !== null) return { kind: 'not-ours' } as const;
    const what = holder.type === 'user' ? 'account' : 'group';
    return refuse(`the ${what} in the service is linked to another ${holder.type} already`);
  }
  if (isRemoved && hasWaiting(holder)) return NAME_LEAVING;
  if (!adopted) return undefined;
  if (holder?.owner === 1) return refuse(OWNER_ACCOUNT);
  const words =
    'a group of this name exists in the service, holds permissions, and is not taken over';
  return (group?.permissions ?? 0) > 0 ? refuse(words) : undefined;
}

/** True for what another managed resource has, unless the service shows it under names that are none of that one's. */
function isTheirs(holder: ResourceRow, { observed, group }: Known): boolean {
  if (holder.origin === null) return false;
  if (holder.type === 'group') return !group || !isAnotherGroup(holder.observed, group);
  if (observed === undefined) return true;
  const { userName, email, created } = observed;
  const shown = { userName, created, emails: [email] };
  return compareAccount(toUserState(holder), shown) === 'same';
}

/** Takes the account or group from its row: an unmanaged row ends, a managed one is looked for by its names. */
async function takeFrom({ tx, row, now }: Recording, holder: ResourceRow): Promise<void> {
  const { type } = holder;
  if (type === 'group' && holder.deleted_at !== null) return;
  if (holder.origin === null) {
    await moveLinks(tx, type, holder, row);
    return deleteRow(tx, holder, now);
  }
  if (type === 'user') await resetLinksOf(tx, holder.id, null);
  const cells = ask(holder.cells, [EXISTENCE[type]], holder.version);
  const columns = { ...toLookAgainColumns(holder, now), ...NO_IDS, cells };
  await updateRow(tx, holder, columns);
}

/** Why an account is not its provider's to have; undefined: it may be. */
async function findWall(tx: Db, row: UserRow, known: Known) {
  const { adopted, observed } = known;
  const names = [observed?.userName, observed?.email].filter((name) => name !== undefined);
  if (row.provider !== DEFAULT_PROVIDER && row.deleted_at === null) {
    const limits = await lockTerms(tx, row.provider);
    // One of the same userName may have an address of another domain.
    if (limits !== undefined && findScopeLimit(limits, 'user', names) !== undefined)
      return refuse('the account in the service is of a mail domain that is not this provider’s');
  }
  if (!adopted) return undefined;
  const { match } = await findTerms(tx, row.provider);
  const { userName, address } = toUserState(row).desired;
  const keys = { userName, address, externalId: undefined };
  const shown = new Set(names.map(foldCase));
  const isRecognised = match.some((key) => keys[key] && shown.has(foldCase(keys[key])));
  if (isRecognised || (match.includes('userName') && match.includes('address'))) return undefined;
  return refuse('the account in the service has a name that identifies nobody of this provider');
}

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
export function isLostLook({ row, step: { state } }: Recording): boolean {
  if (row.sent_creates.length === 0 || isLinked(row) || !state.mustLook) return false;
  const isUnwanted = row.deleted_at !== null || (row.type === 'user' && row.active === 0);
  return isUnwanted || row.cells[EXISTENCE[row.type]]?.pending === undefined;
}

/**
 * Changes a row whose resource the service does not have: what is wanted is made anew; where nothing waits, a comparison
 * reports it. False: the write that would have taken it over is refused.
 */
export async function endMissing(r: Recording): Promise<boolean> {
  const { tx, row, waiters, now } = r;
  const isLive = row.deleted_at === null && row.origin !== null;
  if (row.type === 'group' && !isLive) {
    await deleteAllLinks(tx, row);
    changeCells(r, (cells) => onlyWaiting(cells, []));
    // A list that was asked for before may still show it.
    r.row = { ...r.row, observed: null, modified_at: Math.max(row.modified_at, now) };
    return true;
  }
  const takeover = waiters.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (row.type === 'user' && takeover !== undefined && row.deleted_at === null) {
    await deleteRow(tx, row, now);
    r.undone.push({ version: takeover.version, problem: NOT_THERE });
    return false;
  }
  const waits = hasWaiting(row) || (row.type === 'group' && (await hasLink(tx, row, 'waiting')));
  if (waits || row.observed === null || row.deleted_at !== null) await restart(r);
  // A write that comes before the next sweep looks first: the id may be another person's by now.
  else if (row.type === 'user')
    r.row = { ...row, ...toObservedColumns(row, { ...row.observed, goneAt: now }) };
  return true;
}

/** What is gone and wanted is created anew, with its lists; a user who is inactive is looked for, as there may be another account. */
async function restart(r: Recording): Promise<void> {
  const { tx, row } = r;
  const { type, id, version, origin } = row;
  // Memberships are forgotten, and the wanted ones wait to be made again.
  if (type === 'user') await resetLinksOf(tx, id, 0);
  else await changeLinks(tx, row, {}, (link) => restartLink(link, version));
  const unseen = { ...toObservedColumns(row, undefined), observed: null, entities: null };
  r.row = { ...row, ...unseen, ...NO_IDS };
  changeCells(r, (all) => {
    // A call for what is gone has no effect any more.
    const cells = edit(restartEntities(all), parseFields(all), ({ pending, failure, source }) => {
      return { pending, failure, source };
    });
    const made = origin === null ? [] : [EXISTENCE[type], ...listWantedEntities(cells)];
    return askOnly(cells, made, version);
  });
}
