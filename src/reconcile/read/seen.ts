import { isWaiting } from '../../domain/cell.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toObservation, toObservedUser } from '../../store/resources/state.ts';
import { isBusy } from '../differences.ts';
import type { ListName, Reading, ShowingList } from './reading.ts';

/** What was seen of the service by a complete read, or by a look at one resource. */
export interface Seen extends Pick<Reading, 'since' | 'unchanged' | 'doubted' | 'moved'> {
  /** Whether what the lists show was read to the end: who is active, licences, and groups. */
  readonly lists: Readonly<Record<'users' | 'companyUsers' | 'groups', boolean>>;
}

/** Makes of a read what it has seen. A refused list proves nothing. */
export function toSeen(reading: Reading): Seen {
  const isRead = (list: ListName) => reading.lists[list].state === 'done';
  const [users, companyUsers, groups] = [
    isRead('users'),
    isRead('companyUsers'),
    isRead('members'),
  ];
  return { ...reading, lists: { users, companyUsers, groups } };
}

const USER_LISTS = ['users', 'companyUsers'] as const;
const GROUP_LISTS = ['groups', 'restGroups'] as const;

/** True when a read showed the user or group, or a call has since. */
export function isSeen(seen: Pick<Seen, 'since' | 'unchanged'>, row: ResourceRow): boolean {
  const lists = row.type === 'user' ? USER_LISTS : GROUP_LISTS;
  const isUnchanged = lists.some((list) => seen.unchanged[list].has(row.seq));
  return isUnchanged || (toObservation(row)?.at ?? 0) >= seen.since;
}

/** True when a list showed the row, or a call has since; `at` is when that was last stored (epoch milliseconds). */
function isListed(
  { since, unchanged }: Pick<Seen, 'since' | 'unchanged'>,
  list: ShowingList,
  { seq, at = 0 }: Pick<GroupRow, 'seq'> & { readonly at: number | undefined },
): boolean {
  return unchanged[list].has(seq) || at >= since;
}

/** True for what should be in the service, and in a list that was read, and was in none. */
export function isMissed(row: ResourceRow, seen: Seen): boolean {
  if (row.deleted_at !== null || isSeen(seen, row)) return false;
  const { lists } = seen;
  const observed = toObservation(row);
  if (!lists[`${row.type}s`] || isBusy(row)) return false;
  // An account known only from the list of company users is not missed while that list cannot be read.
  const isOfRead = row.type === 'group' || lists.companyUsers || observed?.shownAt !== undefined;
  if (row.origin === null) return observed !== undefined && isOfRead;
  const cells = parseCells<string>(row);
  const isMade = row.type === 'user' ? row.upstream_id !== null && row.active === 1 : isLinked(row);
  return isMade && !isWaiting(cells.account) && !isWaiting(cells.existence);
}

/** Finds the list that dropped a user or group, while another list shows it. */
export function findLeftOut(row: ResourceRow, seen: Seen) {
  if (row.origin === null || row.deleted_at !== null || !isSeen(seen, row)) return undefined;
  const { seq } = row;
  const { by = '', shownAt, listedAt } = toObservation(row) ?? {};
  const [named, other] =
    row.type === 'user'
      ? (['users', 'companyUsers'] as const)
      : (['groups', 'restGroups'] as const);
  const wasShown = by.startsWith('scim.') && shownAt !== undefined;
  if (wasShown && !isListed(seen, named, { seq, at: shownAt })) return named;
  // The list of company users may always leave out inactive ones.
  const { active = false } = row.type === 'user' ? (toObservedUser(row) ?? {}) : { active: true };
  const isRead = row.type === 'group' || seen.lists.companyUsers;
  if (!isRead || !active || listedAt === undefined) return undefined;
  return isListed(seen, other, { seq, at: listedAt }) ? undefined : other;
}
