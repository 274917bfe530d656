import { assertNever } from '../../domain/errors.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import type { ScimDeps } from '../deps.ts';
import {
  acceptGroupDeletion,
  acceptGroupPatch,
  acceptGroupReplacement,
  acceptNewGroup,
} from '../groups/accept.ts';
import type { GroupWriteResult } from '../groups/store-change.ts';
import { assertOpen } from '../http/assert-open.ts';
import { settleGroup, settleUser } from '../settle.ts';
import {
  acceptNewUser,
  acceptUserDeletion,
  acceptUserPatch,
  acceptUserReplacement,
} from '../users/accept.ts';
import type { UserWriteResult } from '../users/store-change.ts';
import type { BulkAction } from './bulk-operation.ts';

/** A write that was stored and may still have to be settled. */
export type AcceptedWrite =
  | { readonly type: 'User'; readonly write: UserWriteResult }
  | { readonly type: 'Group'; readonly write: GroupWriteResult };

/** The resource that was written. */
export function toKey({ type, write }: AcceptedWrite): ResourceKey {
  return type === 'User' ? { type: 'user', id: write.id } : { type: 'group', id: write.id };
}

/**
 * Stores one write of a bulk request exactly as the single request would, in a transaction of its own.
 * @throws ScimError as the single request
 */
export async function acceptWrite(
  deps: ScimDeps,
  type: 'User' | 'Group',
  action: BulkAction,
): Promise<AcceptedWrite> {
  if (type === 'User') {
    assertOpen(deps, 'user');
    return { type, write: await acceptUserWrite(deps, action) };
  }
  assertOpen(deps, 'group');
  return { type, write: await acceptGroupWrite(deps, action) };
}

/** Waits for the service as the single request would. @throws ScimError when it refused the write */
export async function settleWrite(
  deps: ScimDeps,
  accepted: AcceptedWrite,
  arrivedAt: number,
): Promise<void> {
  if (accepted.type === 'User') return settleUser(deps, accepted.write, arrivedAt);
  return settleGroup(deps, accepted.write, arrivedAt);
}

async function acceptUserWrite(deps: ScimDeps, action: BulkAction): Promise<UserWriteResult> {
  switch (action.method) {
    case 'POST':
      return acceptNewUser(deps, action.data);
    case 'PUT':
      return acceptUserReplacement(deps, action, action.data);
    case 'PATCH':
      return acceptUserPatch(deps, action, action.data);
    case 'DELETE':
      return acceptUserDeletion(deps, action);
    default:
      return assertNever(action);
  }
}

async function acceptGroupWrite(deps: ScimDeps, action: BulkAction): Promise<GroupWriteResult> {
  switch (action.method) {
    case 'POST':
      return acceptNewGroup(deps, action.data);
    case 'PUT':
      return acceptGroupReplacement(deps, action, action.data);
    case 'PATCH':
      return acceptGroupPatch(deps, action, action.data);
    case 'DELETE':
      return acceptGroupDeletion(deps, action);
    default:
      return assertNever(action);
  }
}
