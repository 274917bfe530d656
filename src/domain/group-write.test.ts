import { describe, expect, test } from 'vitest';
import { toVersions, waitingFor } from './cell-test-support.ts';
import { GROUP_EXTENSION } from './extensions.ts';
import { type GroupField, type GroupState, toDesiredGroup } from './group.ts';
import {
  type GroupWrite,
  type LinkFacts,
  toCellsAfterGroupWrite,
  toGroupFields,
  toLinkAfterWrite,
} from './group-write.ts';
import { groupId } from './ids.ts';
import type { JsonObject } from './json.ts';

const attributes: JsonObject = { displayName: 'Board' };
const settled: Omit<GroupState, 'members' | 'admins'> = {
  id: groupId('g'),
  ids: { scimId: undefined, restId: 5, uid: 'uid-5' },
  desired: toDesiredGroup(attributes),
  observed: { displayName: 'Board', permissions: 4, at: 1, by: 'groups.getGroup' },
  cells: {},
  version: 8,
  deleted: false,
  created: true,
  mustLook: false,
  sentCreates: [],
};
const unknownIds = { scimId: undefined, restId: undefined, uid: undefined };
const ALL: GroupField[] = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'];
const withPermissions = { ...attributes, [GROUP_EXTENSION]: { permissions: 16 } };
const renamed = { displayName: 'Council' };

interface GroupWriteCase {
  readonly why: string;
  readonly state?: Partial<GroupState>;
  readonly attributes?: JsonObject;
  readonly fields?: GroupField[];
  readonly inFlight?: true;
  readonly want: object;
}

const cases: GroupWriteCase[] = [
  { why: 'a write that changes nothing waits for nothing', want: {} },
  { why: 'what the service does not hold waits', attributes: renamed, want: { displayName: 9 } },
  {
    why: 'a field that the write does not name stays drifted',
    attributes: renamed,
    fields: [],
    want: {},
  },
  { why: 'permissions that nobody set never wait', inFlight: true, want: { displayName: 9 } },
  { why: 'permissions that were set do', attributes: withPermissions, want: { permissions: 9 } },
  {
    why: 'a call on its way makes everything named wait',
    inFlight: true,
    attributes: withPermissions,
    want: { displayName: 9, permissions: 9 },
  },
  { why: 'so does a look that is owed', state: { mustLook: true }, want: { displayName: 9 } },
  {
    why: 'and a group that nobody looked at',
    state: { observed: undefined },
    want: { displayName: 9 },
  },
  {
    why: 'what waited for an earlier write is claimed by this one',
    state: { cells: waitingFor({ displayName: 3 }) },
    want: { displayName: 9 },
  },
  {
    why: 'what it does not name keeps waiting for the earlier one',
    state: { cells: waitingFor({ permissions: 3 }) },
    attributes: renamed,
    fields: ['displayName'],
    want: { displayName: 9, permissions: 3 },
  },
  {
    why: 'a new group waits to be there and for nothing else',
    state: { ids: unknownIds },
    attributes: withPermissions,
    want: { existence: 9 },
  },
  { why: 'any id will do: SCIM id', state: { ids: { ...unknownIds, scimId: 'a' } }, want: {} },
  { why: 'any id will do: REST id', state: { ids: { ...unknownIds, restId: 1 } }, want: {} },
  { why: 'any id will do: uid', state: { ids: { ...unknownIds, uid: 'u' } }, want: {} },
  {
    why: 'existence is not a matter of a value',
    fields: ['existence'],
    inFlight: true,
    want: { existence: 9 },
  },
];

describe('what waits after a write of a group', () => {
  test.each(cases)('$why', ({ state, attributes: after, fields, inFlight, want }) => {
    const before = { ...settled, ...state };
    const write: GroupWrite = {
      state: before,
      cells: before.cells,
      attributes: after ?? attributes,
      fields: fields ?? ALL,
      version: 9,
      inFlight: inFlight ?? false,
    };

    expect(toVersions(toCellsAfterGroupWrite(write))).toEqual(want);
  });
});

describe('the owned fields that a write of a group speaks of', () => {
  test('the name, each attribute of the extension by itself, nothing else', () => {
    expect(toGroupFields(new Set(['displayName', 'members', 'externalId']))).toEqual([
      'displayName',
    ]);
    for (const field of ['permissions', 'addToCardsAndSpacesEnabled']) {
      expect(toGroupFields(new Set([`${GROUP_EXTENSION}:${field}`]))).toEqual([field]);
    }
    expect(toGroupFields(new Set())).toEqual([]);
  });
});

/** Three facts as [desired, observed, pending]; undefined: the user is not in the list at all. */
type Facts = readonly [number | null, number | null, number | null] | undefined;

