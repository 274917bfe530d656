import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createSeededRandom } from '../model/interleavings/seeded-random.ts';
import { toEnv as toSiteEnv } from '../support/site.ts';
import { runStatement } from '../support/store-templates.ts';
import { ADMINISTRATOR, Administrator } from './administrator.ts';
import { listFindings, readShown } from './check.ts';
import type { Counts } from './client.ts';
import { Client } from './client.ts';
import type { Company } from './company.ts';
import { Group, Person } from './company.ts';
import type { Restartable, Scheduled, Stage } from './disturbances.ts';
import { createSchedule } from './disturbances.ts';
import { Lives, Trace } from './lives.ts';
import { Operator } from './operator.ts';
import type { LoggedPostgres } from './postgres.ts';
import { readTables } from './postgres.ts';

/** One run: how much, and on what. */
export interface ChaosPlan {
  readonly seed: number;
  readonly operations: number;
  readonly processes: number;
  readonly postgres?: (Restartable & Pick<LoggedPostgres, 'url' | 'log'>) | undefined;
  /** Where the trace is kept; undefined: only after findings, in the folder for temporary files. */
  readonly trace?: string | undefined;
}

/** What a run came to. No findings: every promise was kept. */
export interface ChaosReport extends Counts {
  readonly disturbances: Readonly<Record<string, number>>;
  readonly trespasses: number;
  readonly calls: number;
  readonly tracePath?: string;
}

const PEOPLE = 40;
const GROUPS = 10;
const ACTORS = 5;
const RATE = 40;
const END_LEAD = 'update leader set expires_at = 0, quiet_at = 0';
const WAITS = 7;

