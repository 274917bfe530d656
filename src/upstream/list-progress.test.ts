import { describe, expect, test } from 'vitest';
import { type Completeness, ListProgress, type PageContent } from './list-progress.ts';

type Page = { readonly ids: number[]; readonly total?: number | undefined };

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
const run = (from: number, count: number, total?: number) => ({ ids: ids(from, count), total });
const page = (...ids: number[]): Page => ({ ids });

const complete: Completeness = { complete: true };
type Incomplete = Extract<Completeness, { complete: false }>;
const because = (reason: Incomplete['reason']): Incomplete => ({ complete: false, reason });
const fewer = because('fewer entries than the total');
const twice = because('a page came twice');
const changed = because('the list changed too much while reading');

const shrunk = [run(1, 3, 9), ...Array(5).fill(run(1, 3, 8))];
const topOfTwo = [page(2, 1), page(2, 1)];
/** Why; pages as the service answers them, one after the other; what is known behind them. */
const cases: readonly [string, Page[], Completeness | 'more'][] = [
  ['ended by the total', [run(1, 3, 5), run(3, 3, 5)], complete],
  ['ended by a page with nothing new', [run(1, 3), run(3, 3), run(5, 1)], complete],
  ['empty from the start', [page()], complete],
  ['empty with total 0', [run(1, 0, 0)], complete],
  ['a short page is no end', [page(1)], 'more'],
  ['empty before the total', [run(1, 3, 9), run(1, 0, 9)], fewer],
  ['a total said once counts', [run(1, 3, 9), page()], fewer],
  [
    'the total shrank, and what is known is out of reach: something may have slipped past',
    [run(1, 600, 900), ...Array(12).fill(run(700, 2, 890))],
    changed,
  ],
  ['the total shrank, and the first page comes again and again', shrunk, twice],
  ['the total grew: there is more', [run(1, 3, 4), run(3, 2, 5)], 'more'],
  ['the first pages join, the last entry is the end', [page(1, 2), page(2)], complete],
  ['a page of known entries is no end while more came', [run(1, 3), page(2, 3)], 'more'],
  ['offset ignored', [run(1, 3), run(1, 3)], twice],
  ['one entry came at the top of two', [...topOfTwo, page(1)], complete],
  ['a page of one that came again', [page(1), page(1), page(3)], 'more'],
  ['entries come at the top of two all the time', [...topOfTwo, page(3, 2), page(3, 2)], changed],
  ['offset and limit ignored: that was everything', [run(1, 7), run(1, 7)], complete],
  ['limit ignored, the total reached at once', [run(1, 7, 7)], complete],
  ['the last page comes again', [run(1, 3), run(3, 3), run(3, 3)], twice],
  ['the first page comes again later', [run(1, 7), run(7, 4), run(1, 7)], twice],
];

function read(pages: readonly Page[]): Completeness | 'more' {
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
  test.each(cases)('%s', (_, pages, want) => expect(read(pages)).toEqual(want));
});

interface Moving {
  readonly length: number;
  readonly order: 'asc' | 'desc';
  readonly isUncounted?: true;
  readonly gone: number;
  readonly come: number;
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function createMoving({ length, order, isUncounted, gone, come }: Moving, seed: number) {
  const random = createRandom(seed);
  const list = ids(1, length);
  let nextId = length + 1;
  const count = (mean: number) => Math.floor(random() * 2 * mean + random());
  return {
    toPage(offset: number, limit: number): PageContent {
      const shown = order === 'asc' ? list : list.toReversed();
      const items = shown.slice(offset, offset + limit).map((id) => ({ id }));
      return { items, total: isUncounted ? undefined : list.length };
    },
    move() {
      for (let n = count(gone); n > 0; n -= 1) list.splice(Math.floor(random() * list.length), 1);
      for (let n = count(come); n > 0; n -= 1) list.push(nextId++);
    },
    listStayed: () => list.filter((id) => id <= length),
  };
}

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
