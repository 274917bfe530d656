import { describe, expect, test } from 'vitest';
import { type EventWords, listSubjects, toKnownAction } from './known-action.ts';

const USERS = 'user_management';
const GROUPS = 'group_management';
const nobody = { user: false, group: false };
const both = { user: true, group: true };

/** Every action of the documents that concerns users or groups. */
const documented = [
  'invite activate deactivate change_permissions change_apps_permissions grant_access revoke_access',
  'depersonalization create delete group_activate group_deactivate add_user add_admin admin_add_user',
  'delete_user admin_delete_user delete_admin transfer_ownership change_email request_change_email',
].flatMap((line) => line.split(' '));

describe('an action of the documents is what it says', () => {
  test.each(documented)('%s', (action) => {
    expect(toKnownAction({ category: GROUPS, action }, both)).toBe(action);
  });
});

const written: readonly (readonly [string, string, string])[] = [
  ['users', 'user.created', 'create'],
  ['x', 'userDeleted', 'delete'],
  ['x', 'USER_DELETED', 'delete'],
  ['x', 'user/delete', 'delete'],
  [USERS, 'delete', 'delete'],
  [USERS, 'removed', 'delete'],
  [USERS, 'add_user', 'create'],
  [USERS, 'delete_user', 'delete'],
  ['accounts', 'suspended', 'deactivate'],
  ['x', 'account enabled', 'activate'],
  ['x', 'users.invited', 'invite'],
  [GROUPS, 'added', 'create'],
  ['teams', 'removed', 'delete'],
  ['x', 'group.created', 'create'],
  ['x', 'groupDeactivated', 'group_deactivate'],
  ['x', 'group.member.added', 'add_user'],
  ['x', 'UserRemovedFromGroup', 'delete_user'],
  ['memberships', 'create', 'add_user'],
  ['x', 'group_admin_removed', 'delete_admin'],
  ['x', 'admin.added', 'add_admin'],
  ['x', 'permissions.changed', 'change_permissions'],
  ['x', 'user_updated', 'change'],
];

describe('what is written in another way is the same', () => {
  test.each(written)('%s %s is %s', (category, action, want) => {
    expect(toKnownAction({ category, action }, nobody)).toBe(want);
  });

  test('a person who is added where a group is named comes into it', () => {
    expect(toKnownAction({ category: USERS, action: 'add_user' }, both)).toBe('add_user');
    expect(toKnownAction({ category: GROUPS, action: 'add' }, both)).toBe('add_user');
  });
});

test.each(['card.created', 'something_new', 'session_deleted', 'создан', '', '!'])(
  'nothing is made of %j',
  (action) => {
    const known = ['create', 'delete', 'add_user', 'delete_user', 'change'];
    expect(known).not.toContain(toKnownAction({ category: USERS, action }, both));
  },
);

const numbers: readonly (EventWords & { readonly want: readonly string[] })[] = [
  { category: USERS, action: 'delete', want: ['user'] },
  { category: 'users', action: 'create', want: ['user'] },
  { category: GROUPS, action: 'create', want: ['group'] },
  { category: GROUPS, action: 'add_user', want: ['user', 'group'] },
  { category: GROUPS, action: 'user_deactivated', want: ['user'] },
  { category: USERS, action: 'group.created', want: ['group'] },
  { category: 'x', action: 'delete', want: ['user', 'group'] },
  { category: 'x', action: 'something_new', want: ['user', 'group'] },
];
test.each(numbers)('a number in $category $action can be the id of: $want', (row) => {
  expect(listSubjects(row)).toEqual(row.want);
});
