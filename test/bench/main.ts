import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchOptions, runBench } from './bench.ts';
import { bindToCore, findCores } from './cores.ts';
import { describeMachine } from './machine.ts';
import { toReport } from './report.ts';
import { benchSweeps } from './sweep-bench.ts';
import { toSweepSection } from './sweep-report.ts';
import { findWritePath, toPathSection } from './write-path.ts';

/**
 * `npm run bench -- [--quick] [--path] [--only <scenario>]… [--write <file>] [--profile <folder>]`:
 * measures the bridge, or counts with `--path` the functions and files that one write enters, and prints tables in Markdown.
 * Among the scenarios, `sweep` compares everything with the store. Fails when a request failed, never because an aim was missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    path: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'string' },
    profile: { type: 'string' },
  },
});

const complete = {
  size: { users: 10_000, groups: 500, largeGroups: [1_000, 10_000] },
  durations: { warmUpMs: 1_000, measuredMs: 4_000 },
  sweeps: [
    { users: 1_000, groups: 20, membersPerGroup: 500 },
    { users: 100_000, groups: 2_000, groupSizes: [50_000], membersPerGroup: 476 },
  ],
} as const;
/** Requests on their way at the same time. */
const connections = 16;
/** To see that everything works; its numbers mean nothing. */
const quick = {
  size: { users: 1_000, groups: 50, largeGroups: [100, 1_000] },
  durations: { warmUpMs: 100, measuredMs: 400 },
  sweeps: [
    { users: 200, groups: 4, membersPerGroup: 50 },
    { users: 1_000, groups: 20, groupSizes: [500], membersPerGroup: 100 },
  ],
} as const;

/** How many of the last characters of the bridge's output are shown when something failed. */
const bridgeOutputMax = 4_000;

if (values.path) {
  console.log(toPathSection(await findWritePath()));
  process.exit();
}

const profileFolder = values.profile === undefined ? undefined : resolve(values.profile);
if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
const cores = findCores();
if (cores !== undefined) bindToCore(process.pid, cores.surroundings);
const { sweeps, ...chosen } = values.quick ? quick : complete;
const say = (line: string) => console.error(`… ${line}`);
const options: BenchOptions = {
  ...chosen,
  connections,
  cores,
  only: values.only.filter((name) => name !== 'sweep'),
  profileFolder,
  say,
};
const isAll = values.only.length === 0;
const sections: string[] = [];
if (isAll || options.only.length > 0) tell(await reportRequests());
if (isAll || values.only.includes('sweep')) {
  const machine = describeMachine(new Date());
  const aloneMs = chosen.durations.measuredMs;
  const swept = await benchSweeps({ sizes: sweeps, aloneMs, cores, profileFolder, say });
  tell(`${toSweepSection(swept, machine)}\n`);
}

/** What is known stays known when a later part fails. */
function tell(section: string): void {
  console.log(section);
  sections.push(section);
  if (values.write !== undefined) writeFileSync(values.write, sections.join('\n'));
}

async function reportRequests(): Promise<string> {
  const machine = describeMachine(new Date());
  const result = await runBench(options);
  for (const { scenario, measurement } of result.scenarios) {
    if (measurement.failures === 0) continue;
    process.exitCode = 1;
    console.error(`${scenario.title}: ${measurement.failures} requests failed, the first so:`);
    console.error(measurement.firstFailure);
  }
  if (process.exitCode === 1) console.error(result.bridgeOutput.slice(-bridgeOutputMax));
  return toReport(result, machine);
}
