import type { BenchResult, ScenarioResult } from './bench.ts';
import type { Machine } from './machine.ts';
import { toFigure, toLimitRow, toTable, toVerdict } from './markdown-table.ts';
import type { Measurement } from './measure.ts';
import type { Limits, Yardstick } from './yardsticks.ts';

const residentMbAtRestMax = 100;
const residentMbMax = 130;
const startSMax = 0.5;
const groupSlowdownMax = 1.2;
/** A server under full load that gets less of its core shares it with somebody. */
const quietCoreMin = 0.9;

/** What a run found, as a page in Markdown. Pure. */
export function toReport(result: BenchResult, machine: Machine): string {
  const { scenarios, limits } = result;
  return `# Performance

${toCircumstances(result, machine)}

${toTable(
  [
    ...[
      'request',
      '/s',
      'p50 ms',
      'p99 ms',
      'yardstick',
      'of its floor',
      'calls',
      'CPU µs',
      'core',
    ],
    ...['MB', 'aim', ''],
  ],
  scenarios.map(toScenarioRow),
)}

- **yardstick**: the part of what bare express answers (reads), or express with two commits (writes), on the same core
- **of its floor**: the part of what the least that must be done allows, measured without our code: express with a prepared read of one row or of
  100, or with the body, five statements in two commits and a call between them
- **aim**: a part of the yardstick; those that were set in requests a second are the part that they were on the machine that they were set on
- **calls**: to the service, for each request
- **CPU µs**: processor time of the bridge for each request; **core**: how much of its core it used
- **MB**: the most resident memory of the bridge meanwhile

${toTable(['', 'measured', 'aim', ''], toSummaryRows(result))}

What stood beside each, loaded by the same client by turns with the bridge; the answers are as long as a user:

${toTable(['request', 'beside it', '/s', 'p50 ms', 'p99 ms', 'CPU µs', 'core'], scenarios.flatMap(toYardstickRows))}

${toRemarks(limits).join('\n\n')}
`;
}

function toCircumstances(
  { options, firstReadMs }: BenchResult,
  { date, commit, node, description, load }: Machine,
): string {
  const { size, durations, connections, cores } = options;
  const [smaller, larger] = size.largeGroups;
  const where =
    cores === undefined
      ? 'No process was bound to a core.'
      : `The bridge was bound to core ${cores.measured}, the sandbox and the client to core ${cores.surroundings}.`;
  return `Written by \`npm run bench\` on ${date}${commit === undefined ? '' : ` at ${commit}`}: Node ${node}, ${description};
load average before: ${toFigure(load)}. ${where}

${connections} keep-alive connections, one request at a time on each, ${durations.measuredMs / 1_000} s after a warm-up of ${durations.warmUpMs / 1_000} s; the store is a SQLite file.
The service held ${toCount(size.users)} users and ${toCount(size.groups)} groups, of ${toCount(smaller)}, ${toCount(larger)} and else 20 members. The first read
took them in, ${toFigure(firstReadMs / 1_000)} s after the start of the process; then one PATCH of externalId adopted each.`;
}

function toScenarioRow({
  scenario,
  measurement,
  yardstick,
  floor,
  callsPerRequest,
}: ScenarioResult): string[] {
  const { perSecond, p50Ms, p99Ms, server, failures } = measurement;
  const aim = scenario.aim * yardstick.perSecond;
  return [
    scenario.title,
    toFigure(perSecond),
    toFigure(p50Ms),
    toFigure(p99Ms),
    toShare(perSecond, yardstick.perSecond),
    toShare(perSecond, floor.perSecond),
    toFigure(callsPerRequest),
    ...toServerCells(measurement),
    toFigure(server?.residentMbMax),
    `≥ ${toFigure(aim)}`,
    failures > 0 ? `**${failures} failed**` : toVerdict(perSecond >= aim),
  ];
}

function toSummaryRows(result: BenchResult): string[][] {
  const { scenarios, residentMbAtRest, startTime } = result;
  const residentMb = Math.max(
    ...scenarios.map((row) => row.measurement.server?.residentMbMax ?? NaN),
  );
  const rows = [
    toLimitRow(
      'resident memory before the first request, MB',
      residentMbAtRest,
      residentMbAtRestMax,
    ),
    ['that of a process that loads express and SQLite, MB', toFigure(startTime.expressMb), '', ''],
    toLimitRow('resident memory, the most, MB', residentMb, residentMbMax),
    toLimitRow('start until ready, the store known, s', startTime.readyMs / 1_000, startSMax),
    [
      'that of a process that loads express and SQLite, s',
      toFigure(startTime.expressMs / 1_000),
      '',
      '',
    ],
  ];
  const slowdown = toGroupSlowdown(scenarios);
  if (slowdown !== undefined) {
    rows.push([
      'how much slower the larger group is',
      `${toFigure(slowdown)} ×`,
      `≤ ${groupSlowdownMax} ×`,
      toVerdict(slowdown <= groupSlowdownMax),
    ]);
  }
  return rows;
}

function toGroupSlowdown(scenarios: readonly ScenarioResult[]): number | undefined {
  const [smaller, larger] = ['member', 'member-large'].map((name) =>
    scenarios.find(({ scenario }) => scenario.name === name),
  );
  if (smaller === undefined || larger === undefined) return undefined;
  return smaller.measurement.perSecond / larger.measurement.perSecond;
}

const TITLES: Readonly<Record<Yardstick, string>> = {
  express: 'bare express',
  read: 'express and one prepared read',
  page: 'express and one prepared read of 100 users',
  commits: 'express and two commits',
  write: 'express, a body, five statements in two commits, a call',
};

function toYardstickRows({ scenario, yardstick, floor }: ScenarioResult): string[][] {
  const toRow = (which: Yardstick, measurement: Measurement) => [
    scenario.title,
    TITLES[which],
    toFigure(measurement.perSecond),
    toFigure(measurement.p50Ms),
    toFigure(measurement.p99Ms),
    ...toServerCells(measurement),
  ];
  return [toRow(scenario.yardstick, yardstick), toRow(scenario.floor, floor)];
}

function toServerCells({ server }: Measurement): string[] {
  const core = server === undefined ? '–' : toPercent(server.cpuShare);
  return [toFigure(server?.cpuMicrosPerRequest), core];
}

/** What a reader must know before he believes a share of a yardstick: who else was at work, and who was slower. */
function toRemarks({ wire, express, commitsPerSecond }: Limits): string[] {
  const factor = wire.perSecond / express.perSecond;
  const verdict =
    factor >= 1.2
      ? 'it was the bottleneck nowhere'
      : 'it may have been the bottleneck for bare express, which is then at least as fast as shown';
  const limits = `Where a socket answers without looking, the client sends ${toFigure(factor)} × what bare express answers by turns with it: ${verdict}.
Commits alone, one after another, were ${toFigure(commitsPerSecond)} a second.`;
  const core = express.server?.cpuShare ?? 1;
  if (core >= quietCoreMin || factor < 1.2) return [limits];
  const busy = `**Other programs took part of the machine:** bare express got ${toPercent(core)} of its core. Requests a second are too low then, some more than others; processor time for each request can still be compared.`;
  return [busy, limits];
}

function toShare(perSecond: number, yardstick: number): string {
  return `${toFigure(perSecond / yardstick)} ×`;
}

function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function toCount(count: number): string {
  return count.toLocaleString('en');
}