const toFacts = (facts: Facts): LinkFacts | undefined =>
  facts && { desired: facts[0], observed: facts[1], pending: facts[2] };

interface LinkCase {
  readonly why: string;
  readonly before: Facts;
  readonly wanted: boolean;
  readonly inFlight?: true;
  /** undefined: the write changes nothing. */
  readonly want: Facts;
}

const links: LinkCase[] = [
  { why: 'somebody new waits to come in', before: undefined, wanted: true, want: [1, 0, 9] },
  {
    why: 'somebody who was never there need not go',
    before: undefined,
    wanted: false,
    want: undefined,
  },
  {
    why: 'nor while a call is on its way',
    before: undefined,
    wanted: false,
    inFlight: true,
    want: undefined,
  },
  { why: 'who is in stays in without a call', before: [1, 1, null], wanted: true, want: undefined },
  {
    why: 'nor does a call on its way change that',
    before: [1, 1, null],
    wanted: true,
    inFlight: true,
    want: undefined,
  },
  {
    why: 'who is out stays out without a call',
    before: [0, 0, null],
    wanted: false,
    want: undefined,
  },
  { why: 'who is in waits to go', before: [1, 1, null], wanted: false, want: [0, 1, 9] },
  { why: 'who is out waits to come back', before: [0, 0, null], wanted: true, want: [1, 0, 9] },
  {
    why: 'who was only seen is wanted from now on, without a call',
    before: [null, 1, null],
    wanted: true,
    want: [1, 1, null],
  },
  {
    why: 'unless a call is on its way that may change it',
    before: [null, 1, null],
    wanted: true,
    inFlight: true,
    want: [1, 1, 9],
  },
  { why: 'who was only seen waits to go', before: [null, 1, null], wanted: false, want: [0, 1, 9] },
  {
    why: 'who was only seen to be out is unwanted from now on',
    before: [null, 0, null],
    wanted: false,
    want: [0, 0, null],
  },
  {
    why: 'somebody else took them out: adding again puts them in again',
    before: [1, 0, null],
    wanted: true,
    want: [1, 0, 9],
  },
  {
    why: 'somebody else put them in: removing again takes them out again',
    before: [0, 1, null],
    wanted: false,
    want: [0, 1, 9],
  },
  {
    why: 'who was taken out and is unwanted now needs no call',
    before: [1, 0, null],
    wanted: false,
    want: [0, 0, null],
  },
  {
    why: 'who was put in and is wanted now needs no call',
    before: [0, 1, null],
    wanted: true,
    want: [1, 1, null],
  },
  {
    why: 'what is not known for sure waits: in',
    before: [1, null, null],
    wanted: true,
    want: [1, null, 9],
  },
  {
    why: 'what is not known for sure waits: out',
    before: [0, null, null],
    wanted: false,
    want: [0, null, 9],
  },
  {
    why: 'an addition that waits is claimed by the same addition',
    before: [1, 0, 4],
    wanted: true,
    want: [1, 0, 9],
  },
  {
    why: 'an addition that waits may be on its way, so its removal waits',
    before: [1, 0, 4],
    wanted: false,
    want: [0, 0, 9],
  },
  {
    why: 'a removal that waits is claimed by the same removal',
    before: [0, 1, 4],
    wanted: false,
    want: [0, 1, 9],
  },
  {
    why: 'a removal that waits may be on its way, so the return waits',
    before: [0, 1, 4],
    wanted: true,
    want: [1, 1, 9],
  },
  {
    why: 'what seems to hold while something waits is not sure: in',
    before: [1, 1, 4],
    wanted: true,
    want: [1, 1, 9],
  },
  {
    why: 'what seems to hold while something waits is not sure: out',
    before: [0, 0, 4],
    wanted: false,
    want: [0, 0, 9],
  },
];

describe('a person in a list after a write', () => {
  test.each(links)('$why', ({ before, wanted, inFlight, want }) => {
    const options = { wanted, version: 9, inFlight: inFlight ?? false };

    expect(toLinkAfterWrite(toFacts(before), options)).toEqual(toFacts(want));
  });

  const flags = [null, 0, 1] as const;
  const seen = flags.flatMap((desired) => flags.map((observed) => ({ desired, observed })));

  test.each(seen)('is wanted as the write says: desired $desired, observed $observed', (facts) => {
    for (const [wanted, desired] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const before = { ...facts, pending: null };
      const after = toLinkAfterWrite(before, { wanted, version: 9, inFlight: false }) ?? before;

      expect(after).toEqual({
        desired,
        observed: facts.observed,
        pending: facts.observed === desired ? null : 9,
      });
    }
  });
});
