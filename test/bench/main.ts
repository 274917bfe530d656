import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { USER_SCHEMA_URI } from '../../src/domain/extensions.ts';
import { dismiss, replace, toPatch } from '../support/provider.ts';
import type { Load, RequestSource } from './load-client.ts';
import { bindToCore, findProcessFacts } from './machine.ts';
import type { Company, Program } from './program.ts';
import { startProgram } from './program.ts';

interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly source: RequestSource;
}

const listed = 100;
/** A prime, so that steps of this length visit every row of a table, far apart from each other. */
const stride = 7_919;

/** Reads first; last the scenario that makes the company grow, so that the others meet it as it was prepared. */
function createScenarios({ users, largeGroups }: Company, lanes: number): Scenario[] {
  const patch = (path: string, operation: Parameters<typeof toPatch>[0]) =>
    ({ method: 'PATCH', path, body: JSON.stringify(toPatch(operation)) }) as const;
  return [
    {
      name: 'get',
      title: 'GET user by id',
      source: scatter(users, ({ id }) => ({ method: 'GET', path: `/Users/${id}` })),
    },
    {
      name: 'filter',
      title: 'filter by userName',
      source: scatter(users, ({ userName }) => {
        const filter = encodeURIComponent(`userName eq "${userName}"`);
        return { method: 'GET', path: `/Users?filter=${filter}` };
      }),
    },
    {
      name: 'list',
      title: `list of ${listed}`,
      source: scatter([...users.slice(listed).keys()], (start) => ({
        method: 'GET',
        path: `/Users?startIndex=${start + 1}&count=${listed}`,
      })),
    },
    {
      name: 'active',
      title: 'PATCH active',
      source: inTurns(users, lanes, ({ id }, isBack) =>
        patch(`/Users/${id}`, replace('active', isBack)),
      ),
    },
    ...largeGroups.map(({ id, memberIds }, index) => ({
      name: index === 0 ? 'member' : 'member-large',
      title: `PATCH one of ${memberIds.length.toLocaleString('en')} members`,
      source: inTurns(memberIds, lanes, (value, isBack) =>
        patch(
          `/Groups/${id}`,
          isBack ? { op: 'add', path: 'members', value: [{ value }] } : dismiss(value),
        ),
      ),
    })),
    { name: 'post', title: 'POST user', source: postUsers() },
  ];
}

function postUsers(): RequestSource {
  let posted = 0;
  return () => {
    posted += 1;
    const userName = `new${posted}@example.com`;
    const body = {
      schemas: [USER_SCHEMA_URI],
      userName,
      name: { givenName: 'Grace', familyName: `Number${posted}` },
      displayName: `Grace Number${posted}`,
      emails: [{ primary: true, value: userName, type: 'work' }],
      externalId: `new-${posted}`,
      active: true,
    };
    return { method: 'POST', path: '/Users', body: JSON.stringify(body) };
  };
}

type Requested = ReturnType<RequestSource>;

/** Asks for one after another, for ever, so that two that follow each other stand far apart. */
function scatter<T>(items: readonly T[], toRequest: (item: T) => Requested): RequestSource {
  let given = 0;
  return () => {
    given += 1;
    return toRequest(getAt(items, given * stride));
  };
}

function inTurns<T>(
  items: readonly T[],
  lanes: number,
  toRequest: (item: T, isBack: boolean) => Requested,
): RequestSource {
  const turns = Array<number>(lanes).fill(0);
  return (lane) => {
    const turn = getAt(turns, lane);
    turns[lane] = turn + 1;
    const share = Math.floor(items.length / lanes);
    const nth = Math.floor(turn / 2) % share;
    return toRequest(getAt(items, nth * lanes + lane), turn % 2 === 1);
  };
}

/** Begins again at the end. @throws RangeError when there are none. */
function getAt<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}

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

/** Without `--quick`, whose numbers mean nothing: to see that everything works. */
const complete = {
  size: { users: 10_000, groups: 500, largeGroups: [1_000, 10_000] },
  warmUpMs: 1_000,
  measuredMs: 4_000,
} as const;
const quick = {
  size: { users: 1_000, groups: 50, largeGroups: [100, 1_000] },
  warmUpMs: 100,
  measuredMs: 400,
} as const;
const [MEASURED, SURROUNDINGS] = [0, 1];
/** Requests on their way at the same time, one on each connection. */
const CONNECTIONS = 16;
/** Turns of each program. */
const TURNS = 8;

const nobody = { id: '', memberIds: [] };
const names = createScenarios({ users: [], largeGroups: [nobody, nobody] }, 1).map(
  ({ name }) => name,
);
const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`there is no scenario ${unknown.join(', ')} among ${names.join(', ')}`);

