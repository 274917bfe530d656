import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { userSchema } from '../schema/resource-schemas.ts';
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

const cases = [
  { why: 'texts without case', query: { sortBy: 'userName' }, want: ['2', '1', '3'] },
  {
    why: 'descending',
    query: { sortBy: 'USERNAME', sortOrder: 'Descending' },
    want: ['3', '1', '2'],
  },
  {
    why: 'exact texts with case; no value comes last',
    query: { sortBy: 'externalId' },
    want: ['3', '2', '1'],
  },
  {
    why: 'and first when descending',
    query: { sortBy: 'externalId', sortOrder: 'descending' },
    want: ['1', '2', '3'],
  },
  {
    why: 'a list by its primary value, else its first',
    query: { sortBy: 'emails' },
    want: ['2', '3', '1'],
  },
  {
    why: 'the same by its sub-attribute',
    query: { sortBy: 'emails.value' },
    want: ['2', '3', '1'],
  },
  { why: 'moments', query: { sortBy: 'meta.lastModified' }, want: ['1', '2', '3'] },
  { why: 'booleans', query: { sortBy: 'active' }, want: ['3', '1', '2'] },
  {
    why: 'an unknown attribute sorts nothing',
    query: { sortBy: 'shoeSize' },
    want: ['1', '2', '3'],
  },
  {
    why: 'an object without a value sorts nothing',
    query: { sortBy: 'name' },
    want: ['1', '2', '3'],
  },
  { why: 'blank sorts nothing', query: { sortBy: '', sortOrder: '' }, want: ['1', '2', '3'] },
];

for (const { why, query, want } of cases) {
  test(`sorting: ${why}`, () => expect(listSorted(query)).toEqual(want));
}

test('an order that is none is refused', () => {
  expect(() => parseSorting({ sortBy: 'id', sortOrder: 'up' }, userSchema)).toThrow(
    expect.objectContaining({ status: 400, scimType: 'invalidValue' }),
  );
});

test('a long text is sorted by its beginning', () => {
  const sorting = parseSorting({ sortBy: 'title' }, userSchema);

  expect(sorting && toSortKey({ title: 'X'.repeat(100_000) }, sorting)).toBe('x'.repeat(200));
});
