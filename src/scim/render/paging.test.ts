import { expect, test } from 'vitest';
import { refused } from '../scim-test-support.ts';
import { parsePage } from './paging.ts';

const cases: readonly (readonly [why: string, query: Record<string, unknown>, want: object])[] = [
  ['nothing given', {}, { offset: 0, limit: 100 }],
  ['texts of a query', { startIndex: '6', count: '5' }, { offset: 5, limit: 5 }],
  ['numbers of a body', { startIndex: 6, count: 5 }, { offset: 5, limit: 5 }],
  ['empty is not given', { startIndex: '', count: '' }, { offset: 0, limit: 100 }],
  ['below the first', { startIndex: '0' }, { offset: 0, limit: 100 }],
  ['negative', { startIndex: '-5', count: '-1' }, { offset: 0, limit: 0 }],
  ['only the total', { count: '0' }, { offset: 0, limit: 0 }],
  ['more than a page', { count: '5000' }, { offset: 0, limit: 1_000 }],
  [
    'beyond what is exact',
    { startIndex: '99999999999999999999', count: '9'.repeat(400) },
    { offset: Number.MAX_SAFE_INTEGER - 1, limit: 1_000 },
  ],
  [
    'whole numbers with a fraction of nothing, as some programs write all numbers',
    { startIndex: '6.0', count: '5.00' },
    { offset: 5, limit: 5 },
  ],
];

for (const [why, query, want] of cases)
  test(`a page by number: ${why}`, () => expect(parsePage(query, 'Users')).toMatchObject(want));

for (const count of ['ten', '1.5', 1.5, '0x10', ['1', '2'], true]) {
  test(`a page by number: ${JSON.stringify(count)} is refused`, () => {
    expect(() => parsePage({ count }, 'Users')).toThrow(refused('invalidValue'));
  });
}
