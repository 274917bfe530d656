// Response field lists of people and company groups, as the documents name them, and the types that are known of them.

/** UB: a user, extended. */
export const userExtended = [
  'id',
  'uid',
  'full_name',
  'email',
  'username',
  'avatar_initials_url',
  'avatar_uploaded_url',
  'initials',
  'avatar_type',
  'lng',
  'timezone',
  'theme',
  'created',
  'updated',
  'activated',
  'ui_version',
  'virtual',
  'email_blocked',
  'email_blocked_reason',
  'delete_requested_at',
] as const;

/** UC: a user of a group. */
export const userOfGroup = [
  'created',
  'updated',
  'id',
  'uid',
  'full_name',
  'username',
  'email',
  'activated',
  'avatar_initials_url',
  'avatar_uploaded_url',
  'initials',
  'avatar_type',
  'lng',
  'sd_telegram_id',
  'timezone',
  'news_subscription',
  'theme',
  'ui_version',
  'virtual',
  'email_blocked',
  'email_blocked_reason',
  'delete_requested_at',
  'delete_confirmation_sent_at',
] as const;

/** GRP: a company group. */
export const companyGroup = [
  'name',
  'permissions',
  'add_to_cards_and_spaces_enabled',
  'updated',
  'created',
  'id',
  'uid',
] as const;

/** CUL: a company user, listed. */
export const companyUserListed = [
  ...userExtended,
  'permissions',
  'own_permissions',
  'spaces',
  'groups',
  'company_id',
  'user_id',
  'default_space_id',
  'role',
  'email_frequency',
  'email_settings',
  'slack_id',
  'slack_settings',
  'notification_settings',
  'notification_enabled_channels',
  'slack_private_channel_id',
  'telegram_sd_bot_enabled',
  'invite_last_sent_at',
  'apps_permissions',
  'external',
  'last_request_date',
  'last_request_method',
  'work_time_settings',
  'personal_settings',
  'locked',
  'take_licence',
] as const;

/** CUU: a company user, after an update. */
export const companyUserUpdated = [
  ...userExtended,
  'user_id',
  'company_id',
  'default_space_id',
  'role',
  'permissions',
  'apps_permissions',
  'email_frequency',
  'email_settings',
  'slack_id',
  'slack_private_channel_id',
  'slack_settings',
  'telegram_sd_bot_enabled',
  'external',
  'notification_settings',
  'work_time_settings',
  'invite_last_sent_at',
  'last_request_date',
  'last_request_method',
  'notification_enabled_channels',
  'personal_settings',
  'locked',
  'temporarily_inactive',
] as const;
/** UA: a user, short. */
export const userShort = [
  'id',
  'full_name',
  'email',
  'username',
  'avatar_initials_url',
  'avatar_uploaded_url',
  'initials',
  'avatar_type',
  'lng',
  'timezone',
  'theme',
  'created',
  'updated',
  'activated',
  'ui_version',
] as const;

/** UBL: a user of a card blocker. */
export const userOfBlocker = [
  'created',
  'updated',
  'id',
  'full_name',
  'email',
  'username',
  'activated',
  'show_tour',
  'avatar_initials_url',
  'initials',
  'avatar_type',
  'avatar_uploaded_url',
  'lng',
  'timezone',
  'chat_enabled',
  'theme',
  'sd_telegram_id',
  'news_subscription',
  'ui_version',
  'uid',
  'virtual',
  'email_blocked',
  'email_blocked_reason',
  'delete_requested_at',
  'delete_confirmation_sent_at',
  'eula_accepted_at',
  'terms_of_service_accepted_at',
  'privacy_policy_accepted_at',
  'block_uid',
  'user_uid',
] as const;

/** GEN: what a company group may do in one entity of the tree. */
export const groupEntity = [
  'group_id',
  'entity_uid',
  'role_permissions',
  'access_mod',
  'own_role_ids',
  'own_access_mod',
  'role_ids',
] as const;

/** Types of GRP: its REST ids are a number and a text, its permissions a bit mask. */
export const companyGroupTypes = { id: 'integer', uid: 'string', permissions: 'integer' } as const;

/** Types of GEN. */
export const groupEntityTypes = {
  entity_uid: 'string',
  role_ids: 'string[]',
  role_permissions: 'object',
} as const;

/** Types of CUU: `permissions` is a bit mask that groups add to, `role` 1 owner, 2 user, 3 deactivated. */
export const companyUserUpdatedTypes = {
  permissions: 'integer',
  role: 'integer',
  temporarily_inactive: 'boolean',
} as const;

/** Types of CUL: `own_permissions` is the part of `permissions` that comes from no group. */
export const companyUserListedTypes = {
  permissions: 'integer',
  own_permissions: 'integer',
  role: 'integer',
  groups: 'object[]',
} as const;
