import { ask, askOnly, edit, forgetSent, listSent, onlyWaiting } from '../../domain/cell.ts';
import { listWantedEntities, restartEntities } from '../../domain/entity.ts';
import { compareAccount, isAnotherGroup } from '../../domain/kinds.ts';
import { restartLink } from '../../domain/link.ts';
import { DEFAULT_PROVIDER, findLimit } from '../../domain/provider.ts';
import type { Refusal } from '../../domain/values.ts';
import { foldCase, NOT_THERE, parseFields, toOwnRefusal } from '../../domain/values.ts';
import { findTerms, lockTerms } from '../../store/credentials.ts';
import { noteMissing } from '../../store/drifts.ts';
import { hasWaiting } from '../../store/engine/columns.ts';
import { changeLinks, deleteAllLinks, hasLink } from '../../store/links/links.ts';
import { moveLinks, resetLinksOf } from '../../store/links/of-users.ts';
import { findLinked } from '../../store/resources/find.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { deleteRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { NO_IDS, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { toLookAgainColumns } from '../differences.ts';
import type { Known } from '../outcome.ts';
import { OWNER_ACCOUNT, toObservedColumns } from '../user/account.ts';
import type { Recording } from './finish.ts';
import { changeCells } from './finish.ts';
import { EXISTENCE } from './step.ts';

/** Why a row is not linked to what a step found or created: not yet, or not at all. */
type Obstacle = { readonly problem: Refusal } & (
  | { readonly kind: 'later' }
  | { readonly kind: 'refused' }
);

const refuse = (words: string): Obstacle => ({ kind: 'refused', problem: toOwnRefusal(words) });

/**
 * Links the row to the account or group that a step found or created. It has at most one live row: an unmanaged one is
 * merged into this one; that of a managed one, an owner's account, and a group with permissions are refused.
 */
export async function linkRow(
  { tx, now }: Recording,
  row: ResourceRow,
  known: Known,
): Promise<Obstacle | { readonly kind: 'linked'; readonly columns: Partial<LinkColumns> }> {
  const { ids } = known;
  if (ids === undefined) return { kind: 'linked', columns: {} };
  const columns = { ...toIdColumns(row, ids), sent_creates: [] };
  if (row.type === 'user' && ids.restId === row.upstream_id) return { kind: 'linked', columns };
  // Locked, because a request may be taking it over.
  const found = await findLinked(tx, row.type, ids);
  const locked: ResourceRow | undefined = found && (await lockRow(tx, found));
  const holder = locked?.id === row.id ? undefined : locked;
  const obstacle =
    row.type === 'user'
      ? ((await findObstacle(tx, row, known)) ?? findHolderObstacle(holder, known))
      : (findHolderObstacle(holder, known) ?? findPermissions(known));
  if (obstacle !== undefined) return obstacle;
  if (holder !== undefined) await takeFrom(tx, holder, { row, now });
  if (row.type === 'user' && row.upstream_id !== null) await resetLinksOf(tx, row.id, null);
  const origin = known.adopted ? 'adopted' : (row.origin ?? 'created');
  return { kind: 'linked', columns: { ...columns, origin } };
}

type LinkColumns = ReturnType<typeof toIdColumns> & Pick<ResourceRow, 'sent_creates' | 'origin'>;

function toIdColumns(row: ResourceRow, ids: NonNullable<Known['ids']>) {
  const isMoved =
    ids.uid !== undefined && row.upstream_uid !== null && ids.uid !== row.upstream_uid;
  const before = isMoved ? NO_IDS : row;
  return {
    upstream_scim_id: ids.scimId ?? before.upstream_scim_id,
    upstream_id: ids.restId ?? before.upstream_id,
    upstream_uid: ids.uid ?? before.upstream_uid,
  };
}

/** Why the account or group is not taken from the row that has it. */
function findHolderObstacle(holder: ResourceRow | undefined, known: Known): Obstacle | undefined {
  if (holder === undefined) return undefined;
  if (holder.type === 'group' && holder.deleted_at !== null) {
    if (!hasWaiting(holder)) return undefined;
    const words = 'a group of this name is still being removed';
    return { kind: 'later', problem: { code: 'name-leaving', words } };
  }
  if (holder.origin !== null && isTheirs(holder, known)) {
    const what = holder.type === 'user' ? 'account' : 'group';
    return refuse(`the ${what} in the service is linked to another ${holder.type} already`);
  }
  return known.adopted && holder.owner === 1 ? refuse(OWNER_ACCOUNT) : undefined;
}

/** True unless the service shows the account or group under names that are none of its holder's. */
function isTheirs(holder: ResourceRow, { observed, group }: Known): boolean {
  if (holder.type === 'group') {
    return group === undefined || !isAnotherGroup(holder.observed, group);
  }
  if (observed === undefined) return true;
  const { userName, email, created } = observed;
  const shown = { userName, created, emails: [email] };
  return compareAccount(toUserState(holder), shown) === 'same';
}

