import fc from 'fast-check';
import { inject } from 'vitest';

/** Another seed than that of every run: `PROPERTY_SEED=7 PROPERTY_RUNS=100000 npx vitest run test/pure/properties`. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122);
/** How many examples, instead of what the test says. */
const RUNS = process.env.PROPERTY_RUNS;

/** Of so many examples `npm test` makes up one; `npm run test:long` makes up all. */
const SELECTION = 8;

/**
 * Asserts a property for `runs` examples, the same ones in every run of the tests. What breaks it is made as small as
 * possible and printed with its seed.
 */
export async function hold<Ts>(
  property: fc.IProperty<Ts> | fc.IAsyncProperty<Ts>,
  runs: number,
): Promise<void> {
  const numRuns = inject('isLong') ? runs : Math.ceil(runs / SELECTION);
  await fc.assert(property, { seed: SEED, numRuns: Number(RUNS ?? numRuns) });
}
