import { describe, expect, test } from 'vitest';
import { advance, type Completeness, createCursor, type PageContent } from './page-progress.ts';

/** Pages as the service answers them, one after the other. */
interface Case {
  readonly why: string;
  readonly pages: { readonly ids: number[]; readonly total?: number }[];
  readonly want: Completeness | 'more';
}

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

const cases: Case[] = [
  {
    why: 'ended by the total',
    pages: [
      { ids: ids(1, 3), total: 5 },
      { ids: ids(4, 2), total: 5 },
    ],
    want: { complete: true },
  },
  {
    why: 'ended by an empty page',
    pages: [{ ids: ids(1, 3) }, { ids: ids(4, 2) }, { ids: [] }],
    want: { complete: true },
  },
  { why: 'empty from the start', pages: [{ ids: [] }], want: { complete: true } },
  { why: 'empty with total 0', pages: [{ ids: [], total: 0 }], want: { complete: true } },
  { why: 'a short page is no end', pages: [{ ids: ids(1, 1) }], want: 'more' },
  {
    why: 'a short page with a total is no end',
    pages: [{ ids: ids(1, 1), total: 2 }],
    want: 'more',
  },
  {
    why: 'empty before the total',
    pages: [
      { ids: ids(1, 3), total: 9 },
      { ids: [], total: 9 },
    ],
    want: { complete: false, reason: 'fewer entries than the total' },
  },
  {
    why: 'empty from the start with a total',
    pages: [{ ids: [], total: 300 }],
    want: { complete: false, reason: 'fewer entries than the total' },
  },
  {
    why: 'a total said once counts',
    pages: [{ ids: ids(1, 3), total: 9 }, { ids: [] }],
    want: { complete: false, reason: 'fewer entries than the total' },
  },
  {
    why: 'the total shrank: something may have slipped past',
    pages: [
      { ids: ids(1, 3), total: 9 },
      { ids: ids(4, 3), total: 8 },
    ],
    want: { complete: false, reason: 'the total shrank while reading' },
  },
  {
    why: 'the total grew: there is more',
    pages: [
      { ids: ids(1, 3), total: 4 },
      { ids: ids(4, 1), total: 5 },
    ],
    want: 'more',
  },
  {
    why: 'offset ignored',
    pages: [{ ids: ids(1, 3) }, { ids: ids(1, 3) }],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'offset ignored on a short page',
    pages: [{ ids: ids(1, 2) }, { ids: ids(1, 2) }],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'offset and limit ignored: that was everything',
    pages: [{ ids: ids(1, 7) }, { ids: ids(1, 7) }],
    want: { complete: true },
  },
  {
    why: 'limit ignored, the total reached at once',
    pages: [{ ids: ids(1, 7), total: 7 }],
    want: { complete: true },
  },
  {
    why: 'the last page comes again',
    pages: [{ ids: ids(1, 3) }, { ids: ids(4, 3) }, { ids: ids(4, 3) }],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'the first page comes again later',
    pages: [{ ids: ids(1, 7) }, { ids: ids(8, 3) }, { ids: ids(1, 7) }],
    want: { complete: false, reason: 'a page came twice' },
  },
];

/** Reads until a page ends the read. */
function read(pages: Case['pages']): Completeness | 'more' {
  let cursor = createCursor(3);
  for (const { ids, total } of pages) {
    const page: PageContent = { items: ids.map((id) => ({ id, seenAt: Math.random() })), total };
    const progress = advance(cursor, page);
    if (progress.kind === 'end') return progress.result;
    if (progress.kind === 'last') return { complete: true };
    cursor = progress.cursor;
  }
  return 'more';
}

describe('a list is complete only when its end is proven', () => {
  test.each(cases)('$why', ({ pages, want }) => expect(read(pages)).toEqual(want));
});

test('a cursor survives being stored', () => {
  const progress = advance(createCursor(3), { items: [{ uid: 'a' }, 'b', 3], total: undefined });
  if (progress.kind !== 'more') throw new Error('there is more');
  const stored = JSON.parse(JSON.stringify(progress.cursor));
  expect(advance(stored, { items: [{ uid: 'a' }, 'b', 3], total: undefined })).toMatchObject({
    result: { reason: 'a page came twice' },
  });
});
