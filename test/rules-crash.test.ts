import { expect, test } from 'vitest';
import { type CrashPlan, runCrash } from './crash/run.ts';
import { describePostgres } from './support/stores.ts';

/** As `npm run crash`, only short. */
const plan: CrashPlan = {
  seed: 7,
  kills: 3,
  people: 40,
  groups: 5,
  processes: 1,
  requestsPerKill: 30,
  comparesAtEnd: true,
};

test('what was answered with 2xx survives kill -9, becomes true, and nothing exists twice', async () => {
  const report = await runCrash(plan);

  expect(report.findings).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(50);
}, 60_000);

describePostgres('processes that share a store', ({ makeUrl }) => {
  test('finish what the ones acknowledged that were killed', async () => {
    const databaseUrl = await makeUrl('empty');
    const report = await runCrash({
      ...plan,
      processes: 2,
      kills: 2,
      comparesAtEnd: false,
      databaseUrl,
    });

    expect(report.findings).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(50);
  }, 60_000);
});
