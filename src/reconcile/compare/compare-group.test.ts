import { expect, test } from 'vitest';
import { findHarm, findRepair } from '../../domain/change.ts';
import { groupId } from '../../domain/ids.ts';
import { listEntityDifferences } from './compare-group.ts';

const minutes = 'entity:minutes';

test.each([
  { why: 'wanted and not there', wanted: 'reader', held: undefined, want: 'entity.removed' },
  { why: 'there without roles of its own', wanted: 'reader', held: '', want: 'entity.changed' },
  {
    why: 'other roles',
    wanted: 'reader',
    held: 'reader writer',
    want: 'entity.changed',
    harms: true,
  },
  { why: 'unwanted and there', wanted: '', held: 'reader', want: 'entity.added', harms: true },
  { why: 'unwanted and not there', wanted: '', held: undefined },
  { why: 'as wanted', wanted: 'reader', held: 'reader' },
  { why: 'on its way', wanted: 'reader', held: undefined, pending: 1 },
  { why: 'of no rule', wanted: undefined, held: 'reader' },
])('roles in an entity: $why', ({ wanted, held, want, harms = false, pending }) => {
  const source = { value: wanted ?? '', by: 'rule' };
  const row = {
    id: groupId('board'),
    cells: JSON.stringify(wanted === undefined ? {} : { [minutes]: { pending, source } }),
    entities: JSON.stringify({ at: 1, roles: { [minutes]: held } }),
  };
  const differences = listEntityDifferences(row);
  const [difference] = differences;
  const kind = difference && findRepair(difference.kind);

  expect(differences.map((one) => one.kind)).toEqual(want === undefined ? [] : [want]);
  expect(kind && difference && findHarm({ ...difference, kind })).toBe(
    harms ? 'cutAccess' : undefined,
  );
});
