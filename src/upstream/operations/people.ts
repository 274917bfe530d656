import { operations, operationsWith, shape } from './row.ts';
import { userExtended, userOfGroup } from './shared-shapes.ts';

/** A company user: `permissions` is a bit mask that groups add to, `role` 1 owner, 2 user, 3 deactivated. */
const companyUser = shape`
  CompanyUser: ${userExtended} user_id company_id default_space_id role:integer permissions:integer
  apps_permissions email_frequency email_settings slack_id slack_private_channel_id slack_settings
  telegram_sd_bot_enabled external notification_settings work_time_settings invite_last_sent_at
  last_request_date last_request_method notification_enabled_channels personal_settings locked
`;

/** CUL: a company user, listed. `own_permissions` is the part of `permissions` that comes from no group. */
const companyUserListed = shape`
  ListedCompanyUser: ${companyUser} own_permissions:integer spaces groups:object[] take_licence
`;

/** CUU: a company user, after an update. */
const companyUserUpdated = shape`UpdatedCompanyUser: ${companyUser} temporarily_inactive:boolean`;

/** GRP: a company group: its REST ids are a number and a text, its permissions a bit mask. */
const companyGroup = shape`
  Group: name permissions:integer add_to_cards_and_spaces_enabled updated created id:integer
  uid:string
`;

/** GEN: what a company group may do in one entity of the tree. */
const groupEntity = shape`
  GroupEntity: group_id entity_uid:string role_permissions:object access_mod own_role_ids
  own_access_mod role_ids:string[]
`;

/** The users of the company with their roles and licences. */
export const companyUsers = operationsWith({ section: 'companyUsers' })(
  'companyUsers',
  '/company/users',
  {
    getListOfUsers: {
      about:
        'All users. `query` and the other filters work only together with `for_members_section`.',
      call: 'GET',
      query: `
        invitesOnly withTransferAccessStatus for_members_section owner_only only_paid
        only_records_count only_virtual offset limit query access_type_permissions sd_access_type
        take_licence temporarily_inactive_status group_ids permissions:(string|number)[]
      `,
      answer: [companyUserListed],
      paging: 'offset',
      pagesOnlyWith: { for_members_section: true },
    },
    removeVirtualUser: {
      about: 'Deletes a virtual user; ordinary users cannot be deleted.',
      call: 'DELETE /{id}',
    },
    updateUser: {
      call: 'PATCH /{id}',
      body: 'apps_permissions temporarily_inactive',
      answer: companyUserUpdated,
    },
  },
);

/**
 * Users as the service shows them to every user, and the account behind the token. The documents only name this
 * group.
 */
export const users = operationsWith({ source: 'field-notes' })('users', '/users', {
  retrieveCurrentUser: {
    about: 'The account of the token, which must never lock itself out.',
    call: 'GET /current',
    answer: shape`${userExtended} company_id permissions role apps_permissions has_password`,
    section: 'account',
  },
  retrieveListOfUsers: {
    about:
      'The users of the company, or, without the right to manage them, those of shared spaces. ' +
      'The fields of the answer are not known for sure.',
    call: 'GET',
    query: `
      type:string query access_type_permissions exclude_directly_added_members_by_entity_uid
      ids:string|integer|integer[]|string[] limit offset include_inactive
    `,
    answer: [''],
    paging: 'offset',
  },
  updateUser: {
    about: 'Changes the profile of an account. The service refuses a body that holds nothing.',
    call: 'PATCH /{id}',
    body: `
      username full_name initials password old_password lng theme timezone avatar_type
      email_frequency subject_by ui_version default_space_id email_settings telegram_settings
      slack_settings notification_settings notification_enabled_channels
    `,
    answer: shape`
      ${userExtended} show_tour news_subscription work_time_settings telegram_id has_password
    `,
  },
});

const role = shape`UserRole: name company_id:integer|null updated created id uid`;

