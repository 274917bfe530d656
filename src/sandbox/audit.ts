import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';

/** An audit entry without its author and its time. */
export type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'message' | 'details'>;

/**
 * The audit entries of a change of one account; `before` is undefined for a new one. The documentation lists
 * categories and actions without the calls behind them: these are the plausible ones. It has no action for a new
 * name, and one is recorded all the same.
 */
export function userEntries(before: SandboxUser | undefined, after: SandboxUser): AuditEntry[] {
  const entry = (action: string, message: string): AuditEntry => {
    return { category: 'user_management', action, message, details: userDetails(after) };
  };
  if (before === undefined) return [entry('invite', 'User invited')];
  const has = (name: keyof SandboxUser) => before[name] !== after[name];
  const entries: AuditEntry[] = [];
  if (isUsable(before) !== isUsable(after)) {
    if (isUsable(after)) entries.push(entry('activate', 'User activated'));
    else entries.push(entry('deactivate', 'User deactivated'));
  }
  if (has('role')) entries.push(entry('transfer_ownership', 'Ownership changed'));
  if (has('permissions')) entries.push(entry('change_permissions', 'User permissions changed'));
  if (has('appsPermissions')) {
    entries.push(entry('change_apps_permissions', 'User licence changed'));
  }
  if (has('email')) entries.push(entry('change_email', 'User email changed'));
  if (!has('fullName') && !has('userName')) return entries;
  const renamed = entry('change_permissions', 'User profile changed');
  return [...entries, { ...renamed, category: 'user_profile' }];
}

/** The audit entry of a removed account. */
export function userRemovedEntry(user: SandboxUser): AuditEntry {
  const details = userDetails(user);
  return {
    category: 'user_management',
    action: 'depersonalization',
    message: 'User removed',
    details,
  };
}

/** The audit entry of a group that was created or deleted. */
export function groupEntry(action: 'create' | 'delete', group: SandboxGroup): AuditEntry {
  return toGroupEntry(group, action, `Group ${action}d`);
}

/** The audit entries of a change of a group itself. */
export function groupEntries(before: SandboxGroup, after: SandboxGroup): AuditEntry[] {
  const changes = [
    ['permissions', 'Group permissions changed'],
    ['addToCardsAndSpacesEnabled', 'Group shown or not'],
    ['name', 'Group changed'],
  ] as const;
  return changes
    .filter(([name]) => before[name] !== after[name])
    .map(([, message]) => toGroupEntry(after, 'change_permissions', message));
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
  const message = `Group ${link} ${present ? 'added' : 'removed'}`;
  return toGroupEntry(group, LINK_ACTIONS[link][`${present}`], message, userDetails(user));
}

/** The audit entry of a group whose roles in a space changed. */
export function rolesEntry(group: SandboxGroup, { uid }: SandboxSpace, has: boolean): AuditEntry {
  const action = has ? 'grant_access' : 'revoke_access';
  return toGroupEntry(group, action, 'Group roles in a space changed', { entity_uid: uid });
}

function toGroupEntry(
  { id, uid, name }: SandboxGroup,
  action: string,
  message: string,
  more: AuditEntry['details'] = {},
): AuditEntry {
  const details = { group_id: id, group_uid: uid, group_name: name, ...more };
  return { category: 'group_management', action, message, details };
}

function isUsable(user: SandboxUser): boolean {
  return user.active && !user.temporarilyInactive;
}

function userDetails(user: SandboxUser): AuditEntry['details'] {
  return { user_id: user.id, user_uid: user.uid, email: user.email };
}
