import { expect, test } from 'vitest';
import { workAtOnce } from '../../domain/turns.ts';
import { parseSorting } from '../render/sorting.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { compareHits, type Hit } from './scan.ts';
import { sortHits } from './sort-hits.ts';

for (const count of [0, 1, 999, 1_000, 1_001, 5_555]) {
  for (const sortOrder of ['ascending', 'descending']) {
    test(`${count} matches are in order, ${sortOrder}, the older of equal ones first`, () => {
      const sorting = parseSorting({ sortBy: 'title', sortOrder }, userSchema);
      if (sorting === undefined) throw new Error('no order');
      const hits = Array.from({ length: count }, (_, seq): Hit => {
        const number = (seq * 7_919) % 1_013;
        return { seq, key: number % 10 === 0 ? undefined : `title${number}` };
      });

      const sorted = workAtOnce(sortHits(hits, sorting));

      expect(sorted).toEqual(hits.toSorted((a, b) => compareHits(a, b, sorting)));
    });
  }
}
