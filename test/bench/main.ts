import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchOptions, runBench } from './bench.ts';
import { raceClientsAlone } from './client-race.ts';
import { describeMachine } from './machine.ts';
import { toRaceSection, toReport } from './report.ts';

/**
 * `npm run bench -- [--quick] [--client] [--only <scenario>]… [--write <file>] [--profile <folder>]`: measures the bridge,
 * or with `--client` the client alone, and prints a table in Markdown. Fails when a request failed, never because an aim was missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'string' },
    profile: { type: 'string' },
  },
});

const complete = {
  size: { users: 10_000, groups: 500, largeGroups: [1_000, 10_000] },
  durations: { warmUpMs: 1_000, measuredMs: 4_000 },
} as const;
/** Requests on their way at the same time. */
const connections = 16;
/** To see that everything works; its numbers mean nothing. */
const quick = {
  size: { users: 1_000, groups: 50, largeGroups: [100, 1_000] },
  durations: { warmUpMs: 100, measuredMs: 400 },
} as const;

/** How many of the last characters of the bridge's output are shown when something failed. */
const bridgeOutputMax = 4_000;

if (values.client) {
  const { durations } = values.quick ? quick : complete;
  console.log(toRaceSection(await raceClientsAlone({ connections, durations })));
  process.exit();
}

const profileFolder = values.profile === undefined ? undefined : resolve(values.profile);
if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
const options: BenchOptions = {
  ...(values.quick ? quick : complete),
  connections,
  only: values.only,
  profileFolder,
  say: (line) => console.error(`… ${line}`),
};
const machine = describeMachine(new Date());
const result = await runBench(options);
const report = toReport(result, machine);
console.log(report);
if (values.write !== undefined) writeFileSync(values.write, report);

for (const { scenario, measurement } of result.scenarios) {
  if (measurement.failures === 0) continue;
  process.exitCode = 1;
  console.error(`${scenario.title}: ${measurement.failures} requests failed, the first so:`);
  console.error(measurement.firstFailure);
}
if (process.exitCode === 1) console.error(result.bridgeOutput.slice(-bridgeOutputMax));
