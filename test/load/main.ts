import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../bench/machine.ts';
import { toLoadSection } from './report.ts';
import { type LoadOptions, type LoadSetup, runLoad } from './run.ts';

/**
 * `npm run load -- [--quick] [--rates 25,100,400] [--seconds 60] [--drain 60] [--users 50000] [--setups sqlite,postgres,replicas]
 * [--seed n] [--write <file>]`: sends a mix of requests as providers do, on schedule, and prints what they met as tables in
 * Markdown. Fails when a request failed or something acknowledged was refused later, never because an aim was missed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rates: { type: 'string', default: '25,100,400' },
    seconds: { type: 'string' },
    drain: { type: 'string' },
    users: { type: 'string' },
    setups: { type: 'string', default: 'sqlite,postgres,replicas' },
    seed: { type: 'string', default: '1' },
    write: { type: 'string' },
  },
});

const setups = new Map<string, LoadSetup>([
  ['sqlite', { engine: 'sqlite', processes: 1 }],
  ['postgres', { engine: 'postgres', processes: 1 }],
  ['replicas', { engine: 'postgres', processes: 3 }],
]);
const complete = { users: 50_000, seconds: 60, warmUpSeconds: 5, drainSecondsMax: 60 };
/** To see that everything works; its numbers mean nothing. */
const quick = { users: 1_000, seconds: 10, warmUpSeconds: 1, drainSecondsMax: 5 };
/** How many of the last characters of the bridges' output are shown when something failed. */
const bridgeOutputMax = 4_000;

const chosen = values.quick ? quick : complete;
const users = toNumber(values.users, chosen.users);
const options: LoadOptions = {
  size: { users, groups: users / 100, groupSizes: [users / 5, users / 50], membersPerGroup: 80 },
  setups: values.setups.split(',').map(toSetup),
  rates: values.rates.split(',').map((rate) => toNumber(rate, 0)),
  seconds: toNumber(values.seconds, chosen.seconds),
  warmUpSeconds: chosen.warmUpSeconds,
  drainSecondsMax: toNumber(values.drain, chosen.drainSecondsMax),
  seed: toNumber(values.seed, 1),
  say: (line) => console.error(`… ${line}`),
};
const machine = describeMachine(new Date());
const runs = await runLoad(options);
const report = toLoadSection(runs, options, machine);
console.log(report);
if (values.write !== undefined) writeFileSync(values.write, report);
for (const { setup, rate, load, stuck, bridgeOutput } of runs) {
  if (load.failures === 0 && stuck === 0) continue;
  process.exitCode = 1;
  console.error(`${setup.engine}, ${setup.processes} process(es), ${rate} requests a second:`);
  console.error(`${load.failures} requests failed, ${stuck} are stuck; the first failure:`);
  console.error(load.firstFailure);
  console.error(bridgeOutput.slice(-bridgeOutputMax));
}

function toSetup(name: string): LoadSetup {
  const setup = setups.get(name);
  if (setup === undefined) throw new RangeError(`no set-up ${name}`);
  return setup;
}

function toNumber(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,7}$/.test(text)) throw new RangeError(`not a number: ${text}`);
  return Number(text);
}
