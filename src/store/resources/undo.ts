import type { GroupField } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import type { LinkWrite } from '../links/links.ts';
import type { Origin } from '../schema.ts';

/** Facts that take one write of a user back. */
export interface UserUndo {
  readonly type: 'user';
  /** The user before the write; undefined: there was none. */
  readonly before: UserBefore | undefined;
  /** Attributes as the write left them, as stored: while they are unchanged, no later write changed them. */
  readonly after: string;
}

/** A user as a write found it. */
export interface UserBefore {
  readonly attributes: JsonObject;
  readonly pending: Pending<UserField>;
  /** The given values, as stored; absent: there were none. */
  readonly given?: string;
  /** null: only observed, so the write took the account over. */
  readonly origin: Origin | null;
  /** The account belonged to a deleted user, and the write gave it to a new one. */
  readonly deleted: boolean;
}

/** Facts that take one write of a group back. */
export interface GroupUndo {
  readonly type: 'group';
  /** The group before the write; undefined: there was none. */
  readonly before: GroupBefore | undefined;
  /** Attributes as the write left them, as stored: while they are unchanged, no later write changed them. */
  readonly after: string;
  /** The links that the write changed, as they were; null: there was none. */
  readonly members: ReadonlyMap<UserId, LinkWrite | null>;
  readonly admins: ReadonlyMap<UserId, LinkWrite | null>;
  /** True when the write removes members or admins, which is never taken back for the rest of it. */
  readonly removes?: boolean;
}

/** A group as a write found it. */
export interface GroupBefore {
  readonly attributes: JsonObject;
  readonly pending: Pending<GroupField>;
  /** The given values, as stored; absent: there were none. */
  readonly given?: string;
  /** 1: a provider wrote the list of admins; absent: none did. */
  readonly adminsAsked?: number;
  /** null: only observed, so the write took the group over. */
  readonly origin: Origin | null;
  /** The group had been released, and the write took it up again. */
  readonly deleted: boolean;
}
