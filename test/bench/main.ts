import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bindToCore } from './machine.ts';
import { type Durations, type Measurement, measureInTurns } from './measure.ts';
import { type CompanySize, type Program, startProgram } from './program.ts';
import { createScenarios } from './scenarios.ts';

/**
 * `npm run bench -- [--quick] [--only <scenario>]… [--against <checkout>]`: loads the bridge and prints tables in Markdown. With
 * another checkout of the project the bridge of that is loaded by turns with this one, so that a machine whose speed changes
 * is fair to both. Fails when a request failed.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
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
/** One core for the bridge, another for the sandbox and the client. */
const [MEASURED, SURROUNDINGS] = [0, 1];
/** Requests on their way at the same time, one on each connection. */
const CONNECTIONS = 16;

interface Plan {
  readonly size: CompanySize;
  readonly durations: Durations;
}

const plan: Plan = values.quick ? quick : complete;
const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-bench-'));
const isBound = bindToCore(process.pid, SURROUNDINGS);
const programs: Program[] = [];
try {
  for (const root of [process.cwd(), ...(values.against ? [resolve(values.against)] : [])]) {
    console.error(`… starting ${root}`);
    const { size } = plan;
    const options = { root, folder, core: MEASURED, size, connections: CONNECTIONS };
    programs.push(await startProgram(options));
  }
  console.log(describe(plan));
  console.log(await measureRequests(plan));
  if (values.only.length === 0) console.log(await measureTheRest());
} finally {
  for (const program of programs) await program.stop();
  rmSync(folder, { recursive: true });
}

function describe({ size }: Plan): string {
  const bound = isBound ? ', bound to one core, the sandbox and the client to another' : '';
  return `One process on a SQLite file${bound} (Node ${process.versions.node}, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}).
The service held ${size.users} users and ${size.groups} groups, one of ${size.largeGroups.join(' and one of ')} members. ${CONNECTIONS} connections sent one request at a time.\n`;
}

async function measureRequests({ durations }: Plan): Promise<string> {
  const lists = programs.map(({ company }) => createScenarios(company, CONNECTIONS));
  const rows: string[][] = [];
  for (const [index, { name, title }] of (lists[0] ?? []).entries()) {
    if (values.only.length > 0 && !values.only.includes(name)) continue;
    console.error(`… ${title}`);
    const sources = lists.flatMap((list) => list[index]?.source ?? []);
    const measured = await measureInTurns(programs, sources, durations);
    for (const one of measured) failOn(title, one);
    rows.push([title, ...toCells(measured)]);
  }
  const other = programs.length > 1 ? ['of the other'] : [];
  const heads = [
    'per second',
    ...other,
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'calls to the service',
    'MB',
  ];
  return `${toTable(['request', ...heads], rows)}\n`;
}

function failOn(title: string, { failures, firstFailure }: Measurement): void {
  if (failures === 0) return;
  process.exitCode = 1;
  console.error(`${title}: ${failures} requests failed, the first so:`, firstFailure);
}

function toCells([one, other]: readonly Measurement[]): string[] {
  if (one === undefined) return [];
  const share = other === undefined ? [] : [`${toFigure(one.perSecond / other.perSecond)} ×`];
  const { p50Ms, p99Ms, cpuMicros, callsPerRequest, residentMb } = one;
  const figures = [p50Ms, p99Ms, cpuMicros, callsPerRequest, residentMb].map(toFigure);
  return [toFigure(one.perSecond), ...share, ...figures];
}

/** What is done once: reading the service first, comparing it, starting again. */
async function measureTheRest(): Promise<string> {
  const rows: number[][] = [programs.map(({ firstReadMs }) => firstReadMs)];
  for (const measure of [
    (program: Program) => program.sweep(),
    (program: Program) => program.startAgain(),
  ]) {
    const row: number[] = [];
    for (const program of programs) row.push(await measure(program));
    rows.push(row);
  }
  const titles = ['first read', 'sweep', 'start, with a store that is known'];
  const heads = ['', 's', ...(programs.length > 1 ? ['s of the other'] : [])];
  return toTable(
    heads,
    rows.map((row, index) => [titles[index] ?? '', ...row.map((ms) => toFigure(ms / 1_000))]),
  );
}

/** A table in Markdown: the first column to the left, the others to the right. */
function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A number as people read it: 12,345, 123, 12.3, 1.23. A dash when it is not known. */
function toFigure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', fraction);
}