const { size, warmUpMs, measuredMs } = values.quick ? quick : complete;
const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-bench-'));
const isBound = bindToCore(process.pid, SURROUNDINGS);
const programs: Program[] = [];
try {
  for (const root of [process.cwd(), ...(values.against ? [resolve(values.against)] : [])]) {
    console.error(`… starting ${root}`);
    const options = { root, folder, core: MEASURED, size, connections: CONNECTIONS };
    programs.push(await startProgram(options));
  }
  const bound = isBound ? ', bound to one core, the sandbox and the client to another' : '';
  const [{ model } = { model: 'unknown' }] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  console.log(
    `One process on a SQLite file${bound} (Node ${process.versions.node}, ${model}, ${day}).`,
    `The service held ${size.users} users and ${size.groups} groups,`,
    `one of ${size.largeGroups.join(' and one of ')} members.`,
    `${CONNECTIONS} connections sent one request at a time.\n`,
  );
  console.log(await measureRequests());
  if (values.only.length === 0) console.log(await measureTheRest());
} finally {
  for (const program of programs) await program.stop();
  rmSync(folder, { recursive: true });
}

async function measureRequests(): Promise<string> {
  const lists = programs.map(({ company }) => createScenarios(company, CONNECTIONS));
  const rows: string[][] = [];
  for (const [index, { name, title }] of (lists[0] ?? []).entries()) {
    if (values.only.length > 0 && !values.only.includes(name)) continue;
    console.error(`… ${title}`);
    const sources = lists.flatMap((list) => list[index]?.source ?? []);
    rows.push([title, ...(await measureInTurns(title, sources))]);
  }
  const other = programs.length > 1 ? ['of the other'] : [];
  const heads = ['p50 ms', 'p99 ms', 'CPU µs', 'calls to the service', 'MB'];
  return `${toTable(['request', 'per second', ...other, ...heads], rows)}\n`;
}

/** Loads each program with its source by turns, after a warm-up of each, while the others are idle. @returns the cells of a row */
async function measureInTurns(title: string, sources: readonly RequestSource[]): Promise<string[]> {
  const meters = programs.flatMap((program, index) => {
    const source = sources[index];
    return source === undefined ? [] : [createMeter(program, source)];
  });
  for (const meter of meters) await meter.warmUp();
  for (let turn = 0; turn < TURNS; turn += 1) for (const meter of meters) await meter.run();
  const [one, other] = meters.map(({ read }) => read(title));
  if (one === undefined) return [];
  const { perSecond, ...figures } = one;
  const share = other === undefined ? [] : [`${toFigure(perSecond / other.perSecond)} ×`];
  return [toFigure(perSecond), ...share, ...Object.values(figures).map(toFigure)];
}

function createMeter({ client, bridge, sandbox }: Program, source: RequestSource) {
  const all: Load[] = [];
  let cpuMs = Number.NaN;
  const runFor = (ms: number) => {
    const endsAt = performance.now() + ms;
    return client.run((lane) => (performance.now() < endsAt ? source(lane) : undefined));
  };
  return {
    async warmUp() {
      all.push(await runFor(warmUpMs));
      sandbox.calls.reset();
      cpuMs = 0;
    },
    async run() {
      const before = findProcessFacts(bridge().pid);
      all.push(await runFor(measuredMs / TURNS));
      // Of what hardly depends on what else the machine does; Linux alone tells it.
      cpuMs += (findProcessFacts(bridge().pid)?.cpuMs ?? Number.NaN) - (before?.cpuMs ?? 0);
    },
    read(title: string) {
      const loads = all.slice(1);
      const ascending = Float64Array.from(loads.flatMap(({ latenciesMs }) => latenciesMs)).sort();
      const elapsedMs = loads.reduce((sum, load) => sum + load.elapsedMs, 0);
      const failures = all.flatMap((load) => load.failures);
      if (failures.length > 0) {
        process.exitCode = 1;
        console.error(`${title}: ${failures.length} requests failed, the first so:`, failures[0]);
      }
      return {
        perSecond: (ascending.length / elapsedMs) * 1_000,
        p50Ms: percentile(ascending, 0.5),
        p99Ms: percentile(ascending, 0.99),
        cpuMicros: (cpuMs * 1_000) / ascending.length,
        callsPerRequest: sandbox.calls.count() / ascending.length,
        residentMb: findProcessFacts(bridge().pid)?.residentMb,
      };
    },
  };
}

/** The smallest of the values that at least the `share` of them does not exceed (nearest rank). */
function percentile(ascending: Float64Array, share: number): number | undefined {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)];
}

async function measureTheRest(): Promise<string> {
  const tasks: readonly (readonly [string, (program: Program) => number | Promise<number>])[] = [
    ['first read', ({ firstReadMs }) => firstReadMs],
    ['sweep', (program) => program.sweep()],
    ['start, with a store that is known', (program) => program.startAgain()],
  ];
  const rows: string[][] = [];
  for (const [title, measure] of tasks) {
    const row = [title];
    for (const program of programs) row.push(toFigure((await measure(program)) / 1_000));
    rows.push(row);
  }
  return toTable(['', 's', ...(programs.length > 1 ? ['s of the other'] : [])], rows);
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toFigure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', fraction);
}
