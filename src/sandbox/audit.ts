import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';

/** An audit entry without its author and its time. */
export type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'message' | 'details'>;

/**
 * The audit entries of a change of one account; `before` is undefined for a new one. Pure. The documentation lists
 * categories and actions without the calls behind them: these are the plausible ones. It has no action for a new
 * name, and one is recorded all the same.
 */
export function userEntries(before: SandboxUser | undefined, after: SandboxUser): AuditEntry[] {
  const entry = (action: string, message: string): AuditEntry => ({
    category: 'user_management',
    action,
    message,
    details: userDetails(after),
  });
  if (before === undefined) return [entry('invite', 'User invited')];
  const entries: AuditEntry[] = [];
  if (isUsable(before) !== isUsable(after)) {
    entries.push(
      isUsable(after)
        ? entry('activate', 'User activated')
        : entry('deactivate', 'User deactivated'),
    );
  }
  if (before.role !== after.role) entries.push(entry('transfer_ownership', 'Ownership changed'));
  if (before.permissions !== after.permissions) {
    entries.push(entry('change_permissions', 'User permissions changed'));
  }
  if (before.appsPermissions !== after.appsPermissions) {
    entries.push(entry('change_apps_permissions', 'User licence changed'));
  }
  if (before.email !== after.email) entries.push(entry('change_email', 'User email changed'));
  const renamed = before.fullName !== after.fullName || before.userName !== after.userName;
  if (renamed) {
    entries.push({
      ...entry('change_permissions', 'User profile changed'),
      category: 'user_profile',
    });
  }
  return entries;
}

/** The audit entry of a removed account. */
export function userRemovedEntry(user: SandboxUser): AuditEntry {
  return {
    category: 'user_management',
    action: 'depersonalization',
    message: 'User removed',
    details: userDetails(user),
  };
}

/**
 * The audit entries of a change of a group itself; `before` is undefined for a new group, `after` for a removed one.
 * Pure.
 */
export function groupEntries(
  before: SandboxGroup | undefined,
  after: SandboxGroup | undefined,
): AuditEntry[] {
  const group = after ?? before;
  if (group === undefined) return [];
  const entry = (action: string, message: string): AuditEntry => ({
    category: 'group_management',
    action,
    message,
    details: groupDetails(group),
  });
  if (before === undefined || after === undefined) {
    return [
      before === undefined ? entry('create', 'Group created') : entry('delete', 'Group deleted'),
    ];
  }
  const entries: AuditEntry[] = [];
  if (
    before.permissions !== after.permissions ||
    before.addToCardsAndSpacesEnabled !== after.addToCardsAndSpacesEnabled
  ) {
    entries.push(entry('change_permissions', 'Group permissions changed'));
  }
  if (before.name !== after.name) {
    entries.push(entry('change_permissions', 'Group changed'));
  }
  return entries;
}

const linkActions = {
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
    action: linkActions[link][`${present}`],
    message: `Group ${link} ${present ? 'added' : 'removed'}`,
    details: { ...groupDetails(group), ...userDetails(user) },
  };
}

/** The audit entry of a group whose roles in a space changed. */
export function rolesEntry({
  group,
  space,
  isGiven,
}: {
  group: SandboxGroup;
  space: SandboxSpace;
  isGiven: boolean;
}): AuditEntry {
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
