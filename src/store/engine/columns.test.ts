import { expect, test } from 'vitest';
import { toGroupColumns, toUserColumns } from './columns.ts';

test('a person is indexed by folded names, by the externalId as it is, and by active', () => {
  const emails = [{ value: 'home@x' }, { value: 'Work@X ', type: 'work' }];
  const names = { userName: 'E\u0301va', displayName: 'ÉVA', externalId: 'X' };
  const attributes = { ...names, emails, active: false };

  expect(toUserColumns(attributes)).toEqual({
    attributes: JSON.stringify(attributes),
    user_name: 'E\u0301va',
    user_name_folded: 'éva',
    display_name_folded: 'éva',
    address_folded: 'work@x',
    external_id: 'X',
    active: 0,
  });
});

test('a person of whom nothing is known is active, and is found by nothing', () => {
  expect(toUserColumns({ externalId: 5, displayName: null })).toMatchObject({
    user_name: '',
    user_name_folded: '',
    display_name_folded: null,
    address_folded: null,
    external_id: null,
    active: 1,
  });
});

test('a group is indexed by its folded name and by the externalId as it is', () => {
  const attributes = { displayName: 'Café', externalId: 'X' };

  expect(toGroupColumns(attributes)).toEqual({
    attributes: JSON.stringify(attributes),
    display_name: 'Café',
    display_name_folded: 'café',
    external_id: 'X',
  });
  expect(toGroupColumns({})).toMatchObject({ display_name: '', external_id: null });
});
