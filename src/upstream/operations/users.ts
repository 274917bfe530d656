import { idList } from './fields/parameters.ts';
import { userExtended } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** People as the service shows them to everybody, and the account behind the token. The documents only name this group. */
export const users = {
  /** Whose token this is: the account that must never lock itself out. */
  retrieveCurrentUser: {
    id: 'users.retrieveCurrentUser',
    api: 'rest',
    method: 'GET',
    path: '/users/current',
    response: {
      kind: 'object',
      fields: [
        ...userExtended,
        'company_id',
        'permissions',
        'role',
        'apps_permissions',
        'has_password',
      ],
    },
    repeat: 'safe',
    section: 'account',
    source: 'field-notes',
  },
  /**
   * The people of the company, or, without the right to manage them, those of shared spaces. Which fields come is not
   * known for sure.
   */
  retrieveListOfUsers: {
    id: 'users.retrieveListOfUsers',
    api: 'rest',
    method: 'GET',
    path: '/users',
    query: {
      type: 'string',
      query: 'string',
      access_type_permissions: 'string',
      ids: idList,
      limit: 'integer',
      offset: 'integer',
      include_inactive: 'boolean',
      exclude_directly_added_members_by_entity_uid: 'string',
    },
    response: { kind: 'array', fields: [] },
    paging: 'offset',
    repeat: 'safe',
    source: 'field-notes',
  },
  /** Changes the profile of an account. The service refuses a body that holds nothing. */
  updateUser: {
    id: 'users.updateUser',
    api: 'rest',
    method: 'PATCH',
    path: '/users/{id}',
    pathParameters: { id: 'integer' },
    body: {
      username: 'string',
      full_name: 'string',
      initials: 'string',
      avatar_type: 'integer',
      password: 'string',
      old_password: 'string',
      lng: 'string',
      default_space_id: 'integer | null',
      theme: 'string',
      email_frequency: 'integer',
      timezone: 'string',
      subject_by: 'integer',
      email_settings: 'object',
      telegram_settings: 'object',
      slack_settings: 'object',
      notification_enabled_channels: 'string[]',
      notification_settings: 'object',
      ui_version: 'integer',
    },
    response: {
      kind: 'object',
      fields: [
        ...userExtended,
        'show_tour',
        'news_subscription',
        'work_time_settings',
        'telegram_id',
        'has_password',
      ],
    },
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
