import { describe, expect, test } from 'vitest';
import { type Completeness, ListProgress, type PageContent } from './list-progress.ts';

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
      { ids: ids(3, 3), total: 5 },
    ],
    want: { complete: true },
  },
  {
    why: 'ended by a page with nothing new',
    pages: [{ ids: ids(1, 3) }, { ids: ids(3, 3) }, { ids: ids(5, 1) }],
    want: { complete: true },
  },
  { why: 'empty from the start', pages: [{ ids: [] }], want: { complete: true } },
  { why: 'empty with total 0', pages: [{ ids: [], total: 0 }], want: { complete: true } },
  { why: 'a short page is no end', pages: [{ ids: ids(1, 1) }], want: 'more' },
  {
    why: 'empty before the total',
    pages: [
      { ids: ids(1, 3), total: 9 },
      { ids: [], total: 9 },
    ],
    want: { complete: false, reason: 'fewer entries than the total' },
  },
  {
    why: 'a total said once counts',
    pages: [{ ids: ids(1, 3), total: 9 }, { ids: [] }],
    want: { complete: false, reason: 'fewer entries than the total' },
  },
  {
    why: 'the total shrank, and what is known is out of reach: something may have slipped past',
    pages: [{ ids: ids(1, 600), total: 900 }, ...Array(12).fill({ ids: ids(700, 2), total: 890 })],
    want: { complete: false, reason: 'the list changed too much while reading' },
  },
  {
    why: 'the total shrank, and the first page comes again and again',
    pages: [{ ids: ids(1, 3), total: 9 }, ...Array(5).fill({ ids: ids(1, 3), total: 8 })],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'the total grew: there is more',
    pages: [
      { ids: ids(1, 3), total: 4 },
      { ids: ids(3, 2), total: 5 },
    ],
    want: 'more',
  },
  {
    why: 'the first pages join and the last entry is the end, without a total',
    pages: [{ ids: ids(1, 2) }, { ids: ids(2, 1) }],
    want: { complete: true },
  },
  {
    why: 'a page of known entries is no end while more were asked for and came',
    pages: [{ ids: ids(1, 3) }, { ids: ids(2, 2) }],
    want: 'more',
  },
  {
    why: 'offset ignored',
    pages: [{ ids: ids(1, 3) }, { ids: ids(1, 3) }],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'one entry came at the top of two, and the last one is the end',
    pages: [{ ids: [2, 1] }, { ids: [2, 1] }, { ids: [1] }],
    want: { complete: true },
  },
  {
    why: 'a page of one that came again, and one that may be behind another',
    pages: [{ ids: [1] }, { ids: [1] }, { ids: [3] }],
    want: 'more',
  },
  {
    why: 'entries come at the top of two all the time',
    pages: [{ ids: [2, 1] }, { ids: [2, 1] }, { ids: [3, 2] }, { ids: [3, 2] }],
    want: { complete: false, reason: 'the list changed too much while reading' },
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
    pages: [{ ids: ids(1, 3) }, { ids: ids(3, 3) }, { ids: ids(3, 3) }],
    want: { complete: false, reason: 'a page came twice' },
  },
  {
    why: 'the first page comes again later',
    pages: [{ ids: ids(1, 7) }, { ids: ids(7, 4) }, { ids: ids(1, 7) }],
    want: { complete: false, reason: 'a page came twice' },
  },
];

/** Reads until a page ends the read. */
function read(pages: Case['pages']): Completeness | 'more' {
  const progress = new ListProgress(3);
  for (const { ids, total } of pages) {
    const page: PageContent = { items: ids.map((id) => ({ id, seenAt: Math.random() })), total };
    const effect = progress.take(page);
    if (effect.kind === 'end') return effect.result;
    if (effect.kind === 'last') return { complete: true };
  }
  return 'more';
}

describe('a list is complete only when its end is proven', () => {
  test.each(cases)('$why', ({ pages, want }) => expect(read(pages)).toEqual(want));
});

/** A list that changes between two calls for its pages. */
interface Moving {
  readonly length: number;
  readonly order: 'asc' | 'desc';
  /** The list tells no total. */
  readonly isUncounted?: true;
  /** Entries that go and come before each call, on average. */
  readonly gone: number;
  readonly come: number;
}

/** Numbers in [0, 1), the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A list that somebody changes all the time. */
function createMoving({ length, order, isUncounted, gone, come }: Moving, seed: number) {
  const random = createRandom(seed);
  const list = ids(1, length);
  let nextId = length + 1;
  const count = (mean: number) => Math.floor(random() * 2 * mean + random());
  return {
    toPage(offset: number, limit: number): PageContent {
      const shown = order === 'asc' ? list : list.toReversed();
      return {
        items: shown.slice(offset, offset + limit).map((id) => ({ id })),
        total: isUncounted ? undefined : list.length,
      };
    },
    move() {
      for (let n = count(gone); n > 0; n -= 1) {
        list.splice(Math.floor(random() * list.length), 1);
      }
      for (let n = count(come); n > 0; n -= 1) list.push(nextId++);
    },
    /** Lists those that were there all the time. */
    listStayed: () => list.filter((id) => id <= length),
  };
}

/** Reads such a list. */
function readMoving(moving: Moving, seed: number) {
  const list = createMoving(moving, seed);
  const seen: number[] = [];
  const progress = new ListProgress(100);
  for (let calls = 1; ; calls += 1) {
    const effect = progress.take(list.toPage(progress.offset, progress.pageSize));
    if ('items' in effect) seen.push(...effect.items.map((item) => Number(Object(item).id)));
    if (effect.kind === 'end' || effect.kind === 'last') {
      const isComplete = effect.kind !== 'end' || effect.result.complete;
      const known = new Set(seen);
      const missed = list.listStayed().filter((id) => !known.has(id));
      return { isComplete, missed, calls, twice: seen.length - known.size };
    }
    list.move();
  }
}

describe('a list that changes while it is read', () => {
  const kinds: Moving[] = [
    { length: 3_000, order: 'asc', gone: 0.05, come: 0 },
    { length: 3_000, order: 'asc', gone: 0.5, come: 0 },
    { length: 3_000, order: 'asc', gone: 5, come: 0 },
    { length: 3_000, order: 'desc', gone: 0.5, come: 0 },
    { length: 120, order: 'asc', gone: 1, come: 0 },
    { length: 3_000, order: 'asc', gone: 0, come: 3 },
    { length: 3_000, order: 'desc', gone: 0, come: 0.5 },
    { length: 3_000, order: 'asc', gone: 0.5, come: 0.5 },
    { length: 3_000, order: 'desc', gone: 0.5, come: 0.5 },
  ];
  const moving = kinds.flatMap((one): Moving[] => [one, { ...one, isUncounted: true }]);
  const seeds = ids(1, 5);

  test.each(moving)(
    'is read to its end in few calls more: $length, $order, $gone go and $come come, without a total: $isUncounted',
    (one) => {
      for (const seed of seeds) {
        const { isComplete, missed, calls, twice } = readMoving(one, seed);
        expect({ seed, isComplete, missed }).toEqual({ seed, isComplete: true, missed: [] });
        if (one.come === 0) expect({ seed, twice }).toEqual({ seed, twice: 0 });
        expect(calls).toBeLessThan(2.5 * (one.length / 100) + 10);
      }
    },
  );
});
