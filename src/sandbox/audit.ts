import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';

/** An audit entry without its author and its time. */
export type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'message' | 'details'>;

/** Action and message of a change of one value. */
type Comparison<Row> = readonly [action: string, message: string, of: (row: Row) => unknown];

const USER_CHANGES: readonly Comparison<SandboxUser>[] = [
  ['transfer_ownership', 'Ownership changed', ({ role }) => role],
  ['change_permissions', 'User permissions changed', ({ permissions }) => permissions],
  ['change_apps_permissions', 'User licence changed', ({ appsPermissions }) => appsPermissions],
  ['change_email', 'User email changed', ({ email }) => email],
];

const GROUP_CHANGES: readonly Comparison<SandboxGroup>[] = [
  ['change_permissions', 'Group permissions changed', ({ permissions }) => permissions],
  ['change_permissions', 'Group shown or not', (group) => group.addToCardsAndSpacesEnabled],
  ['change_permissions', 'Group changed', ({ name }) => name],
];

/**
 * The audit entries of a change of one account; `before` is undefined for a new one. The documentation lists
 * categories and actions without the calls behind them: these are the plausible ones. It has no action for a new
 * name, and one is recorded all the same.
 */
export function userEntries(before: SandboxUser | undefined, after: SandboxUser): AuditEntry[] {
  const details = userDetails(after);
  const toEntry = (action: string, message: string): AuditEntry => {
    return { category: 'user_management', action, message, details };
  };
  if (before === undefined) return [toEntry('invite', 'User invited')];
  const activity = isUsable(after)
    ? toEntry('activate', 'User activated')
    : toEntry('deactivate', 'User deactivated');
  const isRenamed = before.fullName !== after.fullName || before.userName !== after.userName;
  const renamed = toEntry('change_permissions', 'User profile changed');
  return [
    ...(isUsable(before) === isUsable(after) ? [] : [activity]),
    ...listChanges(USER_CHANGES, before, after).map(([action, message]) =>
      toEntry(action, message),
    ),
    ...(isRenamed ? [{ ...renamed, category: 'user_profile' as const }] : []),
  ];
}

/** The audit entry of a removed account. */
export function userRemovedEntry(user: SandboxUser): AuditEntry {
  const details = userDetails(user);
  const message = 'User removed';
  return { category: 'user_management', action: 'depersonalization', message, details };
}

/** The audit entries of a change of a group itself; `before` is undefined for a new one, `after` for a removed one. */
export function groupEntries(
  before: SandboxGroup | undefined,
  after: SandboxGroup | undefined,
): AuditEntry[] {
  const group = after ?? before;
  if (group === undefined) return [];
  const toEntry = (action: string, message: string): AuditEntry => {
    return { category: 'group_management', action, message, details: groupDetails(group) };
  };
  if (before === undefined) return [toEntry('create', 'Group created')];
  if (after === undefined) return [toEntry('delete', 'Group deleted')];
  return listChanges(GROUP_CHANGES, before, after).map(([action, message]) =>
    toEntry(action, message),
  );
}

function listChanges<Row>(changes: readonly Comparison<Row>[], before: Row, after: Row) {
  return changes.filter(([, , of]) => of(before) !== of(after));
}

const LINK_ACTIONS = {
  member: { true: 'add_user', false: 'delete_user' },
  admin: { true: 'add_admin', false: 'delete_admin' },
} as const;

/** The audit entry of a user who joined or left a group or its list of admins. */
export function linkEntry(
  link: LinkKind,
  { group, user, present }: { group: SandboxGroup; user: SandboxUser; present: boolean },
): AuditEntry {
  return {
    category: 'group_management',
    action: LINK_ACTIONS[link][`${present}`],
    message: `Group ${link} ${present ? 'added' : 'removed'}`,
    details: { ...groupDetails(group), ...userDetails(user) },
  };
}

/** The audit entry of a group whose roles in a space changed. */
export function rolesEntry(group: SandboxGroup, space: SandboxSpace, isGiven: boolean): AuditEntry {
  return {
    category: 'group_management',
    action: isGiven ? 'grant_access' : 'revoke_access',
    message: isGiven ? 'Group has roles in a space' : 'Group has no roles in a space',
    details: { ...groupDetails(group), entity_uid: space.uid },
  };
}

function isUsable(user: SandboxUser): boolean {
  return user.active && !user.temporarilyInactive;
}

function userDetails(user: SandboxUser): AuditEntry['details'] {
  return { user_id: user.id, user_uid: user.uid, email: user.email };
}

function groupDetails(group: SandboxGroup): AuditEntry['details'] {
  return { group_id: group.id, group_uid: group.uid, group_name: group.name };
}
