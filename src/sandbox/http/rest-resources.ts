import type { Directory } from '../directory.ts';
import { takesLicence } from '../directory-users.ts';
import type { SandboxGroup, SandboxUser } from '../model.ts';

/** A user in the answers to changes of groups: the documents' UB. */
export function toRestUser(user: SandboxUser) {
  return {
    id: user.id,
    uid: user.uid,
    full_name: user.fullName,
    email: user.email,
    username: user.userName,
    avatar_initials_url: null,
    avatar_uploaded_url: null,
    initials: user.fullName.slice(0, 2).toUpperCase(),
    avatar_type: 2,
    lng: 'en',
    timezone: 'UTC',
    theme: 'light',
    created: user.created,
    updated: user.updated,
    activated: true,
    ui_version: 2,
    virtual: user.virtual,
    email_blocked: null,
    email_blocked_reason: null,
    delete_requested_at: null,
  };
}

/** A user in the lists of a group: the documents' UC. */
export function toRestGroupUser(user: SandboxUser) {
  return {
    ...toRestUser(user),
    sd_telegram_id: null,
    news_subscription: false,
    delete_confirmation_sent_at: null,
  };
}

/** A company user after an update: the documents' CUU. `role` 3 is a deactivated account. */
export function toUpdatedCompanyUser({ companyUid }: Directory, user: SandboxUser) {
  return {
    ...toRestUser(user),
    user_id: user.id,
    company_id: toCompanyId(companyUid),
    default_space_id: null,
    role: user.active ? user.role : 3,
    permissions: user.permissions,
    apps_permissions: user.appsPermissions,
    email_frequency: 2,
    email_settings: null,
    slack_id: null,
    slack_private_channel_id: null,
    slack_settings: null,
    telegram_sd_bot_enabled: false,
    external: false,
    notification_settings: null,
    work_time_settings: null,
    invite_last_sent_at: null,
    last_request_date: null,
    last_request_method: null,
    notification_enabled_channels: [],
    personal_settings: null,
    locked: null,
    temporarily_inactive: user.temporarilyInactive,
  };
}

/** A company user in the list: the documents' CUL, whose `permissions` include those of groups. */
export function toListedCompanyUser(directory: Directory, user: SandboxUser) {
  const { groups, members } = directory.state;
  const joined = [...members.groupsOf(user.id)].flatMap((groupId) => groups.find(groupId) ?? []);
  return {
    ...toUpdatedCompanyUser(directory, user),
    own_permissions: user.permissions,
    permissions: joined.reduce((mask, group) => mask | group.permissions, user.permissions),
    spaces: [],
    groups: joined.map(({ id, uid, name }) => ({ id, uid, name })),
    take_licence: takesLicence(user),
  };
}

/** The account behind the token. */
export function toCurrentUser(directory: Directory, user: SandboxUser) {
  return { ...toListedCompanyUser(directory, user), has_password: true };
}

/** A group: the documents' GRP. */
export function toRestGroup(group: SandboxGroup) {
  return {
    name: group.name,
    permissions: group.permissions,
    add_to_cards_and_spaces_enabled: group.addToCardsAndSpacesEnabled,
    updated: group.updated,
    created: group.created,
    id: group.id,
    uid: group.uid,
  };
}

/** A company has a numeric id too; it is derived from the uid, so that it need not be stored. */
function toCompanyId(companyUid: string): number {
  return Number.parseInt(companyUid.slice(0, 6), 16) || 1;
}