/** Has a provider work while all is disturbed, lets everything come to rest, and compares. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  const trace = new Trace();
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-chaos-'));
  // A service that would take the same group twice.
  const sandbox = await startSandbox({ shape: { uniqueGroupNames: 'nowhere' } });
  try {
    const report = await play(plan, { sandbox, folder, trace });
    const { findings } = report;
    for (const finding of findings) trace.note('finding', { finding });
    if (findings.length > 0 && plan.postgres !== undefined) {
      trace.note('log of PostgreSQL', { log: plan.postgres.log() });
      trace.note('tables', await readTables(plan.postgres.url));
    }
    const tracePath = plan.trace ?? join(tmpdir(), `scim-bridge-chaos-${plan.seed}.jsonl`);
    if (plan.trace === undefined && findings.length === 0) return report;
    trace.save(tracePath);
    if (findings.length > 0) cpSync(folder, `${tracePath}.store`, { recursive: true });
    return { ...report, tracePath };
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly trace: Trace;
}

async function play(plan: ChaosPlan, { sandbox, folder, trace }: Place): Promise<ChaosReport> {
  const { seed, operations, processes, postgres } = plan;
  const company: Company = {
    people: Array.from({ length: PEOPLE }, (_, n) => new Person(n, ACTORS)),
    groups: Array.from({ length: GROUPS }, (_, n) => new Group(n, ACTORS)),
  };
  const hasPostgres = postgres !== undefined;
  const size = { seed, operations, processes, actors: ACTORS, hasPostgres };
  const schedule = createSchedule(company, size);
  const administrator = new Administrator(sandbox, company);
  const { service } = sandbox;
  const policy = createSeededRandom(seed + 1).pick(['report', 'repair', 'repair'] as const);
  const url = postgres?.url ?? `sqlite:${join(folder, 'bridge.db')}`;
  const toEnv = createEnv({ seed, sandbox, url, policy });
  const lives = new Lives({ folder, processes, toEnv, trace });
  let asked = 0;
  const pick = () => {
    asked += 1;
    return lives.wait(asked);
  };
  const client = new Client(pick, trace);
  const operator = new Operator(pick);
  try {
    await lives.start();
    const { findings } = client.counts;
    const stage = { sandbox, lives, operator, administrator, postgres };
    const disturbances = await perform(schedule, { client, stage, trace });
    sandbox.faults.clear();
    if (postgres !== undefined) await runStatement(postgres.url, END_LEAD);
    trace.note('the end: everything comes to rest');
    findings.push(...(await operator.settle()));
    const shown = await readShown(client);
    const drifts = await operator.list('/drifts?');
    findings.push(...(await operator.listPlanFindings()));
    trace.note('drifts', { drifts });
    await lives.stop();
    const accounts = [service.owner, service.getUser(ADMINISTRATOR)];
    const bystanders = new Set(accounts.flatMap(({ email, userName }) => [email, userName]));
    findings.push(
      ...listFindings({ company, shown, service, drifts, policy, bystanders }),
      ...administrator.listFindings(),
      ...lives.badCodes.map((code) => `a process that was told to stop ended with ${code}`),
      ...listLogFindings(lives.output(), hasPostgres),
    );
    const links = company.groups.flatMap(({ members }) => [...members.values()]);
    const facts = [
      ...company.people.flatMap(({ active, fullName }) => [active, fullName]),
      ...links,
    ];
    const trespasses = facts.reduce((sum, fact) => sum + fact.trespasses, 0);
    return { ...client.counts, disturbances, trespasses, calls: sandbox.calls.count() };
  } finally {
    await lives.stop().catch(() => undefined);
    trace.note('calls', { calls: sandbox.calls.recent() });
    trace.note('events of the service', { events: service.auditEvents() });
    trace.note('output', { lines: lives.output().split('\n') });
  }
}

interface EnvOptions {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly policy: string;
  readonly seed: number;
}

function createEnv({ sandbox, url, policy, seed }: EnvOptions) {
  const random = createSeededRandom(seed + 2);
  const limit = random.pick(['2', '1000']);
  const sweepInterval = random.pick(['0', '5s']);
  const waits = Array.from({ length: WAITS }, () => random.pick(['50ms', '1s', '2s']));
  return (slot: number, life: number) => ({
    ...toSiteEnv(sandbox),
    UPSTREAM_REQUESTS_PER_SECOND: String(RATE),
    UPSTREAM_TIMEOUT: '500ms',
    DATABASE_URL: url,
    SCIM_WRITE_WAIT: waits[(slot + life) % WAITS] ?? '1s',
    AUDIT_POLL_INTERVAL: '1s',
    // Whoever is found there may be deleted before anything else is written of them.
    USERS_ADOPT_ON_DELETE: 'yes',
    GROUPS_ADOPT_ON_DELETE: 'yes',
    SHUTDOWN_DELAY: '0',
    DRIFT_SETTLE: '0s',
    DRIFT_POLICY: policy,
    SWEEP_INTERVAL: sweepInterval,
    // Nobody is there to let go what providers ask for.
    LIMITS_PROVIDER: '0',
    LIMITS_REPAIR: limit,
  });
}

interface Performing {
  readonly client: Client;
  readonly stage: Stage;
  readonly trace: Trace;
}

/** Begins one thing after another; an actor begins when its last operation is over. @returns how often each disturbance came */
async function perform(
  schedule: readonly Scheduled[],
  { client, stage, trace }: Performing,
): Promise<Record<string, number>> {
  const { findings } = client.counts;
  const report = (what: string) => (error: unknown) => void findings.push(`${what}: ${error}`);
  const busy = new Map<number, Promise<unknown>>();
  const counts: Record<string, number> = {};
  const underWay: Promise<unknown>[] = [];
  let postgresIsBack: Promise<unknown> = Promise.resolve();
  for (const scheduled of schedule) {
    if ('operation' in scheduled) {
      const { actor, operation, manner } = scheduled;
      await busy.get(actor);
      trace.note('operation', { actor, operation: operation.text, ...manner });
      const made = Promise.try(() => operation.perform(client.actor(manner)));
      busy.set(actor, made.catch(report(operation.text)));
      continue;
    }
    const { kind, note } = scheduled;
    trace.note('disturbance', { kind, ...note });
    counts[kind] = (counts[kind] ?? 0) + 1;
    // One after another: what is away cannot be ended.
    const before = kind === 'restart postgres' ? postgresIsBack : Promise.resolve();
    const begun = before.then(() => scheduled.begin(stage)).catch(report(kind));
    if (kind === 'restart postgres') postgresIsBack = begun;
    underWay.push(begun);
  }
  await Promise.all([...busy.values(), ...underWay]);
  return counts;
}

const EXPECTED: readonly RegExp[] = [
  // Whether the store was restored is asked again until the service answers.
  /"job":"recovery"/,
];
const STORE_AWAY = [
  /"name":"StoreError","message":"PostgreSQL: (the connection|store-unavailable)/,
  /"code":"store-(unavailable|unsure)","msg":"the store cannot be used"/,
  // In the end the leases of sweeps are ended for them.
  /another process goes on with this sweep/,
];

function listLogFindings(output: string, hasPostgres: boolean): string[] {
  const expected = hasPostgres ? [...EXPECTED, ...STORE_AWAY] : EXPECTED;
  const lines = output
    .split('\n')
    .filter((line) => /"level":("error"|"fatal"|50|60)/.test(line))
    .filter((line) => !expected.some((pattern) => pattern.test(line)));
  // Every call was written down before it left, so a crash never looks like a restored backup.
  const isStale = output.includes('"phase":"stale"');
  return [
    ...new Set(lines.map((line) => `logged: ${line}`)),
    ...(isStale ? ['a crash looked like a restored backup'] : []),
  ];
}
