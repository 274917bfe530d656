import { expect, test } from 'vitest';
import { parsePaging } from './paging.ts';

const cases = [
  { why: 'nothing given', query: {}, want: { startIndex: 1, count: 100 } },
  {
    why: 'texts of a query',
    query: { startIndex: '6', count: '5' },
    want: { startIndex: 6, count: 5 },
  },
  {
    why: 'numbers of a body',
    query: { startIndex: 6, count: 5 },
    want: { startIndex: 6, count: 5 },
  },
  {
    why: 'empty is not given',
    query: { startIndex: '', count: '' },
    want: { startIndex: 1, count: 100 },
  },
  { why: 'below the first', query: { startIndex: '0' }, want: { startIndex: 1, count: 100 } },
  { why: 'negative', query: { startIndex: '-5', count: '-1' }, want: { startIndex: 1, count: 0 } },
  { why: 'only the total', query: { count: '0' }, want: { startIndex: 1, count: 0 } },
  { why: 'more than a page', query: { count: '5000' }, want: { startIndex: 1, count: 1_000 } },
  {
    why: 'beyond what is exact',
    query: { startIndex: '99999999999999999999', count: '9'.repeat(400) },
    want: { startIndex: Number.MAX_SAFE_INTEGER, count: 1_000 },
  },
  {
    why: 'whole numbers with a fraction of nothing, as some programs write all numbers',
    query: { startIndex: '6.0', count: '5.00' },
    want: { startIndex: 6, count: 5 },
  },
];

for (const { why, query, want } of cases) {
  test(`parsePaging: ${why}`, () => expect(parsePaging(query)).toEqual(want));
}

for (const count of ['ten', '1.5', 1.5, '0x10', ['1', '2'], true]) {
  test(`parsePaging: ${JSON.stringify(count)} is refused`, () => {
    expect(() => parsePaging({ count })).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidValue' }),
    );
  });
}
