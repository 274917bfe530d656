import { isWaiting } from '../../domain/cell.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toObservation, toObservedUser } from '../../store/resources/state.ts';
import { isBusy } from '../differences.ts';
import type { ListName, Reading, ShowingList } from './reading.ts';

/** The lists that show users and groups: what SCIM shows, and what the other interface does. */
const LISTS_OF = { user: ['users', 'companyUsers'], group: ['groups', 'restGroups'] } as const;

/** True when a list was read to its end. A refused list proves nothing. */
function isDone({ lists }: Reading, list: ListName): boolean {
  return lists[list].state === 'done';
}

/** True when the read shows who and what is in the service. */
export function isRead(reading: Reading, type: ResourceRow['type']): boolean {
  return isDone(reading, type === 'user' ? 'users' : 'members');
}

/** True when a read showed the user or group, or a call has since. */
export function isSeen({ unchanged, since }: Reading, row: ResourceRow): boolean {
  const isUnchanged = LISTS_OF[row.type].some((list) => unchanged[list].has(row.seq));
  return isUnchanged || (toObservation(row)?.at ?? 0) >= since;
}

/** True when a list showed the row, or a call has since; `at` is when that was last stored (epoch milliseconds). */
function isListed(
  { since, unchanged }: Reading,
  list: ShowingList,
  { seq, at = 0 }: Pick<GroupRow, 'seq'> & { readonly at: number | undefined },
): boolean {
  return unchanged[list].has(seq) || at >= since;
}

/** True for what should be in the service, and in a list that was read, and was in none. */
export function isMissed(row: ResourceRow, reading: Reading): boolean {
  if (row.deleted_at !== null || isSeen(reading, row)) return false;
  const observed = toObservation(row);
  if (!isRead(reading, row.type) || isBusy(row)) return false;
  // An account known only from the list of company users is not missed while that list cannot be read.
  const isShown = row.type === 'group' || observed?.shownAt !== undefined;
  const isOfRead = isShown || isDone(reading, 'companyUsers');
  if (row.origin === null) return observed !== undefined && isOfRead;
  const cells = parseCells<string>(row);
  const isMade = row.type === 'user' ? row.upstream_id !== null && row.active === 1 : isLinked(row);
  return isMade && !isWaiting(cells.account) && !isWaiting(cells.existence);
}

/** Finds the list that dropped a user or group, while another list shows it. */
export function findLeftOut(row: ResourceRow, reading: Reading) {
  if (row.origin === null || row.deleted_at !== null || !isSeen(reading, row)) return undefined;
  const { seq } = row;
  const { by = '', shownAt, listedAt } = toObservation(row) ?? {};
  const [named, other] = LISTS_OF[row.type];
  const wasShown = by.startsWith('scim.') && shownAt !== undefined;
  if (wasShown && !isListed(reading, named, { seq, at: shownAt })) return named;
  // The list of company users may always leave out inactive ones.
  const { active = false } = row.type === 'user' ? (toObservedUser(row) ?? {}) : { active: true };
  const isOfRead = row.type === 'group' || isDone(reading, 'companyUsers');
  if (!isOfRead || !active || listedAt === undefined) return undefined;
  return isListed(reading, other, { seq, at: listedAt }) ? undefined : other;
}
