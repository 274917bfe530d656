import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, isWaiting, done as settle } from '../../../src/domain/cell.ts';
import {
  type DesiredGroup,
  type GroupField,
  type GroupState,
  type LinkChange,
  listGroupDifferences,
  type ObservedGroup,
} from '../../../src/domain/group.ts';
import { groupId, userId } from '../../../src/domain/ids.ts';
import type { LinkList } from '../../../src/domain/link.ts';
import { type GroupPolicy, planGroup } from '../../../src/plan/plan-group.ts';
import { listLinks, listParts, type Step, toValues } from '../../../src/plan/step.ts';
import { hold } from './hold.ts';

/** A service that holds one group, or none; people by their numbers. */
interface World {
  group: ObservedGroup | undefined;
  readonly members: Set<number>;
  readonly admins: Set<number>;
}

const FIELDS = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
const PEOPLE = [1, 2, 3, 4, 5];
const REST_ID = 5;

const wanted: fc.Arbitrary<DesiredGroup> = fc.record({
  displayName: fc.constantFrom('Board', 'Council'),
  permissions: fc.option(fc.constantFrom(0, 16), { nil: undefined }),
  addToCardsAndSpacesEnabled: fc.option(fc.boolean(), { nil: undefined }),
});
const held: fc.Arbitrary<ObservedGroup> = fc
  .record({
    displayName: fc.constantFrom('Board', 'Council'),
    permissions: fc.constantFrom(0, 4, 16),
    addToCardsAndSpacesEnabled: fc.boolean(),
  })
  .map((seen) => ({ ...seen, at: 1, by: 'groups.getGroup' }));
const policy: fc.Arbitrary<GroupPolicy> = fc.record({
  membersPerCall: fc.constantFrom(1, 2, 100),
  deletion: fc.constantFrom('created', 'never'),
});
/** Who waits to come or to leave; each person once in a list. */
const toChanges = (list: LinkList): fc.Arbitrary<LinkChange[]> =>
  fc
    .array(fc.option(fc.boolean(), { nil: undefined }), {
      minLength: PEOPLE.length,
      maxLength: PEOPLE.length,
    })
    .map((wishes) =>
      PEOPLE.flatMap((upstreamUserId, n) => {
        const wish = wishes[n];
        if (wish === undefined) return [];
        const id = userId(`u${upstreamUserId}`);
        return { list, userId: id, upstreamUserId, wanted: wish, version: 1 };
      }),
    );

interface Case {
  readonly state: GroupState;
  readonly world: World;
  readonly policy: GroupPolicy;
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    wanted,
    held: fc.option(held, { nil: undefined }),
    people: fc.subarray(PEOPLE),
    powerful: fc.subarray(PEOPLE),
    links: fc.tuple(toChanges('member'), toChanges('admin')).map((lists) => lists.flat()),
    waiting: fc.subarray([...FIELDS]),
    isSeen: fc.boolean(),
    mustLook: fc.boolean(),
    deleted: fc.boolean(),
    created: fc.boolean(),
    policy,
  })
  .map((given) => {
    const isThere = given.held !== undefined;
    const waits: GroupField[] = given.deleted
      ? ['existence']
      : [...given.waiting, ...(isThere ? [] : ['existence' as const])];
    // Who is deleted gives nobody anything.
    const ends = (list: LinkChange[]) =>
      given.deleted ? list.map((change) => ({ ...change, wanted: false })) : list;
    const state: GroupState = {
      id: groupId('g'),
      ids: { scimId: undefined, restId: isThere ? REST_ID : undefined, uid: undefined },
      desired: given.wanted,
      observed: given.isSeen ? given.held : undefined,
      cells: ask({}, waits, 1),
      version: 1,
      deleted: given.deleted,
      created: given.created,
      mustLook: given.mustLook,
      sentCreates: [],
      links: isThere ? ends(given.links) : [],
    };
    const world = {
      group: given.held,
      members: new Set(isThere ? given.people : []),
      admins: new Set(isThere ? given.powerful : []),
    };
    return { state, world, policy: given.policy };
  });

