import { expect, test } from 'vitest';
import type { ResourceView } from '../../store/resources/views.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { findAfter } from './find-after.ts';
import type { Hit } from './scan.ts';
import type { PartQuery, Source } from './sources.ts';

/** A list of so many users; only the last one has the title that is looked for. */
function makeSource(length: number): { source: Source<ResourceView>; looks: () => number } {
  let looks = 0;
  const views = Array.from({ length }, (_, index) => ({
    seq: index + 1,
    id: String(index + 1),
    origin: null,
    provider: 'default',
    attributes: '{}',
    version: 1,
    created_at: 0,
    modified_at: 0,
  }));
  const pick = ({ afterSeq = 0, limit, seqs }: PartQuery) =>
    seqs ? views.filter(({ seq }) => seqs.includes(seq)) : views.slice(afterSeq, afterSeq + limit);
  return {
    looks: () => looks,
    source: {
      count: async () => length,
      hasUsers: () => false,
      list: async (query) => pick(query),
      async load(some) {
        looks += some.length;
        return some.map(({ seq }) => ({ title: seq === length ? 'last' : 'other' }));
      },
      async *render(some) {
        yield some.map(({ id }) => id);
      },
    },
  };
}

const filter = parseFilter('title eq "last"', userSchema, { depthMax: 5, lengthMax: 100 });

test('a page of a filter without an index looks at a bounded number and leads on', async () => {
  const { source, looks } = makeSource(25_000);
  const search = { filter, sorting: undefined };
  const pages: (readonly string[])[] = [];
  let after: Hit | undefined;

  do {
    const before = looks();
    const page = await findAfter(source, search, { after, limit: 10 });
    expect(looks() - before).toBeLessThanOrEqual(10_200);
    expect(page.total).toBeUndefined();
    pages.push(page.views.map(({ id }) => id));
    after = page.next;
  } while (after);

  expect(pages).toEqual([[], [], ['25000']]);
});
