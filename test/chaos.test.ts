import { expect, test } from 'vitest';
import { runChaos } from './chaos/run.ts';

/** As `npm run chaos`, only short. */
test('whatever happens, nothing acknowledged is lost or doubled, and service, store and answers agree', async () => {
  const report = await runChaos({ seed: 3, operations: 90, processes: 1 });

  expect(report.findings).toEqual([]);
  expect(report.kills + report.terminations).toBeGreaterThan(1);
  expect(report.faults).toBeGreaterThan(3);
  expect(report.acknowledged).toBeGreaterThan(50);
}, 120_000);
