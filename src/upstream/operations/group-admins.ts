import { userExtended, userOfGroup } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** Administrators of a company group. */
export const groupAdmins = {
  /** Makes somebody an administrator; 409 means that it is so already. */
  addAdminToGroup: {
    id: 'groupAdmins.addAdminToGroup',
    api: 'rest',
    method: 'POST',
    path: '/groups/{group_uid}/admins',
    pathParameters: { group_uid: 'string' },
    body: { 'user_id*': 'integer' },
    response: { kind: 'object', fields: userExtended },
    repeat: 'safe',
    section: 'admins',
    stage: 'beta',
    source: 'REST: groupAdmins',
  },
  /** The administrators of a group, in one answer. */
  getListOfGroupAdmins: {
    id: 'groupAdmins.getListOfGroupAdmins',
    api: 'rest',
    method: 'GET',
    path: '/groups/{group_uid}/admins',
    pathParameters: { group_uid: 'string' },
    response: { kind: 'array', fields: userOfGroup },
    repeat: 'safe',
    section: 'admins',
    stage: 'beta',
    source: 'REST: groupAdmins',
  },
  /** Takes the administration away; 404 means that it is so already. */
  removeAdminFromGroup: {
    id: 'groupAdmins.removeAdminFromGroup',
    api: 'rest',
    method: 'DELETE',
    path: '/groups/{group_uid}/admins/{user_id}',
    pathParameters: { group_uid: 'string', user_id: 'integer' },
    response: { kind: 'object', fields: userExtended },
    repeat: 'safe',
    section: 'admins',
    stage: 'beta',
    source: 'REST: groupAdmins',
  },
} as const satisfies OperationGroup;
