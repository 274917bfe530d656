import { expect, inject, test } from 'vitest';
import { withPostgres } from '../chaos/postgres.ts';
import type { ChaosReport } from '../chaos/run.ts';
import { runChaos } from '../chaos/run.ts';

function expectHarmless(report: ChaosReport): void {
  expect(report.findings).toEqual([]);
  const { kill = 0, terminate = 0, fault = 0 } = report.disturbances;
  expect(kill + terminate).toBeGreaterThan(1);
  expect(fault).toBeGreaterThan(2);
  expect(report.trespasses).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(40);
}

test('what was answered with 2xx survives kill -9, becomes true, and nothing is done twice', async () => {
  expectHarmless(await runChaos({ seed: 53, operations: 70, processes: 1 }));
});

test.skipIf(inject('postgresUrl') === undefined)(
  'so it is where processes share a PostgreSQL that goes away and comes back',
  { timeout: 600_000 }, // A busy machine is slow, not wrong.
  async () => {
    const report = await withPostgres((postgres) =>
      runChaos({ seed: 59, operations: 60, processes: 2, postgres }),
    );

    expectHarmless(report);
    expect(report.disturbances['restart postgres']).toBeGreaterThan(0);
  },
);
