import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';

/** An audit entry without its author and its time. */
export type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'message' | 'details'>;

/** A change that is seen by comparing one value. */
interface Comparison<Row> {
  readonly of: (row: Row) => unknown;
  readonly toAction: (after: Row) => readonly [action: string, message: string];
  readonly category?: AuditEntry['category'];
}

const USER_CHANGES: readonly Comparison<SandboxUser>[] = [
  {
    of: isUsable,
    toAction: (after) =>
      isUsable(after) ? ['activate', 'User activated'] : ['deactivate', 'User deactivated'],
  },
  { of: ({ role }) => role, toAction: () => ['transfer_ownership', 'Ownership changed'] },
  {
    of: ({ permissions }) => permissions,
    toAction: () => ['change_permissions', 'User permissions changed'],
  },
  {
    of: ({ appsPermissions }) => appsPermissions,
    toAction: () => ['change_apps_permissions', 'User licence changed'],
  },
  { of: ({ email }) => email, toAction: () => ['change_email', 'User email changed'] },
  {
    // The documents have no action for a new name; one is recorded all the same.
    of: ({ fullName, userName }) => `${fullName}\n${userName}`,
    toAction: () => ['change_permissions', 'User profile changed'],
    category: 'user_profile',
  },
];

const GROUP_CHANGES: readonly Comparison<SandboxGroup>[] = [
  {
    of: ({ permissions, addToCardsAndSpacesEnabled: addTo }) => `${permissions} ${addTo}`,
    toAction: () => ['change_permissions', 'Group permissions changed'],
  },
  { of: ({ name }) => name, toAction: () => ['change_permissions', 'Group changed'] },
];

/**
 * The audit entries of a change of one account; `before` is undefined for a new one, `after` for a removed one. The
 * documentation lists categories and actions without the calls behind them: these are the plausible ones.
 */
export function userEntries(
  before: SandboxUser | undefined,
  after: SandboxUser | undefined,
): AuditEntry[] {
  return compare(USER_CHANGES, {
    ...{ before, after, category: 'user_management', toDetails: userDetails },
    added: ['invite', 'User invited'],
    removed: ['depersonalization', 'User removed'],
  });
}

/** The audit entries of a change of a group itself; `before` is undefined for a new one, `after` for a removed one. */
export function groupEntries(
  before: SandboxGroup | undefined,
  after: SandboxGroup | undefined,
): AuditEntry[] {
  return compare(GROUP_CHANGES, {
    ...{ before, after, category: 'group_management', toDetails: groupDetails },
    added: ['create', 'Group created'],
    removed: ['delete', 'Group deleted'],
  });
}

interface Compared<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly category: AuditEntry['category'];
  readonly toDetails: (row: Row) => AuditEntry['details'];
  /** Action and message. */
  readonly added: readonly [string, string];
  readonly removed: readonly [string, string];
}

function compare<Row>(
  comparisons: readonly Comparison<Row>[],
  { before, after, category, toDetails, added, removed }: Compared<Row>,
): AuditEntry[] {
  const row = after ?? before;
  if (row === undefined) return [];
  const details = toDetails(row);
  if (before === undefined || after === undefined) {
    const [action, message] = before === undefined ? added : removed;
    return [{ category, action, message, details }];
  }
  return comparisons
    .filter(({ of }) => of(before) !== of(after))
    .map(({ toAction, category: own = category }) => {
      const [action, message] = toAction(after);
      return { category: own, action, message, details };
    });
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
