import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { BenchResult } from './bench.ts';
import type { Machine } from './machine.ts';
import { toFigure, toTable } from './markdown-table.ts';
import { type Places, toPicture } from './picture.ts';

/** One kind of request in one run. */
const row = z.strictObject({
  name: z.string(),
  title: z.string(),
  perSecond: z.number(),
  /** Part of what bare express answers (reads), or express with two commits (writes), in the same run. */
  ofYardstick: z.number(),
  /** Part of the least that must be done for it; absent where it was not measured. */
  ofFloor: z.number().optional(),
  cpuMicros: z.number().optional(),
});

const run = z.strictObject({
  /** ISO 8601, a day. */
  date: z.string(),
  commit: z.string(),
  machine: z.string(),
  /** How many processes wanted a core over the minute before; absent where it was not kept. */
  load: z.number().optional(),
  expressPerSecond: z.number(),
  residentMbAtRest: z.number().optional(),
  residentMbMax: z.number().optional(),
  rows: z.array(row),
});

/** The figures of one run of the benchmark that later ones are compared with. */
export type RecordedRun = z.output<typeof run>;

const runs = z.array(run);

/** Reads the runs of a file, the oldest first. @throws Error when it is not what `recordRun` writes. */
export function readRuns(file: string): RecordedRun[] {
  return runs.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Adds a run at the end of the file. */
export function recordRun(file: string, added: RecordedRun): void {
  writeFileSync(file, `${JSON.stringify([...readRuns(file), added], null, 2)}\n`);
}

/** What is kept of a run. Pure. */
export function toRecordedRun(result: BenchResult, machine: Machine): RecordedRun {
  const { scenarios, limits, residentMbAtRest } = result;
  const residentMbMax = Math.max(
    ...scenarios.map(({ measurement }) => measurement.server?.residentMbMax ?? 0),
  );
  return {
    date: machine.date,
    commit: machine.commit ?? 'unknown',
    machine: `${machine.description}, Node ${machine.node}`,
    load: machine.load,
    expressPerSecond: limits.express.perSecond,
    ...(residentMbAtRest !== undefined && { residentMbAtRest, residentMbMax }),
    rows: scenarios.map(({ scenario, measurement: { perSecond, server }, yardstick, floor }) => ({
      name: scenario.name,
      title: scenario.title,
      perSecond,
      ofYardstick: perSecond / yardstick.perSecond,
      ofFloor: perSecond / floor.perSecond,
      ...(server !== undefined && { cpuMicros: server.cpuMicrosPerRequest }),
    })),
  };
}

/** The history as a page in Markdown, with the picture at this path. Pure. */
export function toHistoryPage(recorded: readonly RecordedRun[], picture: string): string {
  const heads = recorded.map(({ date, commit }) => `${date} ${commit}`);
  const toPart = (pick: (one: Row) => number | undefined, unit: string) =>
    toTable(
      ['', ...heads],
      listTitles(recorded).map(([name, title]) => [
        title,
        ...recorded.map(({ rows }) =>
          toCell(
            rows.find((one) => one.name === name),
            pick,
            unit,
          ),
        ),
      ]),
    );
  return `# Figures over time

Written by \`npm run docs\` from [figures.json](figures.json), to which \`npm run bench -- --record docs/figures.json\` adds a run. Machines differ, so a
column compares with another by its parts of yardsticks, which the same machine ran in the same minutes: bare express for reads, express with
two commits for writes. What the last run found in full: [performance.md](performance.md).

![The part of its yardstick that each kind of request reached in each run](${picture})

The part of the yardstick:

${toPart((one) => one.ofYardstick, ' ×')}

The part of the floor, which is the least that must be done, without our code (since it is measured):

${toPart((one) => one.ofFloor, ' ×')}

Processor time of the bridge for a request, µs:

${toPart((one) => one.cpuMicros, '')}

The machines:

${toTable(
  ['', 'machine', 'load before', 'bare express, /s', 'MB at rest', 'MB at most'],
  recorded.map((one, index) => [
    heads[index] ?? '',
    one.machine,
    toFigure(one.load),
    toFigure(one.expressPerSecond),
    toFigure(one.residentMbAtRest),
    toFigure(one.residentMbMax),
  ]),
)}
`;
}

/** The parts of yardsticks over the runs as a picture in SVG, a chart for each kind of request. Pure. */
export function toHistoryPicture(recorded: readonly RecordedRun[]): string {
  const panels = listTitles(recorded).map(([name, title]) => {
    const points = recorded.flatMap(({ rows }, index): [number, number][] => {
      const found = rows.find((one) => one.name === name);
      return found === undefined ? [] : [[index + 1, found.ofYardstick]];
    });
    return {
      title: `${title}: part of its yardstick`,
      most: Math.max(...points.map(([, part]) => part)),
      draw: (places: Places) => points.map((point) => toBar(point, places)).join(''),
    };
  });
  const marks = recorded.map(({ date, commit }, index) => ({
    at: index + 1,
    label: `${date} ${commit}`,
  }));
  return toPicture(panels, { most: recorded.length + 1, marks });
}

type Row = RecordedRun['rows'][number];

function toBar([run, part]: [number, number], { x, y }: Places): string {
  const left = x(run - 0.2);
  const width = (Number(x(run + 0.2)) - Number(left)).toFixed(1);
  const height = (Number(y(0)) - Number(y(part))).toFixed(1);
  return `<rect x="${left}" y="${y(part)}" width="${width}" height="${height}" fill="#3b82f6"><title>${toFigure(part)} ×</title></rect>`;
}

function toCell(
  found: Row | undefined,
  pick: (one: Row) => number | undefined,
  unit: string,
): string {
  const value = found === undefined ? undefined : pick(found);
  return value === undefined ? '–' : `${toFigure(value)}${unit}`;
}

/** Names and titles of all kinds of requests, as they first came. */
function listTitles(recorded: readonly RecordedRun[]): [string, string][] {
  return [...new Map(recorded.flatMap(({ rows }) => rows.map(({ name, title }) => [name, title])))];
}
