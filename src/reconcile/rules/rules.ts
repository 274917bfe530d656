import type { RuleBook } from '../../domain/rule-book.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { Db } from '../../store/database.ts';
import type { UserRow } from '../../store/users.ts';

/** What following the rules of the configuration needs. */
export interface Rules {
  readonly book: RuleBook;
  readonly deactivation: Deactivation;
  readonly protection: RuleProtection;
}

/** Whom no rule may harm: the same people as no request may. */
export interface RuleProtection {
  /** Why nobody may suspend this person, or undefined: they may. */
  findReason(tx: Db, row: UserRow): Promise<string | undefined>;
  /** Why the person stays an admin, or undefined: they need not. */
  findPrivilege(row: UserRow): string | undefined;
}

/** Whether there are rules: without them nothing is read and nothing computed. */
export function hasRules({ book }: Rules): boolean {
  return book.rules.length > 0;
}
