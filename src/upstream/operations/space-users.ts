import { userShort } from './fields/people.ts';
import { spaceAccess } from './fields/spaces.ts';
import type { OperationGroup } from './operation.ts';

/** People of a space. */
export const spaceUsers = {
  /** Sets the role of a person in a space, and what the person hears of it. */
  changeUserRoleAndNotificationSettings: {
    id: 'spaceUsers.changeUserRoleAndNotificationSettings',
    api: 'rest',
    method: 'PATCH',
    path: '/spaces/{space_id}/users/{id}',
    pathParameters: { space_id: 'integer', id: 'integer' },
    body: {
      role_id: 'string',
      notifications_enabled: 'boolean',
      space_group_id: 'number | null',
      settings: 'object',
    },
    response: { kind: 'object', fields: [...spaceAccess, 'id'] },
    repeat: 'safe',
    source: 'REST: spaceUsers',
  },
  /** The people of a space. A page begins behind `last_user_id`. */
  getListOfUsers: {
    id: 'spaceUsers.getListOfUsers',
    api: 'rest',
    method: 'GET',
    path: '/spaces/{space_id}/users',
    pathParameters: { space_id: 'integer' },
    query: {
      include_inherited_access: 'boolean',
      inactive: 'boolean',
      limit: 'integer',
      last_user_id: 'integer',
    },
    response: {
      kind: 'array',
      fields: [
        ...userShort,
        'virtual',
        'apps_permissions',
        'temporarily_inactive',
        'access_mod',
        'own_role_ids',
        'own_access_mod',
        'own_role',
        'current',
      ],
    },
    paging: 'last-user-id',
    repeat: 'safe',
    source: 'REST: spaceUsers',
  },
  /** One person of a space. */
  getUser: {
    id: 'spaceUsers.getUser',
    api: 'rest',
    method: 'GET',
    path: '/spaces/{space_id}/users/{id}',
    pathParameters: { space_id: 'integer', id: 'integer' },
    response: {
      kind: 'object',
      fields: [...userShort, 'virtual', 'entity_uid', 'user_id', 'access_mod'],
    },
    repeat: 'safe',
    source: 'REST: spaceUsers',
  },
  /** Invites a person to a space by e-mail address. */
  inviteUserToSpace: {
    id: 'spaceUsers.inviteUserToSpace',
    api: 'rest',
    method: 'POST',
    path: '/spaces/{space_id}/users',
    pathParameters: { space_id: 'integer' },
    body: {
      'email*': 'string',
      role_id: 'string',
      guest: 'boolean',
      operator_comment: 'string',
      send_email: 'boolean',
    },
    response: { kind: 'object', fields: ['user', 'access_record', 'message'] },
    repeat: 'unsafe',
    source: 'REST: spaceUsers',
  },
  /** Takes a person out of a space. */
  removeUserFromSpace: {
    id: 'spaceUsers.removeUserFromSpace',
    api: 'rest',
    method: 'DELETE',
    path: '/spaces/{space_id}/users/{id}',
    pathParameters: { space_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: spaceAccess },
    repeat: 'safe',
    source: 'REST: spaceUsers',
  },
} as const satisfies OperationGroup;
