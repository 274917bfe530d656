import { userExtended, userOfGroup } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** Members of a company group, one at a time. */
export const groupUsers = {
  /** Adds a member; 409 means that the member is there already. */
  addUserToGroup: {
    id: 'groupUsers.addUserToGroup',
    api: 'rest',
    method: 'POST',
    path: '/groups/{group_uid}/users',
    pathParameters: { group_uid: 'string' },
    body: {
      'user_id*': 'integer',
      request_id: 'string',
      operator_comment: 'string | null',
    },
    response: { kind: 'object', fields: userExtended },
    repeat: 'safe',
    section: 'members',
    stage: 'beta',
    source: 'REST: groupUsers',
  },
  /** The members of a group, in one answer. */
  getListOfGroupUsers: {
    id: 'groupUsers.getListOfGroupUsers',
    api: 'rest',
    method: 'GET',
    path: '/groups/{group_uid}/users',
    pathParameters: { group_uid: 'string' },
    response: { kind: 'array', fields: userOfGroup },
    repeat: 'safe',
    section: 'members',
    stage: 'beta',
    source: 'REST: groupUsers',
  },
  /** Removes a member; 404 means that the member is gone already. */
  removeUserFromGroup: {
    id: 'groupUsers.removeUserFromGroup',
    api: 'rest',
    method: 'DELETE',
    path: '/groups/{group_uid}/users/{user_id}',
    pathParameters: { group_uid: 'string', user_id: 'integer' },
    response: { kind: 'object', fields: userExtended },
    repeat: 'safe',
    section: 'members',
    stage: 'beta',
    source: 'REST: groupUsers',
  },
} as const satisfies OperationGroup;
