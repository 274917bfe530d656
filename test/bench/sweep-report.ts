import type { Machine } from './machine.ts';
import { toFigure, toLimitRow, toTable, toVerdict } from './markdown-table.ts';
import type { SweepBenchResult, SweepResult } from './sweep-bench.ts';

const peakMbMax = 300;
/** Aims for the large company: seconds, megabytes, and milliseconds of 99 of 100 requests while it is compared. */
const LARGE_MAX = { sweepS: 12, firstReadS: 30, firstReadMb: 180, p99Ms: 50 };
/** A member of the large company costs at most so many times one of the small. */
const growthMax = 1.5;

const LATENCY_WORDS = {
  during: 'while comparing',
  service: 'the service meanwhile, directly',
  alone: 'without',
};

/** What sweeps cost, as a section in Markdown. Pure. */
export function toSweepSection(
  { small, large }: SweepBenchResult,
  { date, commit, node, description, load }: Machine,
): string {
  const rows = [small, large];
  return `## Sweeps

On ${date}${commit === undefined ? '' : ` at ${commit}`}: Node ${node}, ${description}; load average before: ${toFigure(load)}.

Comparing a whole service with the store, everything managed and nothing changed; the sandbox in a process of its own, without a limit on the
rate; the store is a SQLite file. Everybody was read by a first read; that they are managed was written into the store directly.

${toTable(
  [
    'users',
    'groups',
    'memberships',
    'calls',
    's',
    'CPU s',
    'CPU µs a member',
    'reading alone',
    'MB',
  ],
  rows.map(toSweepRow),
)}

- **CPU s**: processor time of the bridge for one sweep, the best of a few; **reading alone**: what asking for the same pages and
  reading them as JSON takes of that, without a bridge
- **MB**: the most resident memory of the process that made the sweeps, since its start

${toTable(['', 'measured', 'aim', ''], [toGrowthRow(small, large), ...toLargeRows(large)])}

Fifty requests a second that deactivate and activate people, while everything is compared, and without that. Each needs a call to the service,
which writes the pages of the sweep meanwhile; what a call waits that asks it for one person directly is the least that a request can wait:

${toTable(['memberships', '', 'p50 ms', 'p99 ms', 'longest ms'], rows.flatMap(toLatencyRows))}

${rows.map(toFirstReadLine).join('\n')}`;
}

function toSweepRow({ contents, sweep, readAloneMs, peakResidentMb }: SweepResult): string[] {
  const { users, groups, memberships } = contents;
  const share = sweep.cpuMs === undefined ? undefined : (100 * readAloneMs) / sweep.cpuMs;
  return [
    ...[users, groups, memberships, sweep.calls].map((count) => count.toLocaleString('en')),
    toFigure(sweep.wallMs / 1_000),
    toFigure(sweep.cpuMs === undefined ? undefined : sweep.cpuMs / 1_000),
    toFigure(toMicrosPerMember({ contents, sweep })),
    share === undefined ? '–' : `${Math.round(share)} %`,
    toFigure(peakResidentMb),
  ];
}

function toGrowthRow(small: SweepResult, large: SweepResult): string[] {
  const [before, after] = [toMicrosPerMember(small), toMicrosPerMember(large)];
  const growth = before === undefined || after === undefined ? Number.NaN : after / before;
  const what = `what a member of ${large.contents.memberships.toLocaleString('en')} costs beside one of ${small.contents.memberships.toLocaleString('en')}`;
  return [what, `${toFigure(growth)} ×`, `≤ ${growthMax} ×`, toVerdict(growth <= growthMax)];
}

function toLargeRows({ sweep, latency, firstRead, peakResidentMb }: SweepResult): string[][] {
  const { sweepS, firstReadS, firstReadMb, p99Ms } = LARGE_MAX;
  return [
    toLimitRow('the most resident memory of the larger, MB', peakResidentMb, peakMbMax),
    toLimitRow('comparing the larger, s', sweep.wallMs / 1_000, sweepS),
    toLimitRow('p99 of requests while it is compared, ms', latency.during.p99Ms, p99Ms),
    toLimitRow('the first read of the larger, s', firstRead.wallMs / 1_000, firstReadS),
    toLimitRow('the most memory of its first read, MB', firstRead.peakResidentMb, firstReadMb),
  ];
}

function toLatencyRows({ contents, latency }: SweepResult): string[][] {
  const memberships = contents.memberships.toLocaleString('en');
  return (['during', 'service', 'alone'] as const).map((when) => {
    const { p50Ms, p99Ms, maxMs } = latency[when];
    return [memberships, LATENCY_WORDS[when], ...[p50Ms, p99Ms, maxMs].map(toFigure)];
  });
}

function toFirstReadLine({ contents, firstRead, readAloneMs }: SweepResult): string {
  const memberships = contents.memberships.toLocaleString('en');
  const [took, reading, writing] = [firstRead.wallMs, readAloneMs, firstRead.writeAloneMs].map(
    (ms) => toFigure(ms / 1_000),
  );
  return `- The first read of ${memberships} memberships took ${took} s and at most ${toFigure(firstRead.peakResidentMb)} MB. Its floor: asking for the same
  pages alone takes ${reading} s of processor time, and writing the same rows into the same tables alone ${writing} s.`;
}

function toMicrosPerMember({ contents, sweep }: Pick<SweepResult, 'contents' | 'sweep'>) {
  return sweep.cpuMs === undefined ? undefined : (sweep.cpuMs * 1_000) / contents.memberships;
}
