import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from './extensions.ts';
import {
  type DesiredGroup,
  type GroupField,
  type LinkChange,
  listGroupDifferences,
  type ObservedGroup,
  removesGroupAccess,
  toDesiredGroup,
} from './group.ts';
import { userId } from './ids.ts';

const desired: DesiredGroup = {
  displayName: 'Board',
  permissions: undefined,
  addToCardsAndSpacesEnabled: undefined,
};
const observed: ObservedGroup = { displayName: 'Board', at: 1, by: 'groups.getGroup' };

const cases: {
  why: string;
  desired?: Partial<DesiredGroup>;
  observed?: Partial<ObservedGroup>;
  want: GroupField[];
}[] = [
  { why: 'what is held is none', want: [] },
  { why: 'another name', observed: { displayName: 'Bored' }, want: ['displayName'] },
  { why: 'the case of a name is one', observed: { displayName: 'board' }, want: ['displayName'] },
  {
    why: 'composed and decomposed names are one',
    desired: { displayName: 'Cafe\u0301' },
    observed: { displayName: 'Café' },
    want: [],
  },
  { why: 'white space in a name is none', observed: { displayName: ' Board ' }, want: [] },
  { why: 'permissions nobody set are not ours', observed: { permissions: 16 }, want: [] },
  {
    why: 'other permissions',
    desired: { permissions: 16 },
    observed: { permissions: 4 },
    want: ['permissions'],
  },
  {
    why: 'no permissions are a wish too',
    desired: { permissions: 0 },
    observed: { permissions: 4 },
    want: ['permissions'],
  },
  { why: 'permissions that were never seen', desired: { permissions: 0 }, want: ['permissions'] },
  {
    why: 'the same permissions are none',
    desired: { permissions: 4 },
    observed: { permissions: 4 },
    want: [],
  },
  {
    why: 'a flag nobody set is not ours',
    observed: { addToCardsAndSpacesEnabled: true },
    want: [],
  },
  {
    why: 'a flag',
    desired: { addToCardsAndSpacesEnabled: false },
    observed: { addToCardsAndSpacesEnabled: true },
    want: ['addToCardsAndSpacesEnabled'],
  },
  {
    why: 'the same flag is none',
    desired: { addToCardsAndSpacesEnabled: true },
    observed: { addToCardsAndSpacesEnabled: true },
    want: [],
  },
];

describe('differences between a group and what the service holds', () => {
  test.each(cases)('$why', ({ desired: asked, observed: seen, want }) => {
    expect(listGroupDifferences({ ...desired, ...asked }, { ...observed, ...seen }, {})).toEqual(
      want,
    );
  });
});

describe('what the attributes of a group ask of the service', () => {
  test('everything that was set, also zero and false', () => {
    const extension = { permissions: 0, addToCardsAndSpacesEnabled: false };

    expect(toDesiredGroup({ displayName: 'Board', [GROUP_EXTENSION]: extension })).toEqual({
      displayName: 'Board',
      ...extension,
    });
  });

  test('nothing that was not', () => {
    expect(toDesiredGroup({ externalId: 'x' })).toEqual({ ...desired, displayName: '' });
  });
});

describe('whether what waits for a group takes access away', () => {
  const link = (wanted: boolean): LinkChange => ({
    list: 'member',
    userId: userId('u'),
    upstreamUserId: 1,
    wanted,
    version: 1,
  });
  const toEntityCells = (value: string) => ({
    'entity:minutes': { pending: 1, source: { value, by: 'rule' } } as const,
  });
  const leaves = link(false);
  const joins = link(true);

  test.each([
    { why: 'nothing waits', want: false },
    { why: 'somebody joins', links: [joins, { ...joins, list: 'admin' as const }], want: false },
    { why: 'one of several leaves', links: [joins, leaves], want: true },
    {
      why: 'one of several admins goes',
      links: [joins, { ...leaves, list: 'admin' as const }],
      want: true,
    },
    { why: 'the group goes', deleted: true, want: true },
    { why: 'the group goes, whoever joined', deleted: true, links: [joins], want: true },
    { why: 'it leaves an entity', cells: toEntityCells(''), want: true },
    { why: 'it is to have roles in an entity', cells: toEntityCells('reader'), want: false },
  ])('$why: $want', ({ deleted = false, cells = {}, links = [], want }) => {
    expect(removesGroupAccess({ deleted, cells, links })).toBe(want);
  });
});
