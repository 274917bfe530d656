import { describe, expect, test } from 'vitest';
import type { Operation } from '../upstream/operations/operation.ts';
import { companyUsers, groupAdmins, groups, groupUsers } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';
import { toOperatorChanges, toOwnChanges } from './to-own-changes.ts';

const group_uid = 'uid-1';
const toOperations = (...Operations: object[]) => ({ Operations });

const cases = [
  {
    why: 'a new account',
    operation: 'scim.addUser',
    args: { body: { userName: 'ada', emails: ['ada@example.com'] } },
    changes: [{ kind: 'user.create' }],
  },
  {
    why: 'one call that changes access and name is two changes',
    operation: 'scim.updateUser',
    args: {
      path: { user_id: 7 },
      body: toOperations(
        { op: 'replace', path: 'active', value: false },
        { op: 'replace', path: 'name', value: {} },
      ),
    },
    changes: [
      { kind: 'user.deactivate', upstreamId: '7' },
      { kind: 'user.rename', upstreamId: '7' },
    ],
  },
  {
    why: 'userName and address, offered together',
    operation: 'scim.updateUser',
    args: {
      path: { user_id: 7 },
      body: toOperations({ path: 'userName', value: 'x' }, { path: 'emails', value: [] }),
    },
    changes: [{ kind: 'user.address', upstreamId: '7' }],
  },
  {
    why: 'a suspension is a deactivation, as the audit log calls it',
    operation: 'companyUsers.updateUser',
    args: { path: { id: 7 }, body: { temporarily_inactive: true, apps_permissions: 0 } },
    changes: [
      { kind: 'user.deactivate', upstreamId: '7' },
      { kind: 'user.access', upstreamId: '7' },
    ],
  },
  {
    why: 'a profile, of which the bridge knows the name',
    operation: 'users.updateUser',
    args: { path: { id: 7 }, body: { full_name: 'Ada Lovelace', theme: 'dark' } },
    changes: [{ kind: 'user.rename', upstreamId: '7' }],
  },
  {
    why: 'a removed placeholder',
    operation: 'companyUsers.removeVirtualUser',
    args: { path: { id: 7 } },
    changes: [{ kind: 'user.delete', upstreamId: '7' }],
  },
  {
    why: 'a new group',
    operation: 'groups.createGroup',
    args: { body: { name: 'Pilots' } },
    changes: [{ kind: 'group.create' }],
  },
  {
    why: 'name and rights of a group',
    operation: 'groups.updateGroup',
    args: { path: { uid: 'g' }, body: { name: 'Pilots', permissions: 16 } },
    changes: [
      { kind: 'group.rename', upstreamId: 'g' },
      { kind: 'group.permissions', upstreamId: 'g' },
    ],
  },
  {
    why: 'many members, one operation each: one change a member',
    operation: 'scim.updateGroup',
    args: {
      path: { group_id: '5' },
      body: toOperations(
        { op: 'add', path: 'members', value: 1 },
        { op: 'remove', path: 'members', value: 2 },
      ),
    },
    changes: [
      { kind: 'member.add', upstreamId: '5', memberId: '1' },
      { kind: 'member.remove', upstreamId: '5', memberId: '2' },
    ],
  },
  {
    why: 'many members in arrays: one change a member',
    operation: 'scim.updateGroup',
    args: {
      path: { group_id: '5' },
      body: toOperations({ op: 'add', path: 'members', value: [{ value: 1 }, { value: 2 }] }),
    },
    changes: [
      { kind: 'member.add', upstreamId: '5', memberId: '1' },
      { kind: 'member.add', upstreamId: '5', memberId: '2' },
    ],
  },
  {
    why: 'a group renamed through SCIM',
    operation: 'scim.updateGroup',
    args: { path: { group_id: '5' }, body: toOperations({ path: 'displayName', value: 'x' }) },
    changes: [{ kind: 'group.rename', upstreamId: '5' }],
  },
  {
    why: 'one member in',
    operation: 'groupUsers.addUserToGroup',
    args: { path: { group_uid }, body: { user_id: 3 } },
    changes: [{ kind: 'member.add', upstreamId: group_uid, memberId: '3' }],
  },
  {
    why: 'one admin out',
    operation: 'groupAdmins.removeAdminFromGroup',
    args: { path: { group_uid, user_id: 3 } },
    changes: [{ kind: 'admin.remove', upstreamId: group_uid, memberId: '3' }],
  },
];

describe('the ledger names', () => {
  test.each(cases)('$why', ({ operation, args, changes }) => {
    expect(toOwnChanges(operation, args)).toEqual(changes);
  });

  const rows: Operation[] = [scim, companyUsers, groups, groupUsers, groupAdmins].flatMap((group) =>
    Object.values(group),
  );
  test.each(rows.filter(({ method }) => method !== 'GET'))('something for $id', ({ id }) => {
    const body = toOperations({ op: 'add', path: 'members', value: 1 });
    const args = { path: {}, body: { ...body, name: 'x', temporarily_inactive: false } };
    expect(toOwnChanges(id, args)).not.toEqual([]);
  });

  test('a call that nobody taught it is a fault of the bridge', () => {
    expect(() => toOwnChanges('cards.updateCard', {})).toThrow('cards.updateCard');
  });
});

const operatorCases = [
  {
    why: 'the ids of the path and of the body',
    args: { path: { group_uid: 'g-1' }, body: { user_id: 7 } },
    names: ['g-1', '7'],
  },
  {
    why: 'names and addresses, which stand for what has no id yet',
    args: { body: { userName: 'ada', emails: [{ value: 'ada@example.com', type: 'work' }] } },
    names: ['ada', 'ada@example.com'],
  },
  {
    why: 'members inside of operations',
    args: {
      path: { group_id: '5' },
      body: { Operations: [{ op: 'add', path: 'members', value: [{ value: 7 }, { value: 8 }] }] },
    },
    names: ['5', '7', '8'],
  },
  {
    why: 'the same name once',
    args: { path: { id: 7 }, body: { user_id: 7 } },
    names: ['7'],
  },
  {
    why: 'nothing of what is only text',
    args: { path: { card_id: 1 }, body: { text: 'a secret', description: 'too', due_date: null } },
    names: ['1'],
  },
  { why: 'nothing at all', args: {}, names: [] },
];
test.each(operatorCases)('the ledger of a call by an operator has $why', ({ args, names }) => {
  expect(toOperatorChanges(args)).toEqual(
    names.map((upstreamId) => ({ kind: 'operator', upstreamId })),
  );
});