test('a plan carried out reaches what is desired in what waits, leaves all else alone, and the next plan is empty', () =>
  hold(
    fc.property(anyCase, (given) => {
      const { state } = given;
      const before = copy(given.world);
      const world = copy(given.world);
      const end = converge(state, world, given.policy);

      expect(planGroup(end, given.policy).step).toBeUndefined();
      expect(end.cells).toEqual({});
      if (world.group === undefined) {
        expect(state.deleted && (before.group === undefined || state.created)).toBe(true);
        return;
      }
      const differing = listGroupDifferences(state.desired, world.group, {});
      if (!state.deleted)
        expect(differing.filter((field) => isWaiting(state.cells[field]))).toEqual([]);
      expect(world.members).toEqual(toExpected(before.members, ofList(state, 'member')));
      expect(world.admins).toEqual(toExpected(before.admins, ofList(state, 'admin')));
      if (before.group !== undefined)
        expect(toUntouched(world.group, state)).toEqual(toUntouched(before.group, state));
    }),
    250,
  ));

function copy({ group, members, admins }: World): World {
  return { group, members: new Set(members), admins: new Set(admins) };
}

/** Whom the waiting changes name is in or out as they say; everybody else is where they were. */
function toExpected(people: ReadonlySet<number>, links: readonly LinkChange[]): Set<number> {
  const expected = new Set(people);
  for (const link of links) change(expected, link);
  return expected;
}

function toUntouched(group: ObservedGroup, { cells, deleted }: GroupState): object {
  const fields = FIELDS.filter((field) => deleted || !isWaiting(cells[field]));
  return Object.fromEntries(fields.map((field) => [field, group[field]]));
}

/** Plans and carries out until nothing is left to do, as the reconciler does. */
function converge(given: GroupState, world: World, settings: GroupPolicy): GroupState {
  let state = given;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const { step, done } = planGroup(state, settings);
    state = { ...state, cells: settle<string>(state.cells, state.cells, done) };
    if (step === undefined) return state;
    expect(takesLast(step, state)).toBe(false);
    carryOut(world, step);
    state = record(state, world, step);
  }
  throw new Error('there is no end of steps');
}

/** A look, a creation, and what is to be changed one by one. */
const STEPS_MAX = 20;

/** True for a step that gives something while somebody is still in power who is not to be. */
function takesLast({ kind }: Step, { links }: GroupState): boolean {
  const hasDemotions = links.some(({ list, wanted: wish }) => list === 'admin' && !wish);
  return hasDemotions && (kind === 'update' || kind === 'members');
}

/** What is seen of the service, and what waits no longer. */
function record(state: GroupState, world: World, { kind }: Step): GroupState {
  const { group } = world;
  const differing = group === undefined ? FIELDS : listGroupDifferences(state.desired, group, {});
  const reached = [...FIELDS, 'existence' as const].filter(
    (field) => group !== undefined && !differing.some((one) => one === field),
  );
  // A group that is to go is done when it is gone, and that the next plan says.
  const isReached = (field: GroupField) => field !== 'existence' || !state.deleted;
  return {
    ...state,
    mustLook: false,
    ids: { ...state.ids, restId: group === undefined ? undefined : REST_ID },
    observed: group,
    cells: settle(state.cells, state.cells, reached.filter(isReached)),
    links: kind === 'look' ? state.links : state.links.filter((link) => !holds(world, link)),
  };
}

function ofList({ links }: GroupState, list: LinkList): LinkChange[] {
  return links.filter((link) => link.list === list);
}

function holds(world: World, { list, upstreamUserId, wanted: wish }: LinkChange): boolean {
  return world[`${list}s`].has(upstreamUserId) === wish;
}

function change(people: Set<number>, { upstreamUserId, wanted: wish }: LinkChange): void {
  if (wish) people.add(upstreamUserId);
  else people.delete(upstreamUserId);
}

function carryOut(world: World, step: Step): void {
  const { displayName = '', permissions, addToCardsAndSpacesEnabled: isAdded } = toValues(step);
  const flags = {
    ...(permissions === undefined ? {} : { permissions }),
    ...(isAdded === undefined ? {} : { addToCardsAndSpacesEnabled: isAdded }),
  };
  switch (step.kind) {
    case 'look':
      return;
    case 'create':
      expect(world.group).toBeUndefined();
      world.group = { displayName, ...flags, at: 2, by: 'groups.createGroup' };
      return;
    case 'update':
      world.group = { ...getGroup(world), ...(displayName && { displayName }), ...flags };
      return;
    case 'remove':
      world.group = undefined;
      world.members.clear();
      world.admins.clear();
      return;
    case 'members':
    case 'link':
      for (const link of listLinks(listParts(step))) change(world[`${link.list}s`], link);
      return;
    default:
      throw new Error('no rule wants roles in an entity here');
  }
}

function getGroup({ group }: World): ObservedGroup {
  if (group === undefined) throw new Error('the service has no such group');
  return group;
}
