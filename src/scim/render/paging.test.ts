import { expect, test } from 'vitest';
import { parsePage } from './paging.ts';

const cases = [
  { why: 'nothing given', query: {}, want: { offset: 0, limit: 100 } },
  {
    why: 'texts of a query',
    query: { startIndex: '6', count: '5' },
    want: { offset: 5, limit: 5 },
  },
  { why: 'numbers of a body', query: { startIndex: 6, count: 5 }, want: { offset: 5, limit: 5 } },
  {
    why: 'empty is not given',
    query: { startIndex: '', count: '' },
    want: { offset: 0, limit: 100 },
  },
  { why: 'below the first', query: { startIndex: '0' }, want: { offset: 0, limit: 100 } },
  { why: 'negative', query: { startIndex: '-5', count: '-1' }, want: { offset: 0, limit: 0 } },
  { why: 'only the total', query: { count: '0' }, want: { offset: 0, limit: 0 } },
  { why: 'more than a page', query: { count: '5000' }, want: { offset: 0, limit: 1_000 } },
  {
    why: 'beyond what is exact',
    query: { startIndex: '99999999999999999999', count: '9'.repeat(400) },
    want: { offset: Number.MAX_SAFE_INTEGER - 1, limit: 1_000 },
  },
  {
    why: 'whole numbers with a fraction of nothing, as some programs write all numbers',
    query: { startIndex: '6.0', count: '5.00' },
    want: { offset: 5, limit: 5 },
  },
];

for (const { why, query, want } of cases) {
  test(`a page by number: ${why}`, () => expect(parsePage(query, 'Users')).toMatchObject(want));
}

for (const count of ['ten', '1.5', 1.5, '0x10', ['1', '2'], true]) {
  test(`a page by number: ${JSON.stringify(count)} is refused`, () => {
    expect(() => parsePage({ count }, 'Users')).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidValue' }),
    );
  });
}
