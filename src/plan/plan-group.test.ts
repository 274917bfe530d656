import { describe, expect, test } from 'vitest';
import { waitingFor } from '../domain/cell-test-support.ts';
import type { GroupField, GroupState, LinkChange, ObservedGroup } from '../domain/group.ts';
import { groupId, userId } from '../domain/ids.ts';
import { type GroupPolicy, planGroup } from './plan-group.ts';

const observed: ObservedGroup = { displayName: 'Board', at: 1, by: 'groups.getGroup' };
const held: GroupState = {
  id: groupId('g'),
  ids: { scimId: undefined, restId: 5, uid: 'uid-5' },
  desired: { displayName: 'Board', permissions: undefined, addToCardsAndSpacesEnabled: undefined },
  observed,
  cells: {},
  version: 3,
  deleted: false,
  created: true,
  mustLook: false,
  sentCreates: [],
  links: [],
};
const policy: GroupPolicy = { membersPerCall: 100, deletion: 'created' };
const unknownIds = { scimId: undefined, restId: undefined, uid: undefined };
const unseen = { ids: unknownIds, observed: undefined };
const different = { displayName: 'Council', permissions: 16, addToCardsAndSpacesEnabled: false };
const everything = waitingFor({ displayName: 1, permissions: 1, addToCardsAndSpacesEnabled: 1 });

function change(upstreamUserId: number, wanted: boolean): LinkChange {
  const id = userId(`u${upstreamUserId}`);
  return { list: 'member', userId: id, upstreamUserId, wanted, version: 2 };
}

function ofAdmin(link: LinkChange): LinkChange {
  return { ...link, list: 'admin' };
}

/** Cell of a field that failed once. */
function failed(retryAt: number) {
  const problem = { code: 'unavailable', words: '' };
  return { pending: 1, failure: { version: 1, since: null, retryAt, problem, attempts: 1 } };
}

const leaves = change(1, false);
const joins = change(2, true);

interface PlanCase {
  readonly why: string;
  readonly state?: Partial<GroupState>;
  readonly policy?: Partial<GroupPolicy>;
  readonly actions: readonly object[];
  readonly done?: readonly GroupField[];
}

function runCases(cases: readonly PlanCase[]): void {
  test.each(cases)('$why', ({ state, policy: given, actions, done }) => {
    const plan = planGroup({ ...held, ...state }, { ...policy, ...given });

    expect(plan).toStrictEqual({ actions, done: done ?? [] });
  });
}

const look = { kind: 'look-at-group' };
const update = { kind: 'update-group' };

describe('the plan of a group: itself', () =>
  runCases([
    { why: 'nothing waits, so nothing is done', actions: [] },
    {
      why: 'an unknown outcome is looked at before anything else',
      state: { mustLook: true, cells: everything, links: [joins] },
      actions: [look],
    },
    {
      why: 'also before a removal',
      state: { mustLook: true, deleted: true, cells: waitingFor({ existence: 1 }) },
      actions: [look],
    },
    {
      why: 'what merely differs is drift and nobody touches it',
      state: { desired: different },
      actions: [],
    },
    {
      why: 'a change of one field never touches a drifted one',
      state: { desired: different, cells: waitingFor({ permissions: 1 }) },
      actions: [{ ...update, permissions: 16 }],
    },
    {
      why: 'one call for all attributes',
      state: { desired: different, cells: everything },
      actions: [{ ...update, ...different }],
    },
    {
      why: 'what failed goes alone and last, the one first that was tried longest ago',
      state: {
        desired: different,
        cells: { ...everything, displayName: failed(9), permissions: failed(8) },
        links: [ofAdmin(joins)],
      },
      actions: [
        { ...update, addToCardsAndSpacesEnabled: false },
        { kind: 'change-link', change: ofAdmin(joins) },
        { ...update, permissions: 16 },
        { ...update, displayName: 'Council' },
      ],
    },
    {
      why: 'what waits and holds is done without a call',
      state: { cells: waitingFor({ displayName: 1, existence: 2 }) },
      actions: [],
      done: ['displayName', 'existence'],
    },
    {
      why: 'what holds beside what does not',
      state: { desired: { ...different, displayName: 'Board' }, cells: everything },
      actions: [{ ...update, permissions: 16, addToCardsAndSpacesEnabled: false }],
      done: ['displayName'],
    },
    {
      why: 'permissions of zero are sent',
      state: {
        desired: { ...held.desired, permissions: 0 },
        observed: { ...observed, permissions: 4 },
        cells: waitingFor({ permissions: 1 }),
      },
      actions: [{ ...update, permissions: 0 }],
    },
    {
      why: 'what nobody saw is taken to differ',
      state: { observed: undefined, cells: waitingFor({ displayName: 1 }) },
      actions: [{ ...update, displayName: 'Board' }],
    },
    {
      why: 'but not what nobody wants',
      state: { observed: undefined, cells: everything },
      actions: [{ ...update, displayName: 'Board' }],
      done: ['permissions', 'addToCardsAndSpacesEnabled'],
    },
    {
      why: 'all that is wanted, where nobody saw anything',
      state: { observed: undefined, desired: different, cells: everything },
      actions: [{ ...update, ...different }],
    },
    {
      why: 'what was given up while it waited is done',
      state: { cells: waitingFor({ permissions: 1 }), observed: { ...observed, permissions: 4 } },
      actions: [],
      done: ['permissions'],
    },
    {
      why: 'that it is there needs no look and no call',
      state: { observed: undefined, cells: waitingFor({ existence: 1, displayName: 1 }) },
      actions: [{ ...update, displayName: 'Board' }],
      done: ['existence'],
    },
    ...[{ scimId: 'a' }, { restId: 1 }, { uid: 'u' }].map((id) => ({
      why: `any id makes a group known: ${Object.keys(id)}`,
      state: { ids: { ...unknownIds, ...id }, cells: waitingFor({ existence: 1 }) },
      actions: [],
      done: ['existence'] as const,
    })),
  ]));

