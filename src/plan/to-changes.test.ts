import { expect, test } from 'vitest';
import type { SentChange } from '../domain/change.ts';
import { userId } from '../domain/ids.ts';
import type { GroupAction, UserAction } from './actions.ts';
import { toGroupChanges, toLinkChanges, toUserChanges } from './to-changes.ts';

const reason = 'wanted';
const name = { givenName: 'Ada', familyName: 'Lovelace' };
const of7 = { reason, upstreamId: 7 } as const;

const userCases: readonly { why: string; action: UserAction; changes: readonly SentChange[] }[] = [
  {
    why: 'a look changes nothing',
    action: { kind: 'look-at-user', ...of7 },
    changes: [],
  },
  {
    why: 'a new account has no id yet',
    action: { kind: 'create-user', reason, userName: 'ada', address: 'ada@example.com', name },
    changes: [{ kind: 'user.create' }],
  },
  {
    why: 'one call that changes access and name is two changes',
    action: { kind: 'update-user', ...of7, active: false, name },
    changes: [
      { kind: 'user.deactivate', upstreamId: '7' },
      { kind: 'user.rename', upstreamId: '7' },
    ],
  },
  {
    why: 'somebody comes back',
    action: { kind: 'update-user', ...of7, active: true },
    changes: [{ kind: 'user.activate', upstreamId: '7' }],
  },
  {
    why: 'userName and address, offered together',
    action: { kind: 'try-address', ...of7, userName: 'x', address: 'x@example.com' },
    changes: [{ kind: 'user.address', upstreamId: '7' }],
  },
  {
    why: 'a suspension is a deactivation, as the audit log calls it',
    action: {
      ...{ kind: 'update-company-user', ...of7, temporarilyInactive: true, appsPermissions: 0 },
      fields: ['temporarilyInactive', 'appsPermissions'],
    },
    changes: [
      { kind: 'user.deactivate', upstreamId: '7' },
      { kind: 'user.access', upstreamId: '7' },
    ],
  },
  {
    why: 'the end of a suspension is an activation',
    action: {
      ...{ kind: 'update-company-user', ...of7, temporarilyInactive: false },
      fields: ['temporarilyInactive'],
    },
    changes: [{ kind: 'user.activate', upstreamId: '7' }],
  },
  {
    why: 'a removed placeholder',
    action: { kind: 'remove-virtual-user', ...of7 },
    changes: [{ kind: 'user.delete', upstreamId: '7' }],
  },
];
for (const { why, action, changes } of userCases) {
  test(`the changes of a call for a user: ${why}`, () =>
    expect(toUserChanges(action)).toEqual(changes));
}

const toLink = (upstreamUserId: number, wanted: boolean) => ({
  ...{ userId: userId(`u-${upstreamUserId}`), upstreamUserId, wanted, version: 1 },
});

const groupCases: readonly { why: string; action: GroupAction; changes: readonly SentChange[] }[] =
  [
    { why: 'a look changes nothing', action: { kind: 'look-at-group', reason }, changes: [] },
    {
      why: 'a new group has no id yet',
      action: { kind: 'create-group', reason, displayName: 'Pilots', permissions: 2 },
      changes: [{ kind: 'group.create' }],
    },
    {
      why: 'name and rights',
      action: { kind: 'update-group', reason, displayName: 'Pilots', permissions: 16 },
      changes: [
        { kind: 'group.rename', upstreamId: 'g' },
        { kind: 'group.permissions', upstreamId: 'g' },
      ],
    },
    {
      why: 'both rights are one change, also where they are taken away',
      action: {
        ...{ kind: 'update-group', reason, permissions: 0, addToCardsAndSpacesEnabled: false },
      },
      changes: [{ kind: 'group.permissions', upstreamId: 'g' }],
    },
    {
      why: 'the other right alone',
      action: { kind: 'update-group', reason, addToCardsAndSpacesEnabled: false },
      changes: [{ kind: 'group.permissions', upstreamId: 'g' }],
    },
    {
      why: 'a removed group',
      action: { kind: 'delete-group', reason },
      changes: [{ kind: 'group.delete', upstreamId: 'g' }],
    },
    {
      why: 'many members: one change a member',
      action: { kind: 'change-members', reason, changes: [toLink(1, true), toLink(2, false)] },
      changes: [
        { kind: 'member.add', upstreamId: 'g', memberId: '1' },
        { kind: 'member.remove', upstreamId: 'g', memberId: '2' },
      ],
    },
    {
      why: 'one member in',
      action: { kind: 'change-member', reason, change: toLink(3, true) },
      changes: [{ kind: 'member.add', upstreamId: 'g', memberId: '3' }],
    },
    {
      why: 'one admin out',
      action: { kind: 'change-admin', reason, change: toLink(3, false) },
      changes: [{ kind: 'admin.remove', upstreamId: 'g', memberId: '3' }],
    },
  ];
for (const { why, action, changes } of groupCases) {
  test(`the changes of a call for a group: ${why}`, () =>
    expect(toGroupChanges(action, 'g')).toEqual(changes));
}

test('members of a group of which no id is known', () =>
  expect(toLinkChanges('admin', [toLink(3, true)], undefined)).toEqual([
    { kind: 'admin.add', memberId: '3' },
  ]));
