import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../bench/machine.ts';
import { toDaySection } from './day-report.ts';
import { type DayOptions, runDay } from './day-run.ts';

/**
 * `npm run load:day -- [--quick] [--seed n] [--write <file>]`: plays a day of a company of
 * 20,000 people in minutes and prints what it was like, in Markdown. Fails when a request failed or
 * something acknowledged was refused later.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    write: { type: 'string' },
  },
});

const users = values.quick ? 1_000 : 20_000;
const options: DayOptions = {
  company: {
    users,
    groups: users / 40,
    groupSizes: [users / 2, users / 10],
    membersPerGroup: 40,
  },
  // The first of a month: ten times as many come and go as on other days.
  day: {
    joiners: users / 125,
    leavers: users / 250,
    movers: users / 50,
    renamed: users / 200,
  },
  seed: Number(values.seed),
  say: (line) => console.error(`… ${line}`),
};
const machine = describeMachine(new Date());
const run = await runDay(options);
const section = toDaySection(run, options, machine);
console.log(section);
if (values.write !== undefined) writeFileSync(values.write, section);
if (run.failed > 0 || run.stuck > 0) process.exitCode = 1;
