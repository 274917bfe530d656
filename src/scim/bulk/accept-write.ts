import { assertNever } from '../../domain/errors.ts';
import type { ScimDeps } from '../deps.ts';
import {
  acceptGroupDeletion,
  acceptGroupPatch,
  acceptGroupReplacement,
  acceptNewGroup,
} from '../groups/accept.ts';
import { assertOpen } from '../http/guards.ts';
import {
  acceptNewUser,
  acceptUserDeletion,
  acceptUserPatch,
  acceptUserReplacement,
} from '../users/accept.ts';
import type { AcceptedWrite, GroupWriteResult, UserWriteResult } from '../writes/write-result.ts';
import type { BulkAction } from './bulk-operation.ts';

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
    return acceptUserWrite(deps, action);
  }
  assertOpen(deps, 'group');
  return acceptGroupWrite(deps, action);
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
