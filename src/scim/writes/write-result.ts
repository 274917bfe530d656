import type { GroupId, UserId } from '../../domain/ids.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { UserRow } from '../../store/users/users.ts';
import type { Preconditions } from '../http/etag.ts';

/** Resource of a write, and the versions that the provider means. */
export interface WriteTarget {
  readonly id: string;
  readonly preconditions: Preconditions;
}

interface WriteResult<Row> {
  readonly row: Row;
  /** Undefined: the service already holds the written values, so there is nothing to wait for. */
  readonly undo: Undo | undefined;
  /** Names the wait that was stored with the write, where another process brings it to the service. */
  readonly waitId?: string | undefined;
  /** True when it is known by the ids of a deleted one from now on. */
  readonly hasFormerIds?: boolean;
  /** True when other resources are due now that no request waits for. */
  readonly notifies?: boolean;
}

/** Stored write of a user, with the facts that the wait for it needs. */
export interface UserWriteResult extends WriteResult<UserRow> {
  readonly type: 'user';
  readonly id: UserId;
  /** True when it takes access or a licence. */
  readonly takesAccess?: boolean;
}

/** Stored write of a group, with the facts that the wait for it needs. */
export interface GroupWriteResult extends WriteResult<GroupRow> {
  readonly type: 'group';
  readonly id: GroupId;
  /** True when it takes a member, an admin or a permission. */
  readonly takesAccess?: boolean;
}

/** Stored write of a user or group. */
export type AcceptedWrite = UserWriteResult | GroupWriteResult;

/** A POST of what only an operator can identify. It is recorded, so it is a result and not an error. */
export interface Disputed {
  readonly kind: 'disputed';
  readonly detail: string;
}
