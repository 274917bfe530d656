import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSPECTED, toBridgeEnv } from '../bench/bench.ts';
import { adoptCompany, type Company } from '../bench/company.ts';
import { LoadClient, type RequestSource } from '../bench/load-client.ts';
import { connectProfiler, type Profiler } from '../bench/profiler.ts';
import { startBenchSandbox } from '../bench/sandbox.ts';
import { createScenarios } from '../bench/scenarios.ts';
import { startBridge } from '../support/server.ts';

/**
 * Options under which a request always allocates the same: no code is compiled, which leaves out what it does not need,
 * and no garbage is collected between two readings, because new objects have room.
 */
const STEADY = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--single-threaded',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
];
const SIZE = { users: 300, groups: 10, largeGroups: [50, 200] } as const;
/** Requests before the first reading: what is made once and kept is made. */
const WARMING = 100;
/** Requests between two readings. */
const REQUESTS = 25;
/** Readings of which the least counts: it is without what the bridge does each half second or now and then. */
const READINGS = 24;

/** KiB of JavaScript objects that a request of the benchmark may allocate: three in a hundred more than it does. */
const rows = [
  { name: 'get', kibMax: 44 },
  { name: 'filter', kibMax: 64 },
  { name: 'active', kibMax: 285 },
  { name: 'member', kibMax: 288 },
  { name: 'post', kibMax: 368 },
] as const;

describe('what a request allocates', () => {
  let profiler: Profiler;
  let client: LoadClient;
  let company: Company;
  const endings: (() => unknown)[] = [];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-allocations-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = await startBenchSandbox({ ...SIZE, groupSizes: SIZE.largeGroups });
    endings.push(sandbox.stop);
    const bridge = await startBridge({
      folder,
      env: { ...toBridgeEnv(sandbox), ...INSPECTED },
      command: [...STEADY, 'src/cli/bin.mjs', 'serve'],
    });
    endings.push(bridge.kill);
    await bridge.ready();
    const { baseUrl, token } = bridge;
    client = new LoadClient({ baseUrl, token, connections: 1 });
    endings.push(() => client.close());
    profiler = await connectProfiler(bridge.output());
    endings.push(profiler.close);
    company = await adoptCompany(bridge, client, SIZE);
  });

  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  test.each(rows)('$name: at most $kibMax KiB', async ({ name, kibMax }) => {
    const scenario = createScenarios(company, 1).find((each) => each.name === name);
    if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
    await send(client, scenario.source, WARMING);
    const readings: number[] = [];
    await profiler.collectGarbage();
    while (readings.length < READINGS) {
      const before = await profiler.readHeapUsed();
      await send(client, scenario.source, REQUESTS);
      readings.push((await profiler.readHeapUsed()) - before);
    }

    expect(Math.min(...readings) / REQUESTS / 1_024).toBeLessThanOrEqual(kibMax);
  });
});

async function send(client: LoadClient, source: RequestSource, count: number): Promise<void> {
  let left = count;
  const { firstFailure } = await client.run((lane) => {
    left -= 1;
    return left < 0 ? undefined : source(lane);
  });
  expect(firstFailure).toBeUndefined();
}
