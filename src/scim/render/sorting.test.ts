import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/values.ts';
import { refused, userSchema } from '../scim-test-support.ts';
import { compareSortKeys, parseSorting, toSortKey } from './paging.ts';

const people: JsonObject[] = [
  { id: '1', userName: 'bob', active: true, meta: { lastModified: '2026-01-02T00:00:00+01:00' } },
  {
    id: '2',
    userName: 'Ada',
    externalId: 'b',
    emails: [{ value: 'z@x' }, { value: 'A@x', primary: true }],
    meta: { lastModified: '2026-01-01T23:30:00Z' },
  },
  { id: '3', userName: 'cleo', externalId: 'B', active: false, emails: [{ value: 'm@x' }] },
];

function listSorted(query: { sortBy?: unknown; sortOrder?: unknown }): unknown[] {
  const sorting = parseSorting(query, userSchema);
  if (!sorting) return people.map(({ id }) => id);
  const key = (person: JsonObject) => toSortKey(person, sorting);
  return people.toSorted((a, b) => compareSortKeys(key(a), key(b), sorting)).map(({ id }) => id);
}

const cases: readonly (readonly [why: string, query: object, want: unknown[]])[] = [
  ['texts without case', { sortBy: 'userName' }, ['2', '1', '3']],
  ['descending', { sortBy: 'USERNAME', sortOrder: 'Descending' }, ['3', '1', '2']],
  ['exact texts with case; no value comes last', { sortBy: 'externalId' }, ['3', '2', '1']],
  ['and first when descending', { sortBy: 'externalId', sortOrder: 'descending' }, ['1', '2', '3']],
  ['a list by its primary value, else its first', { sortBy: 'emails' }, ['2', '3', '1']],
  ['the same by its sub-attribute', { sortBy: 'emails.value' }, ['2', '3', '1']],
  ['moments', { sortBy: 'meta.lastModified' }, ['1', '2', '3']],
  ['booleans', { sortBy: 'active' }, ['3', '1', '2']],
  ['an unknown attribute sorts nothing', { sortBy: 'shoeSize' }, ['1', '2', '3']],
  ['an object without a value sorts nothing', { sortBy: 'name' }, ['1', '2', '3']],
  ['the prototype sorts nothing', { sortBy: '__proto__.x' }, ['1', '2', '3']],
  ['blank sorts nothing', { sortBy: '', sortOrder: '' }, ['1', '2', '3']],
];

for (const [why, query, want] of cases)
  test(`sorting: ${why}`, () => expect(listSorted(query)).toEqual(want));

test('an order that is none is refused', () => {
  expect(() => parseSorting({ sortBy: 'id', sortOrder: 'up' }, userSchema)).toThrow(
    refused('invalidValue'),
  );
});

test('a long text is sorted by its beginning', () => {
  const sorting = parseSorting({ sortBy: 'title' }, userSchema);

  expect(sorting && toSortKey({ title: 'X'.repeat(100_000) }, sorting)).toBe('x'.repeat(200));
});
