import { foldCase } from '../../domain/fold.ts';
import type { Db } from '../../store/store.ts';
import {
  listTombstones,
  listUsersByName,
  listUsersByObserved,
  type UserRow,
} from '../../store/users/users.ts';
import { notUnique } from '../errors.ts';

/** Names by which a user is recognised. */
export interface UserNames {
  readonly userName: string;
  readonly address: string | undefined;
}

/**
 * Account that a new user already has.
 * - `none`: no account is known
 * - `observed`: one unmanaged account
 * - `tombstone`: one that was deleted through SCIM and still has its account
 * - `taken`: a managed user has the userName, or the account that the userName or the address means
 * - `disputed`: name and address point at two accounts, and the bridge never guesses
 */
export type AccountMatch =
  | { readonly kind: 'none' | 'disputed' }
  | { readonly kind: 'taken'; readonly attribute: 'userName' | 'emails' }
  | { readonly kind: 'observed' | 'tombstone'; readonly row: UserRow };

/** Correlates on observed names and addresses only; for deleted users also on their last userName. */
export async function matchAccount(tx: Db, names: UserNames): Promise<AccountMatch> {
  const userNameFolded = foldCase(names.userName);
  const emailFolded = names.address === undefined ? undefined : foldCase(names.address);
  const named = await listUsersByName(tx, userNameFolded);
  if (named.some((row) => row.origin !== null)) return { kind: 'taken', attribute: 'userName' };
  const observed = await listUsersByObserved(tx, { userNameFolded, emailFolded });
  const live = new Map([...named, ...observed].map((row) => [row.id, row]));
  const [row] = live.values();
  if (live.size > 1) return { kind: 'disputed' };
  if (row?.origin === null) return { kind: 'observed', row };
  if (row) return { kind: 'taken', attribute: findTaken(row, userNameFolded) };
  return matchTombstone(await listTombstones(tx, { userNameFolded, emailFolded }));
}

/**
 * Stops a change that gives a user the name or address of another user, as a create would be stopped. Names that stay
 * the same are not checked.
 * @throws ScimError 409
 */
export async function assertNamesFree(
  tx: Db,
  { id }: Pick<UserRow, 'id'>,
  { before, after }: { readonly before: UserNames; readonly after: UserNames },
): Promise<void> {
  const isOther = (row: UserRow) => row.id !== id;
  const userNameFolded = foldCase(after.userName);
  if (userNameFolded !== foldCase(before.userName)) {
    const named = await listUsersByName(tx, userNameFolded);
    const observed = await listUsersByObserved(tx, { userNameFolded, emailFolded: undefined });
    if ([...named, ...observed].some(isOther)) throw notUnique('User', 'userName');
  }
  if (after.address === undefined) return;
  const emailFolded = foldCase(after.address);
  if (emailFolded === foldCase(before.address ?? '')) return;
  const observed = await listUsersByObserved(tx, { userNameFolded: emailFolded, emailFolded });
  if (observed.some(isOther)) throw notUnique('User', 'emails');
}

/** Attribute that names the account of this row. */
function findTaken(row: UserRow, userNameFolded: string): 'userName' | 'emails' {
  const names = [row.observed_user_name_folded, row.observed_email_folded];
  return names.includes(userNameFolded) ? 'userName' : 'emails';
}

/** Several tombstones of one account are the history of one user; tombstones of several accounts are a dispute. */
function matchTombstone(rows: readonly UserRow[]): AccountMatch {
  const [row] = rows;
  if (row === undefined) return { kind: 'none' };
  const accounts = new Set(rows.map(({ upstream_id }) => upstream_id));
  return accounts.size > 1 ? { kind: 'disputed' } : { kind: 'tombstone', row };
}
