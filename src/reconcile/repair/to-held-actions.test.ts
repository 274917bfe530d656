import { describe, expect, test } from 'vitest';
import type { GroupState } from '../../domain/group.ts';
import { groupId, userId } from '../../domain/ids.ts';
import type { UserState } from '../../domain/user.ts';
import { type HeldPolicy, toHeldGroupActions, toHeldUserActions } from './to-held-actions.ts';

const readSince = 1_000;
const policy: HeldPolicy = { deactivation: 'scim', groupDeletion: 'created', readSince };
const seen = { at: 2_000, by: 'list' };
const unseen = { at: 500, by: 'list' };

const person: UserState = {
  id: userId('u1'),
  upstreamId: 7,
  desired: {
    userName: 'ada',
    address: 'ada@example.com',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    active: true,
    appsPermissions: undefined,
    temporarilyInactive: undefined,
  },
  observed: { fullName: 'Ada Lovelace', active: true, ...seen },
  echoes: {},
  pending: {},
  version: 3,
  deleted: false,
  mustLook: true,
  sentCreates: [],
};
const inactive = { ...person.desired, active: false };

const people: { why: string; state: Partial<UserState>; kinds: string[] }[] = [
  { why: 'nothing for who is as wanted', state: {}, kinds: [] },
  {
    why: 'each field that differs',
    state: { observed: { fullName: 'Ada Byron', active: false, ...seen } },
    kinds: ['user.activate', 'user.rename'],
  },
  {
    why: 'no other userName or address, which nobody repairs',
    state: { observed: { fullName: 'Ada Lovelace', userName: 'x', active: true, ...seen } },
    kinds: [],
  },
  {
    why: 'a deactivation of who is to be inactive',
    state: { desired: inactive },
    kinds: ['user.deactivate'],
  },
  {
    why: 'a licence that differs',
    state: { desired: { ...person.desired, appsPermissions: 2 } },
    kinds: ['user.access'],
  },
  {
    why: 'an account for who has none',
    state: { upstreamId: undefined, observed: undefined },
    kinds: ['user.create'],
  },
  {
    why: 'none for who is to be inactive',
    state: { upstreamId: undefined, observed: undefined, desired: inactive },
    kinds: [],
  },
  {
    why: 'a look for who was not seen, and no conclusion',
    state: { observed: { fullName: 'Ada Byron', active: false, ...unseen } },
    kinds: ['user.missing'],
  },
  {
    why: 'nothing for who was not seen and is not wanted',
    state: { desired: inactive, observed: undefined },
    kinds: [],
  },
  {
    why: 'only the deactivation of who was deleted, whom no list refreshes',
    state: {
      deleted: true,
      desired: inactive,
      observed: { fullName: 'Ada Byron', active: true, ...unseen },
    },
    kinds: ['user.deactivate'],
  },
];

const team: GroupState = {
  id: groupId('g1'),
  ids: { scimId: '5', restId: 5, uid: 'uid' },
  desired: { displayName: 'Pilots', permissions: undefined, addToCardsAndSpacesEnabled: undefined },
  observed: { displayName: 'Pilots', ...seen },
  pending: {},
  version: 3,
  deleted: false,
  created: true,
  mustLook: true,
  sentCreates: [],
  members: [],
  admins: [],
};
const links = [
  { list: 'memberships', userId: userId('u1'), wanted: false },
  { list: 'group_admins', userId: userId('u2'), wanted: true },
] as const;
const nowhere = { scimId: undefined, restId: undefined, uid: undefined };

const groups: { why: string; state: Partial<GroupState>; kinds: string[] }[] = [
  { why: 'each person', state: {}, kinds: ['member.remove', 'admin.add'] },
  {
    why: 'another name before the people',
    state: { observed: { displayName: 'Drivers', ...seen } },
    kinds: ['group.rename', 'member.remove', 'admin.add'],
  },
  {
    why: 'a creation with its people',
    state: { ids: nowhere, observed: undefined },
    kinds: ['group.create', 'member.remove', 'admin.add'],
  },
  {
    why: 'a look for one that was not seen, and nothing about its people',
    state: { observed: { displayName: 'Drivers', ...unseen } },
    kinds: ['group.missing'],
  },
  { why: 'the removal of one that was deleted', state: { deleted: true }, kinds: ['group.delete'] },
  {
    why: 'nothing for one that is gone',
    state: { deleted: true, observed: undefined },
    kinds: [],
  },
  {
    why: 'only the people of an adopted one that was let go',
    state: { deleted: true, created: false },
    kinds: ['member.remove', 'admin.add'],
  },
];

describe('a plan after a restored backup holds', () => {
  test.each(people)('$why', ({ state, kinds }) => {
    const actions = toHeldUserActions({ ...person, ...state }, policy);

    expect(actions.map(({ kind }) => kind)).toEqual(kinds);
  });

  test.each(groups)('of a group: $why', ({ state, kinds }) => {
    const actions = toHeldGroupActions({ ...team, ...state }, links, policy);

    expect(actions.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('an action whose field changed since is another action; one beside it is not', () => {
    const observed = { fullName: 'Ada Byron', active: false, ...seen };
    const [activate, rename] = toHeldUserActions({ ...person, observed }, policy);
    const renamed = { ...observed, fullName: 'Ada King', at: 3_000 };

    const [sameActivate, otherRename] = toHeldUserActions({ ...person, observed: renamed }, policy);

    expect(sameActivate).toEqual(activate);
    expect(otherRename?.precondition).not.toBe(rename?.precondition);
  });
});
