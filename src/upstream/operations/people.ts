import { operations, shape } from './row.ts';
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
export const companyUsers = operations('companyUsers', '/company/users', {
  section: 'companyUsers',
})`
  getListOfUsers GET => [${companyUserListed}]
    about All users. \`query\` and the other filters work only together with
      \`for_members_section\`.
    query invitesOnly withTransferAccessStatus for_members_section owner_only only_paid
      only_records_count only_virtual offset limit query access_type_permissions sd_access_type
      take_licence temporarily_inactive_status group_ids permissions:(string|number)[]
    pagesOnlyWith for_members_section
  removeVirtualUser DELETE /{id}
    about Deletes a virtual user; ordinary users cannot be deleted.
  updateUser PATCH /{id} => ${companyUserUpdated}
    body apps_permissions temporarily_inactive
`;

/** Users as the service shows them to every user, and the account behind the token. The documents only name this group. */
export const users = operations('users', '/users', { source: 'field-notes' })`
  retrieveCurrentUser GET /current
    about The account of the token, which must never lock itself out.
    section account
    answer ${userExtended} company_id permissions role apps_permissions has_password
  retrieveListOfUsers GET => [?]
    about The users of the company, or, without the right to manage them, those of shared spaces.
      The fields of the answer are not known for sure.
    query type:string query access_type_permissions exclude_directly_added_members_by_entity_uid
      ids:string|integer|integer[]|string[] limit offset include_inactive
  updateUser PATCH /{id}
    about Changes the profile of an account. The service refuses a body that holds nothing.
    body username full_name initials password old_password lng theme timezone avatar_type
      email_frequency subject_by ui_version default_space_id email_settings telegram_settings
      slack_settings notification_settings notification_enabled_channels
    answer ${userExtended} show_tour news_subscription work_time_settings telegram_id has_password
`;

const role = shape`UserRole: name company_id:integer|null updated created id uid`;

/** Roles in which time is logged; not roles of access. */
export const userRoles = operations('userRoles', '/user-roles', { source: 'field-notes' })`
  createUserRole POST => ${role}
    body name*
  getListOfUserRoles GET => [${role}]
  getUserRole GET /{role_id} => ${role}
  removeUserRole DELETE /{role_id} => ${role}
    about Deletes a role; its time logs go to another.
    body replace_role_id*
  updateUserRole PATCH /{role_id} => ${role}
    body name*
`;

/** Company groups with their permissions (a bit mask). */
export const groups = operations('groups', '/company/groups', { stage: 'beta', section: 'groups' })`
  createGroup POST => ${companyGroup}
    about Creates a group; the answer carries both its ids.
    body name* permissions add_to_cards_and_spaces_enabled
  getGroup GET /{uid} => ${companyGroup}
  getListOfGroups GET => [${companyGroup}]
    about All groups. The service pages only when \`limit\` or \`offset\` is sent.
    query with_tree_entities with_users_count with_sync_group_attribute condition:string|number
      query limit offset
  removeGroup DELETE /{uid} => ${companyGroup}
    about Deletes a group; 404 means that it is gone already.
  updateGroup PATCH /{uid} => ${companyGroup}
    body name permissions add_to_cards_and_spaces_enabled
`;

/** Members of a company group, one at a time. */
export const groupUsers = operations('groupUsers', '/groups/{group_uid}/users', {
  stage: 'beta',
  section: 'members',
})`
  addUserToGroup POST => ${userExtended}
    about Adds a member; 409 means that the member is there already.
    body user_id* request_id operator_comment
    repeat safe
  getListOfGroupUsers GET => [${userOfGroup}]
  removeUserFromGroup DELETE /{user_id} => ${userExtended}
    about Removes a member; 404 means that the member is gone already.
`;

/** Administrators of a company group. */
export const groupAdmins = operations('groupAdmins', '/groups/{group_uid}/admins', {
  stage: 'beta',
  section: 'admins',
})`
  addAdminToGroup POST => ${userExtended}
    about Makes a user an administrator; 409 means that it is so already.
    body user_id*
    repeat safe
  getListOfGroupAdmins GET => [${userOfGroup}]
  removeAdminFromGroup DELETE /{user_id} => ${userExtended}
    about Removes an administrator; 404 means that it is so already.
`;

/** Roles of a company group in spaces and documents. */
export const groupEntities = operations('groupEntities', '/company/groups/{group_uid}/entities', {
  stage: 'beta',
})`
  addEntity POST => ${groupEntity}
    body entity_uid* role_ids*
  getListOfGroupEntities GET => [uid path title entity_type own_role_ids]
  removeEntity DELETE /{uid} => ${groupEntity} role own_role
  updateGroupEntity PATCH /{uid} => ${groupEntity}
    body role_ids
`;

/** The readable record of events in the company. */
export const auditLogs = operations('auditLogs', '/audit-logs')`
  retrieveAuditLogEvents GET
    about Events, newest first as far as is known; \`from\` and \`to\` are inclusive ISO 8601 times.
    query from to author_uid categories actions:string id author_id limit offset
    section audit
    answer [id:string app_name:string|null company_uid:string|null author_id:number|null
      author_uid:string|null author_username:string|null author_remote_address:string|null
      author:object|null category:string action:string message:string details:object|null
      created:string]
`;