describe('the plan of a group: its creation', () =>
  runCases([
    {
      why: 'with what was set',
      state: { ...unseen, desired: different, cells: waitingFor({ existence: 1 }) },
      actions: [{ kind: 'create-group', ...different }],
    },
    {
      why: 'without what was not',
      state: { ...unseen, cells: waitingFor({ existence: 1 }) },
      actions: [{ kind: 'create-group', displayName: 'Board' }],
    },
    {
      why: 'its people come after it',
      state: { ...unseen, cells: waitingFor({ existence: 1 }), links: [joins, ofAdmin(joins)] },
      actions: [{ kind: 'create-group', displayName: 'Board' }],
    },
    { why: 'only while it waits', state: { ...unseen, links: [joins] }, actions: [] },
  ]));

const gone = { deleted: true, cells: waitingFor({ existence: 1 }) };
const released = { deleted: true, created: false };
const takeOut = { kind: 'change-link', change: leaves };

describe('the plan of a deleted group', () =>
  runCases([
    {
      why: 'one that the bridge created is removed, people and all',
      state: { ...gone, links: [leaves] },
      actions: [{ kind: 'delete-group' }],
    },
    { why: 'once', state: { deleted: true }, actions: [] },
    {
      why: 'one that never came to be needs no call',
      state: { ...gone, ...unseen },
      actions: [],
      done: ['existence'],
    },
    {
      why: 'an adopted one is never removed, only left',
      state: { ...gone, created: false, links: [leaves, ofAdmin(leaves)] },
      actions: [takeOut, { kind: 'change-link', change: ofAdmin(leaves) }],
      done: ['existence'],
    },
    {
      why: 'an adopted one that holds nothing of ours costs no call',
      state: released,
      actions: [],
    },
    {
      why: 'nothing else of it is touched',
      state: { ...released, desired: different, cells: everything },
      actions: [],
      done: ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'],
    },
    {
      why: 'where the settings forbid removing, even our own is only left',
      policy: { deletion: 'never' },
      state: { ...gone, links: [leaves] },
      actions: [takeOut],
      done: ['existence'],
    },
  ]));

const several = [change(1, false), change(2, true), change(3, true)];

describe('the plan of a group: its people', () =>
  runCases([
    {
      why: 'one change by itself',
      state: { links: [joins] },
      actions: [{ kind: 'change-link', change: joins }],
    },
    {
      why: 'several in one call, in the order given',
      state: { links: several },
      actions: [{ kind: 'change-members', changes: several }],
    },
    {
      why: 'no more in one call than it may carry',
      policy: { membersPerCall: 2 },
      state: { links: several },
      actions: [
        { kind: 'change-members', changes: several.slice(0, 2) },
        { kind: 'change-members', changes: several.slice(2) },
      ],
    },
    {
      why: 'as many as it may',
      policy: { membersPerCall: 3 },
      state: { links: several },
      actions: [{ kind: 'change-members', changes: several }],
    },
    {
      why: 'one by one where batches are refused',
      policy: { membersPerCall: 1 },
      state: { links: several },
      actions: several.map((one) => ({ kind: 'change-link', change: one })),
    },
    {
      why: 'admins one by one',
      state: { links: several.map(ofAdmin) },
      actions: several.map((one) => ({ kind: 'change-link', change: ofAdmin(one) })),
    },
    {
      why: 'a refused attribute cannot keep anybody in power: admins go first, new ones come last',
      state: {
        desired: different,
        cells: everything,
        links: [leaves, ofAdmin(joins), ofAdmin(leaves)],
      },
      actions: [
        { kind: 'change-link', change: ofAdmin(leaves) },
        takeOut,
        { ...update, ...different },
        { kind: 'change-link', change: ofAdmin(joins) },
      ],
    },
  ]));

const field = 'entity:minutes';

test.each([
  { why: 'a removal needs no list', value: '', actions: [{ kind: 'change-entity', field }] },
  {
    why: 'roles are given only after the entities were listed',
    value: 'reader',
    actions: [{ kind: 'look-at-entities', fields: [field] }],
  },
])('entities: $why', ({ value, actions }) => {
  const state: GroupState = {
    id: groupId('g'),
    ids: { scimId: undefined, restId: 5, uid: 'uid-5' },
    desired: {
      displayName: 'Board',
      permissions: undefined,
      addToCardsAndSpacesEnabled: undefined,
    },
    observed: { displayName: 'Board', at: 1, by: 'groups.getGroup' },
    cells: { [field]: { pending: 2, source: { value, by: 'rule' } } },
    version: 3,
    deleted: false,
    created: true,
    mustLook: false,
    sentCreates: [],
    links: [],
  };

  expect(planGroup(state, policy).actions).toMatchObject(actions);
});
