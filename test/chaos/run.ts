import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createSeededRandom } from '../model/interleavings/seeded-random.ts';
import { createActors, type Perform } from './actor.ts';
import { ADMINISTRATOR, createAdministrator } from './administrator.ts';
import { watchCalls } from './call-watch.ts';
import { listEffectFindings } from './check-effects.ts';
import { listLogFindings } from './check-log.ts';
import { listPlanFindings } from './check-plans.ts';
import { listServiceFindings } from './check-service.ts';
import { listStoreFindings } from './check-store.ts';
import { type Counts, createClient } from './client.ts';
import { createCompany } from './company.ts';
import { createDisturber, type DisturbanceCounts, type Restartable } from './disturbances.ts';
import { type LivesOptions, startLives } from './lives.ts';
import { createOperator, OPS_TOKEN } from './operator.ts';
import { endSweepLeases, type LoggedPostgres, readTables } from './postgres.ts';
import { createSchedule, type Scheduled } from './schedule.ts';
import { settle } from './settle.ts';
import { readShown } from './shown.ts';
import { createTrace, type Trace } from './trace.ts';

/** One run: how much, and on what. */
export interface ChaosPlan {
  readonly seed: number;
  readonly operations: number;
  /** Processes that share the store; more than one needs PostgreSQL. */
  readonly processes: number;
  /** Undefined: a SQLite file. */
  readonly postgres?: (Restartable & Pick<LoggedPostgres, 'url' | 'log'>) | undefined;
  /** Where the trace is kept; undefined: only after findings, in the folder for temporary files. */
  readonly trace?: string | undefined;
}

/** What a run came to. No findings: every promise was kept. */
export interface ChaosReport extends Counts, DisturbanceCounts {
  readonly seed: number;
  readonly operations: number;
  readonly calls: number;
  readonly seconds: number;
  /** The file with what happened, where it was kept. */
  readonly tracePath: string | undefined;
}

const PEOPLE = 40;
const GROUPS = 10;
const ACTORS = 5;
/** Calls to the service in any second, over all processes. */
const RATE = 40;
/** Lives until how long a write waits comes round again. */
const WAITS = 7;

/**
 * Has a provider work while the bridge and all around it are disturbed, lets everything come to rest, and compares the
 * service, the store and what was asked for and answered.
 */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  const startedAt = performance.now();
  const trace = createTrace();
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
    const isKept = plan.trace !== undefined || findings.length > 0;
    const tracePath = plan.trace ?? join(tmpdir(), `scim-bridge-chaos-${plan.seed}.jsonl`);
    if (isKept) trace.save(tracePath);
    if (findings.length > 0) cpSync(folder, `${tracePath}.store`, { recursive: true });
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...report, seconds, tracePath: isKept ? tracePath : undefined };
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

async function play(
  plan: ChaosPlan,
  { sandbox, folder, trace }: Place,
): Promise<Omit<ChaosReport, 'seconds' | 'tracePath'>> {
  const company = createCompany({ people: PEOPLE, groups: GROUPS, actors: ACTORS });
  const schedule = createSchedule(company, {
    ...plan,
    actors: ACTORS,
    hasPostgres: plan.postgres !== undefined,
  });
  const administrator = createAdministrator(sandbox, company);
  const random = createSeededRandom(plan.seed + 1);
  const policy = random.pick(['report', 'repair', 'repair'] as const);
  const url = plan.postgres?.url ?? `sqlite:${join(folder, 'bridge.db')}`;
  const toEnv = createEnv({ seed: plan.seed, sandbox, url, policy });
  const watch = watchCalls(sandbox);
  const lives = await startLives({ folder, processes: plan.processes, toEnv, trace });
  let asked = 0;
  const pick = () => {
    asked += 1;
    return lives.wait(asked);
  };
  const client = createClient(pick, trace);
  const operator = createOperator(pick);
  try {
    const disturber = createDisturber({
      sandbox,
      lives,
      operator,
      administrator,
      postgres: plan.postgres,
      trace,
    });
    const { findings } = client.counts;
    await perform(schedule, createActors(client, trace), disturber);
    findings.push(...(await disturber.end()));
    sandbox.faults.clear();
    if (plan.postgres !== undefined) await endSweepLeases(plan.postgres.url);
    trace.note('the end: everything comes to rest');
    findings.push(...(await settle(operator)));
    const shown = await readShown(client);
    const bystanders = listBystanders(sandbox);
    const drifts = await operator.listDrifts();
    findings.push(...(await listPlanFindings(operator)));
    const { trespasses } = administrator;
    trace.note('drifts that are left', { drifts });
    const codes = await lives.stop();
    findings.push(
      ...listStoreFindings(company, shown, bystanders),
      ...listServiceFindings(sandbox.service, {
        company,
        shown,
        trespasses,
        drifts,
        policy,
        bystanders,
      }),
      ...listEffectFindings(sandbox.service, company, trespasses),
      ...administrator.listFindings(),
      ...watch.listFindings(RATE),
      ...codes.map((code) => `a process that was told to stop ended with ${code}`),
      ...listLogFindings(lives.output(), { hasPostgres: plan.postgres !== undefined }),
    );
    return {
      ...client.counts,
      ...disturber.counts,
      seed: plan.seed,
      operations: plan.operations,
      calls: sandbox.calls.count(),
    };
  } finally {
    watch.stop();
    await lives.stop().catch(() => undefined);
    trace.note('calls', { calls: sandbox.calls.recent() });
    trace.note('events of the service', { events: sandbox.service.auditEvents() });
    trace.note('output', { lines: lives.output().split('\n') });
  }
}

/** Who is in the service and in nobody's company, by all names. */
function listBystanders({ service }: Sandbox): ReadonlySet<string> {
  const accounts = [service.owner, service.getUser(ADMINISTRATOR)];
  return new Set(accounts.flatMap(({ email, userName }) => [email, userName]));
}

interface EnvOptions {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly policy: 'report' | 'repair';
  readonly seed: number;
}

/** Settings of one life: providers are answered sooner or later, and a dead process is followed soon. */
function createEnv({ sandbox, url, policy, seed }: EnvOptions): LivesOptions['toEnv'] {
  const random = createSeededRandom(seed + 2);
  const limit = random.pick(['2', '1000']);
  const sweepInterval = random.pick(['0', '5s']);
  const waits = Array.from({ length: WAITS }, () => random.pick(['50ms', '1s', '2s']));
  return (slot, life) => ({
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: String(RATE),
    UPSTREAM_TIMEOUT: '500ms',
    SCIM_TOKENS: 'token-of-a-provider-in-chaos',
    OPS_TOKEN,
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

/** Begins one thing after another; an actor begins when its last operation is over. */
async function perform(
  schedule: readonly Scheduled[],
  performOne: Perform,
  { disturb }: Pick<ReturnType<typeof createDisturber>, 'disturb'>,
): Promise<void> {
  const busy = new Map<number, Promise<void>>();
  for (const scheduled of schedule) {
    if ('operation' in scheduled) {
      await busy.get(scheduled.actor);
      busy.set(scheduled.actor, performOne(scheduled));
    } else disturb(scheduled);
  }
  await Promise.all(busy.values());
}