/** Roles in which time is logged; not roles of access. */
export const userRoles = operationsWith({ source: 'field-notes' })('userRoles', '/user-roles', {
  createUserRole: { call: 'POST', body: 'name*', answer: role },
  getListOfUserRoles: { call: 'GET', answer: [role] },
  getUserRole: { call: 'GET /{role_id}', answer: role },
  removeUserRole: {
    about: 'Deletes a role; its time logs go to another.',
    call: 'DELETE /{role_id}',
    body: 'replace_role_id*',
    answer: role,
  },
  updateUserRole: { call: 'PATCH /{role_id}', body: 'name*', answer: role },
});

/** Company groups with their permissions (a bit mask). */
export const groups = operationsWith({ stage: 'beta', section: 'groups' })(
  'groups',
  '/company/groups',
  {
    createGroup: {
      about: 'Creates a group; the answer carries both its ids.',
      call: 'POST',
      body: 'name* permissions add_to_cards_and_spaces_enabled',
      answer: companyGroup,
    },
    getGroup: { call: 'GET /{uid}', answer: companyGroup },
    getListOfGroups: {
      about: 'All groups. The service pages only when `limit` or `offset` is sent.',
      call: 'GET',
      query: `
        with_tree_entities with_users_count with_sync_group_attribute condition:string|number query
        limit offset
      `,
      answer: [companyGroup],
      paging: 'offset',
    },
    removeGroup: {
      about: 'Deletes a group; 404 means that it is gone already.',
      call: 'DELETE /{uid}',
      answer: companyGroup,
    },
    updateGroup: {
      call: 'PATCH /{uid}',
      body: 'name permissions add_to_cards_and_spaces_enabled',
      answer: companyGroup,
    },
  },
);

/** Members of a company group, one at a time. */
export const groupUsers = operationsWith({ stage: 'beta', section: 'members' })(
  'groupUsers',
  '/groups/{group_uid}/users',
  {
    addUserToGroup: {
      about: 'Adds a member; 409 means that the member is there already.',
      call: 'POST',
      body: 'user_id* request_id operator_comment',
      answer: userExtended,
      repeat: 'safe',
    },
    getListOfGroupUsers: { call: 'GET', answer: [userOfGroup] },
    removeUserFromGroup: {
      about: 'Removes a member; 404 means that the member is gone already.',
      call: 'DELETE /{user_id}',
      answer: userExtended,
    },
  },
);

/** Administrators of a company group. */
export const groupAdmins = operationsWith({ stage: 'beta', section: 'admins' })(
  'groupAdmins',
  '/groups/{group_uid}/admins',
  {
    addAdminToGroup: {
      about: 'Makes a user an administrator; 409 means that it is so already.',
      call: 'POST',
      body: 'user_id*',
      answer: userExtended,
      repeat: 'safe',
    },
    getListOfGroupAdmins: { call: 'GET', answer: [userOfGroup] },
    removeAdminFromGroup: {
      about: 'Removes an administrator; 404 means that it is so already.',
      call: 'DELETE /{user_id}',
      answer: userExtended,
    },
  },
);

/** Roles of a company group in spaces and documents. */
export const groupEntities = operationsWith({ stage: 'beta' })(
  'groupEntities',
  '/company/groups/{group_uid}/entities',
  {
    addEntity: { call: 'POST', body: 'entity_uid* role_ids*', answer: groupEntity },
    getListOfGroupEntities: { call: 'GET', answer: ['uid path title entity_type own_role_ids'] },
    removeEntity: { call: 'DELETE /{uid}', answer: shape`${groupEntity} role own_role` },
    updateGroupEntity: { call: 'PATCH /{uid}', body: 'role_ids', answer: groupEntity },
  },
);

/** The readable record of events in the company. */
export const auditLogs = operations('auditLogs', '/audit-logs', {
  retrieveAuditLogEvents: {
    about: 'Events, newest first as far as is known; `from` and `to` are inclusive ISO 8601 times.',
    call: 'GET',
    query: 'from to author_uid categories actions:string id author_id limit offset',
    answer: [
      `
      id:string app_name:string|null company_uid:string|null author_id:number|null
      author_uid:string|null author_username:string|null author_remote_address:string|null
      author:object|null category:string action:string message:string details:object|null
      created:string
    `,
    ],
    paging: 'offset',
    section: 'audit',
  },
});
