import type { UserId } from '../../domain/ids.ts';
import type { RuleBook } from '../../domain/rule-book.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { Db } from '../../store/database.ts';
import type { GroupRow } from '../../store/groups.ts';
import type { UserRow } from '../../store/users.ts';

/** What following the rules of the configuration needs. */
export interface Rules {
  readonly book: RuleBook;
  readonly deactivation: Deactivation;
  readonly protection: Protection;
}

/** Whom nothing harms: no request, no rule and no repair. Under every name that they ever were protected by. */
export interface Protection {
  /** Why nothing may be taken from this person, or undefined: it may. The last owner is protected too. */
  findReason(tx: Db, row: UserRow): Promise<string | undefined>;
  /** Why the account is never taken over by itself and its person stays an admin, or undefined: it is ordinary. */
  findPrivilege(tx: Db, row: UserRow): Promise<string | undefined>;
  /** The same of many, by id; ordinary ones are not among them. */
  listPrivileged(tx: Db, rows: readonly UserRow[]): Promise<ReadonlyMap<UserId, string>>;
  /** The same of an account of the service, by what the service says and by what the store knows of it. */
  findAccountPrivilege(
    tx: Db,
    account: { readonly upstreamId: number; readonly names: readonly (string | undefined)[] },
  ): Promise<string | undefined>;
  /** Why nothing may be taken from this group, or undefined: it may. */
  findGroupReason(tx: Db, row: GroupRow): Promise<string | undefined>;
  /** Whether the settings protect whoever has this name. */
  protectsName(type: 'user' | 'group', name: string): boolean;
}

/** Whether there are rules: without them nothing is read and nothing computed. */
export function hasRules({ book }: Rules): boolean {
  return book.rules.length > 0;
}
