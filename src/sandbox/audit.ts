import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';

/** An audit entry without its author and its time. */
export type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'message' | 'details'>;

/** A change that may have happened, with the action and the message of its entry. */
type Possible = readonly [happened: boolean, action: string, message: string];

/**
 * The audit entries of a change of one account; `before` is undefined for a new one. The documentation lists
 * categories and actions without the calls behind them: these are the plausible ones. It has no action for a new
 * name, and one is recorded all the same.
 */
export function userEntries(before: SandboxUser | undefined, after: SandboxUser): AuditEntry[] {
  const details = userDetails(after);
  if (before === undefined) {
    return toEntries('user_management', details, [[true, 'invite', 'User invited']]);
  }
  const has = (name: keyof SandboxUser) => before[name] !== after[name];
  const [action, message] = isUsable(after)
    ? ['activate', 'User activated']
    : ['deactivate', 'User deactivated'];
  return [
    ...toEntries('user_management', details, [
      [isUsable(before) !== isUsable(after), action, message],
      [has('role'), 'transfer_ownership', 'Ownership changed'],
      [has('permissions'), 'change_permissions', 'User permissions changed'],
      [has('appsPermissions'), 'change_apps_permissions', 'User licence changed'],
      [has('email'), 'change_email', 'User email changed'],
    ]),
    ...toEntries('user_profile', details, [
      [has('fullName') || has('userName'), 'change_permissions', 'User profile changed'],
    ]),
  ];
}

/** The audit entry of a removed account. */
export function userRemovedEntries(user: SandboxUser): AuditEntry[] {
  const removed: Possible = [true, 'depersonalization', 'User removed'];
  return toEntries('user_management', userDetails(user), [removed]);
}

/** The audit entries of a change of a group itself; `before` is undefined for a new one, `after` for a removed one. */
export function groupEntries(
  before: SandboxGroup | undefined,
  after: SandboxGroup | undefined,
): AuditEntry[] {
  const group = after ?? before;
  if (group === undefined) return [];
  const has = (name: keyof SandboxGroup) => before?.[name] !== after?.[name];
  const changes: readonly Possible[] = [
    [has('permissions'), 'change_permissions', 'Group permissions changed'],
    [has('addToCardsAndSpacesEnabled'), 'change_permissions', 'Group shown or not'],
    [has('name'), 'change_permissions', 'Group changed'],
  ];
  const created: Possible = [after !== undefined, 'create', 'Group created'];
  const deleted: Possible = [true, 'delete', 'Group deleted'];
  const isChanged = before !== undefined && after !== undefined;
  const possible = isChanged ? changes : [before === undefined ? created : deleted];
  return toEntries('group_management', groupDetails(group), possible);
}

const LINK_ACTIONS = {
  member: { true: 'add_user', false: 'delete_user' },
  admin: { true: 'add_admin', false: 'delete_admin' },
} as const;

/** The audit entry of a user who joined or left a group or its list of admins. */
export function linkEntries(
  link: LinkKind,
  { group, user, present }: { group: SandboxGroup; user: SandboxUser; present: boolean },
): AuditEntry[] {
  const message = `Group ${link} ${present ? 'added' : 'removed'}`;
  const details = { ...groupDetails(group), ...userDetails(user) };
  return toEntries('group_management', details, [
    [true, LINK_ACTIONS[link][`${present}`], message],
  ]);
}

/** The audit entry of a group whose roles in a space changed. */
export function rolesEntries(
  group: SandboxGroup,
  { uid }: SandboxSpace,
  isGiven: boolean,
): AuditEntry[] {
  return toEntries('group_management', { ...groupDetails(group), entity_uid: uid }, [
    [isGiven, 'grant_access', 'Group has roles in a space'],
    [!isGiven, 'revoke_access', 'Group has no roles in a space'],
  ]);
}

function toEntries(
  category: AuditEntry['category'],
  details: AuditEntry['details'],
  possible: readonly Possible[],
): AuditEntry[] {
  return possible
    .filter(([happened]) => happened)
    .map(([, action, message]) => ({ category, action, message, details }));
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
