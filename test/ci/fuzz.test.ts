import { expect, test } from 'vitest';
import { runFuzz } from '../fuzz/run.ts';

const REQUESTS = 2_000;

test(`${REQUESTS} requests of rubbish find nothing: no 5xx, no insides, nobody changed`, {
  timeout: 600_000,
}, async () => {
  const { counts, findings } = await runFuzz({
    seed: 20,
    requests: REQUESTS,
    databaseUrl: undefined,
    people: 40,
    say: () => undefined,
  });

  expect(findings).toEqual([]);
  // The rubbish is not all refused at the door.
  expect(counts.get('200') ?? 0).toBeGreaterThan(REQUESTS / 20);
  expect(counts.get('400') ?? 0).toBeGreaterThan(REQUESTS / 10);
});