function findPermissions({ adopted, group }: Known): Obstacle | undefined {
  const words =
    'a group of this name exists in the service, holds permissions, and is not taken over';
  return adopted && (group?.permissions ?? 0) > 0 ? refuse(words) : undefined;
}

/** Takes the account or group from its row: an unmanaged row ends, a managed one is looked for by its names. */
async function takeFrom(
  tx: Db,
  holder: ResourceRow,
  { row, now }: { readonly row: ResourceRow; readonly now: number },
): Promise<void> {
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
async function findObstacle(tx: Db, row: UserRow, known: Known): Promise<Obstacle | undefined> {
  const { adopted, observed } = known;
  const names = [observed?.userName, observed?.email].filter((name) => name !== undefined);
  if (row.provider !== DEFAULT_PROVIDER && row.deleted_at === null) {
    const limits = await lockTerms(tx, row.provider);
    const demands = { rights: [], userNames: names, groupNames: [] };
    // One of the same userName may have an address of another domain.
    if (limits !== undefined && findLimit(limits, demands) !== undefined)
      return refuse('the account in the service is of a mail domain that is not this provider’s');
  }
  if (!adopted || (await isRecognised(tx, row, names))) return undefined;
  return refuse('the account in the service has a name that identifies nobody of this provider');
}

/** True for an account of a name by which the people of the provider are recognised. */
async function isRecognised(tx: Db, row: UserRow, names: readonly string[]): Promise<boolean> {
  const { match } = await findTerms(tx, row.provider);
  const { userName, address } = toUserState(row).desired;
  const keys = { userName, address, externalId: undefined };
  if (match.includes('userName') && match.includes('address')) return true;
  return match.some((key) =>
    names.some((name) => name && foldCase(name) === foldCase(keys[key] ?? '')),
  );
}

/**
 * Changes a row whose resource the service does not have: what is wanted is made anew; where nothing waits, a comparison
 * reports it. False: the write that would have taken it over is refused.
 */
export async function endMissing(r: Recording): Promise<boolean> {
  const { tx, row, waiters, now } = r;
  const { type } = row;
  const isLive = row.deleted_at === null && row.origin !== null;
  if (type === 'group' && !isLive) {
    await deleteAllLinks(tx, row);
    changeCells(r, (cells) => onlyWaiting(cells, []));
    // A list that was asked for before may still show it.
    r.row = { ...r.row, observed: null, modified_at: Math.max(row.modified_at, now) };
    return true;
  }
  const takeover = waiters.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (type === 'user' && takeover !== undefined && row.deleted_at === null) {
    await deleteRow(tx, row, now);
    r.undone.push({ version: takeover.version, problem: NOT_THERE });
    return false;
  }
  const waits = hasWaiting(row) || (type === 'group' && (await hasLink(tx, row, 'waiting')));
  if (waits || row.observed === null || row.deleted_at !== null) {
    await (type === 'user' ? restartUser(r, row) : restartGroup(r, row));
    return true;
  }
  // A write that comes before the next sweep looks first: the id may be another person's by now.
  if (row.type === 'user') r.row = { ...row, observed: { ...row.observed, goneAt: now } };
  return true;
}

/** A user whose account is gone. An active user is created; any other one is looked for, as it may have another. */
async function restartUser(r: Recording, row: UserRow): Promise<void> {
  const { tx, now } = r;
  const { id, version, origin } = row;
  // Its memberships are forgotten, and the wanted ones wait to be made again.
  await resetLinksOf(tx, id, 0);
  const isWanted = row.deleted_at === null && row.active === 1 && origin !== null;
  if (isWanted) await noteMissing(tx, { type: 'user', id, desired: { active: true } }, now);
  r.row = { ...row, ...toObservedColumns(row, undefined), upstream_id: null };
  changeCells(r, (all) => {
    const cells = edit(all, parseFields(all), ({ pending, failure, source }) => {
      return { pending, failure, source };
    });
    return askOnly(cells, origin === null ? [] : ['account'], version);
  });
}

/** A group that is gone and wanted: it is created anew, with its lists. */
async function restartGroup(r: Recording, row: GroupRow): Promise<void> {
  const { tx, now } = r;
  const { id, version, name: displayName } = row;
  await noteMissing(tx, { type: 'group', id, desired: { displayName } }, now);
  await changeLinks(tx, row, {}, (link) => restartLink(link, version));
  r.row = { ...row, ...NO_IDS, observed: null, entities: null };
  changeCells(r, (all) => {
    // A call for a group that is gone has no effect any more.
    const cells = forgetSent(restartEntities(all), listSent(all));
    return askOnly(cells, ['existence', ...listWantedEntities(cells)], version);
  });
}
