import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchOptions, runBench } from './bench.ts';
import { describeMachine } from './machine.ts';
import { toReport } from './report.ts';

/**
 * `npm run bench -- [--quick] [--only <scenario>]… [--write <file>] [--profile <folder>]`: measures the bridge and
 * prints a table in Markdown. Fails when a request failed, never because an aim was missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'string' },
    profile: { type: 'string' },
  },
});

const complete = {
  size: { users: 10_000, groups: 500, largeGroups: [1_000, 10_000] },
  durations: { warmUpMs: 1_000, measuredMs: 4_000 },
} as const;
/** To see that everything works; its numbers mean nothing. */
const quick = {
  size: { users: 1_000, groups: 50, largeGroups: [100, 1_000] },
  durations: { warmUpMs: 100, measuredMs: 400 },
} as const;

/** How many of the last characters of the bridge's output are shown when something failed. */
const bridgeOutputMax = 4_000;

const profileFolder = values.profile === undefined ? undefined : resolve(values.profile);
if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
const options: BenchOptions = {
  ...(values.quick ? quick : complete),
  connections: 16,
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
