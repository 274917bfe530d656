import { expect, test } from 'vitest';
import { groupId } from '../../domain/ids.ts';
import type { SeenGroup } from '../../store/groups/observations.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { joinGroups } from './join-groups.ts';

function scim(scimId: string, name: string): SeenGroup {
  const id = groupId(`row-${scimId}`);
  return { id, seq: 1, origin: null, scimId, uid: undefined, restId: undefined, name, seenAt: 0 };
}

function rest(id: number, uid: string, name: string): RestGroup {
  const unsaid = {
    permissions: undefined,
    addToCardsAndSpacesEnabled: undefined,
    usersCount: undefined,
  };
  return { id, uid, name, ...unsaid };
}

interface JoinCase {
  readonly why: string;
  readonly scim: readonly SeenGroup[];
  readonly rest: readonly RestGroup[];
  readonly scimId: string | undefined;
  /** SCIM id and uid of each pair. */
  readonly pairs: readonly string[];
  readonly restOnly?: readonly string[];
  readonly deleted?: readonly string[];
  readonly ambiguous?: readonly string[];
}

const cases: JoinCase[] = [
  {
    why: 'ids that are REST ids, with agreeing names',
    scim: [scim('1', 'Crew'), scim('2', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Board')],
    scimId: 'restId',
    pairs: ['1=a', '2=b'],
  },
  {
    why: 'ids that are uids',
    scim: [scim('a', 'Crew'), scim('b', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Board')],
    scimId: 'uid',
    pairs: ['a=a', 'b=b'],
  },
  {
    why: 'ids tell groups of one name apart',
    scim: [scim('1', 'Crew'), scim('2', 'Crew')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Crew')],
    scimId: 'restId',
    pairs: ['1=a', '2=b'],
  },
  {
    why: 'names are compared without case, in one normal form',
    scim: [scim('1', 'Caf\u0065\u0301  crew')],
    rest: [rest(1, 'a', 'CAFÉ Crew')],
    scimId: 'restId',
    pairs: ['1=a'],
  },
  {
    why: 'unrelated ids are joined by name',
    scim: [scim('x', 'Crew'), scim('y', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Board')],
    scimId: 'unrelated',
    pairs: ['x=a', 'y=b'],
  },
  {
    why: 'an id that belongs to another name refutes all ids',
    scim: [scim('1', 'Crew'), scim('2', 'Board'), scim('3', 'Other')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Other'), rest(3, 'c', 'Board')],
    scimId: 'unrelated',
    pairs: ['1=a', '2=c', '3=b'],
  },
  {
    why: 'a name whose id differs refutes all ids',
    scim: [scim('1', 'Crew'), scim('7', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Board')],
    scimId: 'unrelated',
    pairs: ['1=a', '7=b'],
  },
  {
    why: 'without ids, groups of one name stay apart',
    scim: [scim('x', 'Crew'), scim('y', 'Crew'), scim('z', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Crew'), rest(3, 'c', 'Board')],
    scimId: 'unrelated',
    pairs: ['z=c'],
    ambiguous: ['x', 'y'],
  },
  {
    why: 'one SCIM group and two REST groups of its name stay apart',
    scim: [scim('x', 'Crew'), scim('z', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Crew'), rest(3, 'c', 'Board')],
    scimId: 'unrelated',
    pairs: ['z=c'],
    ambiguous: ['x'],
  },
  {
    why: 'one that was deleted is no second REST group of its name',
    scim: [scim('x', 'Crew'), scim('z', 'Board')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'Crew'), rest(3, 'c', 'Board')],
    deleted: ['a'],
    scimId: 'unrelated',
    pairs: ['x=b', 'z=c'],
  },
  {
    why: 'a group that only REST shows is kept',
    scim: [scim('1', 'Crew')],
    rest: [rest(1, 'a', 'Crew'), rest(2, 'b', 'New')],
    scimId: 'restId',
    pairs: ['1=a'],
    restOnly: ['b'],
  },
  {
    why: 'lists without a common group teach nothing',
    scim: [scim('1', 'Crew')],
    rest: [rest(2, 'b', 'Board')],
    scimId: undefined,
    pairs: [],
    restOnly: ['b'],
  },
  { why: 'no groups teach nothing', scim: [], rest: [], scimId: undefined, pairs: [] },
];

test.each(cases)('$why', ({ scim: seen, rest: list, deleted = [], ...expected }) => {
  const join = joinGroups(seen, list, new Set(deleted));

  expect(join.scimId).toBe(expected.scimId);
  expect(join.pairs.map((pair) => `${pair.seen.scimId}=${pair.rest.uid}`)).toEqual(expected.pairs);
  expect(join.restOnly.map(({ uid }) => uid)).toEqual(expected.restOnly ?? []);
  expect(join.ambiguous.map(({ scimId }) => scimId)).toEqual(expected.ambiguous ?? []);
});
