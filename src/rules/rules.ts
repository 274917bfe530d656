import type { RuleBook } from '../domain/rule-book.ts';
import type { Deactivation } from '../domain/user.ts';
import { listLinks } from '../store/links/links.ts';
import type { Protection } from '../store/resources/protection.ts';
import type { GroupRow } from '../store/resources/rows.ts';
import { toGroupState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';

/** Rules of the configuration with what following them needs. */
export interface Rules {
  readonly book: RuleBook;
  readonly deactivation: Deactivation;
  readonly protection: Protection;
}

/** Reason why a group is never taken over by itself; undefined: it is ordinary. Its admin list has to be read before. */
export async function findGroupPrivilege(
  tx: Db,
  { rules }: { readonly rules: Rules },
  row: GroupRow,
): Promise<string | undefined> {
  const reason = await rules.protection.findReason(tx, row);
  if (reason !== undefined) return reason;
  const ruled = findRuledPrivilege(rules.book, row.name);
  if (ruled !== undefined) return ruled;
  const { observed, desired } = toGroupState(row);
  if ((observed?.permissions ?? desired.permissions ?? 0) > 0) {
    return 'The group holds permissions.';
  }
  return (await hasAdmins(tx, row)) ? 'The group has admins.' : undefined;
}

async function hasAdmins(tx: Db, row: GroupRow): Promise<boolean> {
  const admins = await listLinks(tx, row, { list: 'admin' });
  return admins.some((link) => (link.desired ?? link.observed) === 1);
}

/** A takeover of such a group would give its members the rights of the rules. */
function findRuledPrivilege(book: RuleBook, name: string): string | undefined {
  if (book.isSource(name)) return 'By the rules of the bridge the members administer a group.';
  if (Object.keys(book.ruleEntities(name)).length > 0) {
    return 'The rules of the bridge give the group roles in spaces or documents.';
  }
  const { permissions } = book.ruleGroup(name);
  if (permissions === undefined || permissions.value === 0) return undefined;
  return 'The rules of the bridge give the group permissions.';
}
