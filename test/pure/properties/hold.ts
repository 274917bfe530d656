import fc from 'fast-check';

/** Another seed than that of every run: `PROPERTY_SEED=7 PROPERTY_RUNS=100000 npx vitest run test/pure/properties`. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122);
const RUNS = process.env.PROPERTY_RUNS;

/** Asserts a property for `runs` examples, the same in every run; a counterexample is printed with its seed. */
export async function hold<Ts>(
  property: fc.IProperty<Ts> | fc.IAsyncProperty<Ts>,
  runs: number,
): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns: Number(RUNS ?? runs) });
}
