import type { AuditEvent, Change, SandboxGroup, SandboxUser } from './model.ts';
import type { State } from './state.ts';

/** An audit entry without its author and its time. */
type AuditEntry = Pick<AuditEvent, 'category' | 'action' | 'details'>;

/**
 * The audit entries of a change before it is made. The documentation lists categories and actions without the calls
 * behind them: these are the plausible ones. It has no action for a new name, and one is recorded all the same.
 */
export function toAuditEntries({ users, groups, spaces }: State, change: Change): AuditEntry[] {
  switch (change.kind) {
    case 'user':
      return toUserEntries(users.find(change.user.id), change.user);
    case 'user-removed':
      return [toUserEntry(users.find(change.userId), 'depersonalization')];
    case 'group': {
      const before = groups.find(change.group.id);
      if (before === undefined) return toGroupEntry(change.group, 'create');
      return listChanged(before, change.group).flatMap(() =>
        toGroupEntry(change.group, 'change_permissions'),
      );
    }
    case 'group-removed':
      return toGroupEntry(groups.find(change.groupId), 'delete');
    case 'link': {
      const { groupId, link, present, userId } = change;
      const action = `${present ? 'add' : 'delete'}_${link === 'member' ? 'user' : 'admin'}`;
      return toGroupEntry(groups.find(groupId), action, userDetails(users.find(userId)));
    }
    case 'space': {
      const { id, uid, groups: after } = change.space;
      const before = spaces.find(id)?.groups ?? [];
      const given = after.find((one) => !before.includes(one));
      const taken = before.find((one) => !after.includes(one));
      const group = groups.find((given ?? taken)?.groupId ?? 0);
      return toGroupEntry(group, given ? 'grant_access' : 'revoke_access', { entity_uid: uid });
    }
    default:
      return [];
  }
}

/** None for a group that the same commit creates. */
function toGroupEntry(
  group: SandboxGroup | undefined,
  action: string,
  more: AuditEntry['details'] = {},
): AuditEntry[] {
  if (group === undefined) return [];
  const details = { group_id: group.id, group_uid: group.uid, group_name: group.name, ...more };
  return [{ category: 'group_management', action, details }];
}

/** The audit entries of a changed account; `before` is undefined for a new one. */
function toUserEntries(before: SandboxUser | undefined, after: SandboxUser): AuditEntry[] {
  if (before === undefined) return [toUserEntry(after, 'invite')];
  const isUsable = (user: SandboxUser) => user.active && !user.temporarilyInactive;
  const has = (...names: (keyof SandboxUser)[]) =>
    names.some((name) => before[name] !== after[name]);
  const entries = [
    isUsable(before) !== isUsable(after) && (isUsable(after) ? 'activate' : 'deactivate'),
    has('role') && 'transfer_ownership',
    has('permissions') && 'change_permissions',
    has('appsPermissions') && 'change_apps_permissions',
    has('email') && 'change_email',
  ].flatMap((action) => (action ? toUserEntry(after, action) : []));
  if (!has('fullName', 'userName')) return entries;
  return [...entries, { ...toUserEntry(after, 'change_permissions'), category: 'user_profile' }];
}

/** The changed fields of a group. */
export function listChanged(before: SandboxGroup, after: SandboxGroup) {
  const names = ['permissions', 'addToCardsAndSpacesEnabled', 'name'] as const;
  return names.filter((name) => before[name] !== after[name]);
}

function toUserEntry(user: SandboxUser | undefined, action: string): AuditEntry {
  return { category: 'user_management', action, details: userDetails(user) };
}

function userDetails(user: SandboxUser | undefined): AuditEntry['details'] {
  return { user_id: user?.id, user_uid: user?.uid, email: user?.email };
}
