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
import { userId } from './values.ts';

const desired: DesiredGroup = {
  displayName: 'Board',
  permissions: undefined,
  addToCardsAndSpacesEnabled: undefined,
};
const observed: ObservedGroup = { displayName: 'Board', at: 1, by: 'groups.getGroup' };

const cases: readonly (readonly [
  why: string,
  want: GroupField[],
  observed?: Partial<ObservedGroup> | undefined,
  desired?: Partial<DesiredGroup>,
])[] = [
  ['what is held is none', []],
  ['another name', ['displayName'], { displayName: 'Bored' }],
  ['the case of a name is one', ['displayName'], { displayName: 'board' }],
  [
    'composed and decomposed names are one',
    [],
    { displayName: 'Café' },
    { displayName: 'Cafe\u0301' },
  ],
  ['white space in a name is none', [], { displayName: ' Board ' }],
  ['permissions nobody set are not ours', [], { permissions: 16 }],
  ['other permissions', ['permissions'], { permissions: 4 }, { permissions: 16 }],
  ['no permissions are a wish too', ['permissions'], { permissions: 4 }, { permissions: 0 }],
  ['permissions that were never seen', ['permissions'], undefined, { permissions: 0 }],
  ['the same permissions are none', [], { permissions: 4 }, { permissions: 4 }],
  ['a flag nobody set is not ours', [], { addToCardsAndSpacesEnabled: true }],
  [
    'a flag',
    ['addToCardsAndSpacesEnabled'],
    { addToCardsAndSpacesEnabled: true },
    { addToCardsAndSpacesEnabled: false },
  ],
  [
    'the same flag is none',
    [],
    { addToCardsAndSpacesEnabled: true },
    { addToCardsAndSpacesEnabled: true },
  ],
];

for (const [why, want, seen, asked] of cases) {
  test(`a difference between a group and what the service holds: ${why}`, () => {
    const [wanted, held] = [
      { ...desired, ...asked },
      { ...observed, ...seen },
    ];

    expect(listGroupDifferences(wanted, held, {})).toEqual(want);
  });
}

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
    ['nothing waits', false, {}],
    ['somebody joins', false, { links: [joins, { ...joins, list: 'admin' as const }] }],
    ['one of several leaves', true, { links: [joins, leaves] }],
    ['one of several admins goes', true, { links: [joins, { ...leaves, list: 'admin' as const }] }],
    ['the group goes', true, { deleted: true }],
    ['the group goes, whoever joined', true, { deleted: true, links: [joins] }],
    ['it leaves an entity', true, { cells: toEntityCells('') }],
    ['it is to have roles in an entity', false, { cells: toEntityCells('reader') }],
  ])('%s: %s', (_, want, waiting) => {
    expect(removesGroupAccess({ deleted: false, cells: {}, links: [], ...waiting })).toBe(want);
  });
});
