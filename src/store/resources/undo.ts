import type { Cells } from '../../domain/cell.ts';
import type { GroupField } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Link, LinkKey } from '../../domain/link.ts';
import type { UserField } from '../../domain/user.ts';
import type { Origin } from '../schema.ts';

/** Facts that take one write of a user or group back. */
export interface Undo {
  /** The user or group before the write; undefined: there was none. */
  readonly before: Before | undefined;
  /** Attributes as the write left them, as stored: while they are unchanged, no later write changed them. */
  readonly after: string;
  /** The links of a group that the write changed. */
  readonly links: readonly WrittenLink[];
  /** True when the write takes access, or removes members or admins, which is never taken back for the rest of it. */
  readonly removes: boolean;
}

/** A user or group as a write found it. */
export interface Before {
  readonly attributes: JsonObject;
  readonly cells: Cells<UserField | GroupField>;
  /** null: only observed, so the write took the account or group over. */
  readonly origin: Origin | null;
  /**
   * The account belonged to a deleted user, and the write gave it to a new one; or the group had been released, and the
   * write took it up again.
   */
  readonly deleted: boolean;
  /** 1: a provider wrote the list of admins of the group; absent: none did. */
  readonly adminsAsked?: number;
  readonly innerGroups?: string;
}

/** A link that a write changed. */
export interface WrittenLink extends LinkKey {
  /** As it was; null: there was none. */
  readonly before: Link | null;
}
