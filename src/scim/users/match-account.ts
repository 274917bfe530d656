import { foldCase } from '../../domain/fold.ts';
import type { Db } from '../../store/database.ts';
import {
  listTombstones,
  listUsersByName,
  listUsersByObserved,
  type UserRow,
} from '../../store/users.ts';

/** By what a person is recognised. */
export interface PersonNames {
  readonly userName: string;
  readonly address: string | undefined;
}

/**
 * Whom a new person turns out to be.
 * - `nobody`: no account is known
 * - `observed`: one account that nobody manages
 * - `tombstone`: one that was deleted through SCIM and still has its account
 * - `taken`: a managed user has the name or the account
 * - `disputed`: name and address point at two accounts; nobody guesses
 */
export type AccountMatch =
  | { readonly kind: 'nobody' | 'taken' | 'disputed' }
  | { readonly kind: 'observed' | 'tombstone'; readonly row: UserRow };

/** Correlates on observed names and addresses only; for deleted users also on their last userName. */
export async function matchAccount(tx: Db, names: PersonNames): Promise<AccountMatch> {
  const userNameFolded = foldCase(names.userName);
  const emailFolded = names.address === undefined ? undefined : foldCase(names.address);
  const named = await listUsersByName(tx, userNameFolded);
  if (named.some((row) => row.origin !== null)) return { kind: 'taken' };
  const observed = await listUsersByObserved(tx, { userNameFolded, emailFolded });
  const live = new Map([...named, ...observed].map((row) => [row.id, row]));
  const [row] = live.values();
  if (live.size > 1) return { kind: 'disputed' };
  if (row) return row.origin === null ? { kind: 'observed', row } : { kind: 'taken' };
  return matchTombstone(await listTombstones(tx, { userNameFolded, emailFolded }));
}

/** Several tombstones of one account are one person's history; of several accounts, a dispute. */
function matchTombstone(rows: readonly UserRow[]): AccountMatch {
  const [row] = rows;
  if (row === undefined) return { kind: 'nobody' };
  const accounts = new Set(rows.map(({ upstream_id }) => upstream_id));
  return accounts.size > 1 ? { kind: 'disputed' } : { kind: 'tombstone', row };
}
