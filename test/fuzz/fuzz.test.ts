import { expect, test } from 'vitest';
import { runFuzz } from './run.ts';

test('a thousand requests of rubbish find nothing: no 5xx, no insides, no long turn, nobody changed', async () => {
  const { counts, findings } = await runFuzz({
    seed: 20,
    requests: 1_000,
    databaseUrl: undefined,
    people: 40,
    say: () => undefined,
  });

  expect(findings).toEqual([]);
  // The rubbish is not all refused at the door.
  expect(counts.get('200') ?? 0).toBeGreaterThan(50);
  expect(counts.get('400') ?? 0).toBeGreaterThan(100);
}, 60_000);
