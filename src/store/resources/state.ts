import type { Cells } from '../../domain/cell.ts';
import type { Field, GroupState, State } from '../../domain/kinds.ts';
import { toDesiredGroup, toDesiredUser } from '../../domain/kinds.ts';
import type { Link, LinkKey } from '../../domain/link.ts';
import type { GroupId, JsonObject } from '../../domain/values.ts';
import { hasWaiting } from '../engine/columns.ts';
import type { Origin } from '../schema.ts';
import type { GroupRow, ResourceRow, UserRow } from './rows.ts';

/** Input of the plan for a user. */
export const toUserState = (row: UserRow) => ({
  ...row,
  desired: toDesiredUser(row.attributes, row.deleted_at !== null || row.staged !== null),
  mustLook: row.must_look !== 0,
});

/** The same of a group. @param links waiting changes of its lists; none: only the group itself matters */
export const toGroupState = (row: GroupRow, links: GroupState['links'] = []) => ({
  ...row,
  desired: toDesiredGroup(row.attributes),
  mustLook: row.must_look !== 0,
  links,
});

/** The same of either. */
export const toState = (row: ResourceRow, links?: GroupState['links']): State =>
  row.type === 'user' ? toUserState(row) : toGroupState(row, links);

/** Columns of what the service does not have. */
export const NO_IDS = { upstream_scim_id: null, upstream_id: null, upstream_uid: null } as const;

/** True while something of a user or group waits, or it is not known what the service holds. */
export function isAtWork(row: ResourceRow): boolean {
  // A look that only proves something changes nothing.
  const isDue = row.due_at !== null && row.due_class !== 2;
  return isDue || row.must_look !== 0 || row.unsure_until !== null || hasWaiting(row);
}

/** True for an account that may be an owner's: not the bridge's own, and never shown with its role. */
export function isRoleUnknown(row: UserRow): boolean {
  if (row.origin === 'created' || row.upstream_id === null) return false;
  const { observed } = row;
  return observed !== null && observed.owner === undefined && observed.listedAt === undefined;
}

/** Facts that take one write of a user or group back: as it was (undefined: there was none), and its changed links. */
export interface Undo {
  readonly before: Before | undefined;
  readonly links: readonly WrittenLink[];
  /** Attributes as the write left them: while they are unchanged, no later write changed them. */
  readonly after: JsonObject;
  /** What the write takes, by its fields, and `members` of a list; it is never taken back for the rest of it. */
  readonly taken: readonly string[];
}

/** A user or group as a write found it. */
export interface Before {
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  /** null: only observed, so the write took the account or group over. */
  readonly origin: Origin | null;
  /** The write passed the account of a deleted user on, or took a released group up again. */
  readonly deleted: boolean;
  /** 1: a provider wrote the list of admins of the group; absent: none did. */
  readonly adminsAsked?: number;
  readonly innerGroups?: readonly GroupId[];
}

/** A link that a write changed, as it was; null: there was none. */
export type WrittenLink = LinkKey & { readonly before: Link | null };
