import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from './extensions.ts';
import type { DesiredGroup, GroupField, ObservedGroup } from './kinds.ts';
import { listDiffering, toDesiredGroup, withCreated } from './kinds.ts';
import type { LinkChange } from './link.ts';
import { userId } from './values.ts';
import { removesAccess } from './write.ts';

const desired: DesiredGroup = {
  displayName: 'Board',
  permissions: undefined,
  addToCardsAndSpacesEnabled: undefined,
};
const observed: ObservedGroup = { displayName: 'Board', at: 1, by: 'groups.getGroup' };

const may = (permissions: number) => ({ permissions });
const on = { addToCardsAndSpacesEnabled: true };
const off = { addToCardsAndSpacesEnabled: false };
test.each<[why: string, GroupField[], Partial<ObservedGroup>, Partial<DesiredGroup>]>([
  ['what is held is none', [], {}, {}],
  ['another name', ['displayName'], { displayName: 'Bored' }, {}],
  ['the case of a name is one', ['displayName'], { displayName: 'board' }, {}],
  ['composed and decomposed are one', [], { displayName: 'Café' }, { displayName: 'Cafe\u0301' }],
  ['white space in a name is none', [], { displayName: ' Board ' }, {}],
  ['permissions nobody set are not ours', [], may(16), {}],
  ['other permissions', ['permissions'], may(4), may(16)],
  ['permissions that were never seen', ['permissions'], {}, may(0)],
  ['the same permissions are none', [], may(4), may(4)],
  ['a flag nobody set is not ours', [], on, {}],
  ['a flag', ['addToCardsAndSpacesEnabled'], on, off],
])('a difference between a group and what the service holds: %s', (_why, want, seen, asked) => {
  const values = { desired: { ...desired, ...asked }, observed: { ...observed, ...seen } };

  expect(listDiffering({ type: 'group', ...values, cells: {} }, 'scim')).toEqual(want);
});

test('the attributes of a group ask the service for all that was set, also zero and false', () => {
  const extension = { ...may(0), ...off };
  const asked = toDesiredGroup({ displayName: 'Board', [GROUP_EXTENSION]: extension });

  expect(asked).toEqual({ displayName: 'Board', ...extension });
  expect(toDesiredGroup({ externalId: 'x' })).toEqual({ ...desired, displayName: '' });
});

describe('whether what waits for a group takes access away', () => {
  const known: Omit<LinkChange, 'wanted'> = {
    list: 'member',
    userId: userId('u'),
    upstreamUserId: 1,
  };
  const toEntityCells = (value: string) => ({
    'entity:minutes': { pending: 1, source: { value, by: 'rule' } } as const,
  });
  const permissions = (wanted: number) => ({
    desired: { ...desired, permissions: wanted },
    observed: { ...observed, permissions: 7 },
  });
  const leaves = { ...known, wanted: false };
  const joins = { ...known, wanted: true };

  test.each([
    ['nothing waits', false, {}],
    ['somebody joins', false, { links: [joins, { ...joins, list: 'admin' as const }] }],
    ['one of several leaves', true, { links: [joins, leaves] }],
    ['the group goes', true, { deleted_at: 1 }],
    ['it leaves an entity', true, { cells: toEntityCells('') }],
    ['it loses permissions', true, { ...permissions(1), cells: { permissions: { pending: 1 } } }],
    ['it loses permissions and nothing of that waits', false, permissions(1)],
    ['it is to have roles in an entity', false, { cells: toEntityCells('reader') }],
  ])('%s: %s', (_, want, waiting) => {
    const settled = { deleted_at: null, desired, observed, cells: {}, links: [] };
    expect(removesAccess({ type: 'group', ...settled, ...waiting })).toBe(want);
  });
});

test.each([
  [undefined, '2020', { created: '2020' }],
  ['2020', undefined, { created: '2020' }],
  ['2020', '2021', { created: '' }],
  ['', '2020', { created: '' }],
])('a time of creation that was %j, and is shown as %j', (created, shown, want) =>
  expect(withCreated(created === undefined ? undefined : { created }, shown)).toEqual(want),
);
