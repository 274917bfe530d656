import type { Machine } from '../bench/machine.ts';
import { toFigure, toTable } from '../bench/markdown-table.ts';
import { ingredients } from './mix.ts';
import type { Latency } from './open-loop.ts';
import { callsPerSecond, type LoadOptions, type LoadRun, type LoadSetup } from './run.ts';
import { writeWaitMs } from './stage.ts';

const readsP99MaxMs = 50;
const writesP99MaxMs = writeWaitMs + 100;

/** What a load met, as a section in Markdown. Pure. */
export function toLoadSection(
  runs: readonly LoadRun[],
  { size, seconds, warmUpSeconds, drainSecondsMax, seed }: LoadOptions,
  { date, commit, node, description, load }: Machine,
): string {
  const large = size.groupSizes?.map((members) => members.toLocaleString('en')).join(' and ');
  return `## Load

Written by \`npm run load\` on ${date}${commit === undefined ? '' : ` at ${commit}`}: Node ${node}, ${description}; load average before:
${toFigure(load)}. Bridges, sandbox, PostgreSQL and the client of the load share the machine; no process was bound to a core.

The service held ${size.users.toLocaleString('en')} users and ${size.groups.toLocaleString('en')} groups${large === undefined ? '' : `, of ${large}`} and else ${size.membersPerGroup} members, all managed, and refused more than
${callsPerSecond} calls a second; PostgreSQL writes each commit to the disk, as SQLite does. Requests left evenly spaced for ${seconds} s after a warm-up of ${warmUpSeconds} s,
whatever became of those before, to one process after another; each counts from the moment it was to be sent. Everything was being compared
meanwhile. A write may wait ${writeWaitMs / 1_000} s for the service.

${toTable(
  [
    'set-up',
    '/s',
    'sent',
    'accepted',
    'failed',
    'reads p50 ms',
    'p99',
    'longest',
    `aim: p99 ≤ ${readsP99MaxMs}`,
    'writes p50 ms',
    'p99',
    'longest',
    `aim: p99 ≤ ${writesP99MaxMs.toLocaleString('en')}`,
  ],
  runs.map(toLatencyRow),
)}

${toTable(
  [
    'set-up',
    '/s',
    'cores',
    'MB before',
    'MB, the most',
    'calls',
    'in a second',
    `${callsPerSecond + 1} took ms`,
    'too many',
    'due at the end',
    'drained after s',
    'stuck',
  ],
  runs.map(toCostRow),
)}

- **cores**: processor time of all bridges together for each second; **MB**: resident memory of the largest of them
- **calls**: to the service, until the backlog was drained or watched for ${drainSecondsMax} s; **in a second**: the most within any second, as they came to the
  service, and the shortest time in which ${callsPerSecond + 1} came; **too many**: calls that it turned away with 429
- **due at the end**: people and groups that were still to be changed or looked at when the last answer was there; **drained after**: how long
  that took; *about* is an estimate from what was done in ${drainSecondsMax} s
- **stuck**: what was acknowledged and then refused by the service, once everything was let through

The mix, of a thousand requests, drawn with the seed ${seed}:

${toTable(
  ['request', 'of 1,000'],
  ingredients.map(({ title, perMille }) => [title, String(perMille)]),
)}
`;
}

function toLatencyRow({ setup, rate, load }: LoadRun): string[] {
  const accepted = load.sent - load.failures;
  return [
    toTitle(setup),
    String(rate),
    load.sent.toLocaleString('en'),
    accepted.toLocaleString('en'),
    load.failures === 0 ? '0' : `**${load.failures}**`,
    ...toLatencyCells(load.reads, readsP99MaxMs),
    ...toLatencyCells(load.writes, writesP99MaxMs),
  ];
}

function toLatencyCells({ p50Ms, p99Ms, maxMs }: Latency, p99MaxMs: number): string[] {
  return [...[p50Ms, p99Ms, maxMs].map(toFigure), p99Ms <= p99MaxMs ? 'met' : '**missed**'];
}

function toCostRow(run: LoadRun): string[] {
  const { setup, rate, cores, residentMb, calls, dueAtEnd, stuck } = run;
  return [
    toTitle(setup),
    String(rate),
    toFigure(cores),
    toFigure(residentMb.before),
    toFigure(residentMb.most),
    calls.calls.toLocaleString('en'),
    String(calls.inBusiestSecond),
    calls.crowdMs === undefined ? '–' : String(calls.crowdMs),
    String(calls.tooMany),
    dueAtEnd.toLocaleString('en'),
    toDrainCell(run),
    String(stuck),
  ];
}

function toDrainCell({ drain: { kind, seconds } }: LoadRun): string {
  if (kind === 'measured') return toFigure(seconds);
  return Number.isFinite(seconds) ? `about ${toFigure(seconds)}` : 'no end in sight';
}

function toTitle({ engine, processes }: LoadSetup): string {
  const store = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return processes === 1 ? `one process on ${store}` : `${processes} processes on ${store}`;
}
