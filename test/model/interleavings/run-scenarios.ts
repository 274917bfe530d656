import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runSchedule, type Scenario } from './run-schedule.ts';
import { createTrace } from './trace.ts';
import { openWorld, type World } from './world.ts';

/** One seed instead of all: `INTERLEAVING_SEED=17 npx vitest run test/model/interleavings -t 'name of the scenario'`. */
const SEED = process.env.INTERLEAVING_SEED;
/** How many schedules of each scenario instead of what the test file says, for a longer search. */
const SCHEDULES = process.env.INTERLEAVING_SCHEDULES;
const TIMEOUT_MS = 600_000;

/** Plays each scenario in so many schedules, one a seed; the first that breaks a promise fails with its steps. */
export function describeScenarios(
  title: string,
  scenarios: readonly { scenario: Scenario; schedules: number }[],
): void {
  describe(title, () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(inject('sqliteTemplate'));
    });
    afterAll(() => world.close());

    for (const { scenario, schedules } of scenarios) {
      test(scenario.name, { timeout: TIMEOUT_MS }, async () => {
        const failure = await findFailure(world, scenario, listSeeds(schedules));

        expect(failure).toBeUndefined();
      });
    }
  });
}

function listSeeds(schedules: number): number[] {
  if (SEED !== undefined) return [Number(SEED)];
  return Array.from({ length: Number(SCHEDULES ?? schedules) }, (_, index) => index + 1);
}

/** Undefined when every schedule keeps every promise. */
async function findFailure(
  world: World,
  scenario: Scenario,
  seeds: readonly number[],
): Promise<string | undefined> {
  for (const seed of seeds) {
    const violations = await runSchedule(world, scenario, seed);
    if (violations.length === 0) continue;
    const trace = createTrace(world.store);
    await runSchedule(world, scenario, seed, trace);
    return [
      `INTERLEAVING_SEED=${seed} npx vitest run test/model/interleavings -t '${scenario.name}'`,
      ...violations,
      ...trace.lines,
    ].join('\n');
  }
  return undefined;
}
