import type { Machine } from '../bench/machine.ts';
import { toFigure, toTable } from '../bench/markdown-table.ts';
import { percentile } from '../bench/measure.ts';
import { CYCLE_MINUTES, DAY_MINUTES } from './day-plan.ts';
import { CALLS_PER_SECOND, type DayOptions, type DayRun } from './day-run.ts';

const HOURS = 24;
const HOUR_MINUTES = DAY_MINUTES / HOURS;

/** What a day was like, as a section in Markdown. Pure. */
export function toDaySection(
  { samples, leavers, failed, stuck, drifts, playedMs }: DayRun,
  { company, day, seed }: DayOptions,
  machine: Machine,
): string {
  const took = Float64Array.from(leavers, ({ tookMs }) => tookMs).sort();
  const total = (key: 'calls' | 'requests') =>
    samples.reduce((sum, sample) => sum + sample[key], 0);
  const toOut = (share: number) => toSeconds(percentile(took, share));
  return `## A day

Written by \`npm run load:day\` on ${machine.date}${machine.commit === undefined ? '' : ` at ${machine.commit}`}. A company of ${company.users.toLocaleString('en')} people and ${company.groups.toLocaleString('en')} groups on a clock that leaps over
what is quiet: 24 hours in ${toFigure(playedMs / 60_000)} minutes, the same for the seed ${seed}. A provider in the words of Entra ID begins a cycle every ${CYCLE_MINUTES} minutes, with
four requests at a time. ${day.joiners} people join in the morning, into three groups each; ${day.leavers} leave in the evening; between, ${day.movers} change their department, every
third of them a group too, and ${day.renamed} their name. The service answers after 160 ms and refuses more than ${CALLS_PER_SECOND} calls a second. Its audit log is
read every minute, and everything is compared once.

${toTable(
  ['', 'of the day'],
  [
    [
      'requests of the provider, of which failed',
      `${total('requests').toLocaleString('en')}, ${failed}`,
    ],
    ['calls to the service', total('calls').toLocaleString('en')],
    ['most calls in a minute, of 300', String(Math.max(...samples.map(({ calls }) => calls)))],
    ['most that waited at the end of a minute', String(Math.max(...samples.map(({ due }) => due)))],
    [
      `way out of ${leavers.length} leavers, s: p50, p95, the slowest`,
      `${toOut(0.5)}, ${toOut(0.95)}, ${toOut(1)}`,
    ],
    ['refused for good, differences at the end', `${stuck}, ${drifts}`],
  ],
)}

${toTable(
  ['hour', 'requests', 'calls', 'waited at most', 'leavers', 'slowest way out, s'],
  Array.from({ length: HOURS }, (_, hour) => toHourRow(hour, { samples, leavers })),
)}
`;
}

function toHourRow(
  hour: number,
  { samples, leavers }: Pick<DayRun, 'samples' | 'leavers'>,
): string[] {
  const isWithin = ({ minute }: { readonly minute: number }) =>
    Math.floor(minute / HOUR_MINUTES) === hour;
  const within = samples.filter(isWithin);
  const sum = (key: 'calls' | 'requests') => within.reduce((total, one) => total + one[key], 0);
  const left = leavers.filter(isWithin);
  const slowest = left.length === 0 ? '' : toSeconds(Math.max(...left.map((one) => one.tookMs)));
  return [
    `${String(hour).padStart(2, '0')}:00`,
    String(sum('requests')),
    String(sum('calls')),
    String(Math.max(...within.map(({ due }) => due))),
    left.length === 0 ? '' : String(left.length),
    slowest,
  ];
}

function toSeconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
