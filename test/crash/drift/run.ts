import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { openStore } from '../../../src/store/database.ts';
import { createSeededRandom, type SeededRandom } from '../../interleavings/seeded-random.ts';
import { endLeases } from '../../support/mortal-store.ts';
import { addUser, findId, send, toMembers, toPatch } from '../../support/provider.ts';
import { type Lives, startLives } from '../lives.ts';
import type { CrashPlan } from '../run.ts';
import { createAdministrator, type Trespasses, type Wanted } from './administrator.ts';
import { listEffectFindings, listPlanFindings } from './check.ts';
import { moments } from './moments.ts';
import { createOperator, OPS_TOKEN, type Operator, type ShownPlan } from './operator.ts';

/** What a run came to. */
export interface DriftCrashReport {
  readonly kills: number;
  readonly changes: number;
  readonly plans: number;
  readonly approvals: number;
  readonly calls: number;
  readonly seconds: number;
  readonly findings: readonly string[];
}

const QUIET_MAX_MS = 60_000;
const POLL_MS = 50;
/** Plans that may wait one after another in the end. */
const ROUNDS_MAX = 5;

/**
 * Has an administrator change the service behind the provider's back while the bridge, which repairs that, is killed
 * in the middle of sweeps, pages of the audit log, releases and approvals; and says what was not repaired exactly once.
 */
export async function runDriftCrash(
  plan: Omit<CrashPlan, 'requestsPerKill' | 'comparesAtEnd'>,
): Promise<DriftCrashReport> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-crash-'));
  const sandbox = await startSandbox();
  const wanted = imagine(plan);
  sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
  for (const name of wanted.groups.keys()) sandbox.service.createGroup({ name });
  const url = plan.databaseUrl ?? `sqlite:${join(folder, 'bridge.db')}`;
  const lives = await startLives(folder, {
    processes: plan.processes,
    toEnv: () => toEnv(sandbox, url),
    betweenLives: () => letLeasesEnd(url),
  });
  try {
    const operator = createOperator(lives, createSeededRandom(plan.seed + 1));
    const trespasses = await play(plan, { sandbox, lives, operator, wanted });
    const { findings: unsettled } = await settle({ lives, operator, seed: plan.seed });
    const plans = await operator.listPlans();
    const findings = [...unsettled, ...(await listPlanFindings(operator, trespasses))];
    const codes = await lives.stop();
    findings.push(
      ...codes.flatMap((code) => (code === 0 ? [] : [`the bridge stopped with ${code}`])),
      ...listEffectFindings(sandbox, wanted, trespasses),
    );
    return {
      kills: plan.kills,
      changes: Object.values(trespasses).reduce((sum, { size }) => sum + size, 0),
      plans: plans.length,
      approvals: operator.approved.size,
      calls: sandbox.calls.count(),
      seconds: (performance.now() - startedAt) / 1_000,
      findings,
    };
  } finally {
    await lives.stop().catch(() => undefined);
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Settings of one life: what differs is repaired at once, and dead processes' lanes come free soon. */
function toEnv(sandbox: Sandbox, url: string): Record<string, string> {
  return {
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    UPSTREAM_TIMEOUT: '500ms',
    SCIM_TOKENS: 'token-of-a-provider-of-crashes',
    OPS_TOKEN,
    DATABASE_URL: url,
    AUDIT_POLL_INTERVAL: '1s',
    DRIFT_POLICY: 'repair',
    DRIFT_SETTLE: '0s',
    SWEEP_INTERVAL: '30s',
  };
}

/** As if so much time had passed that nobody waits for the sweep of the one who was killed. */
async function letLeasesEnd(url: string): Promise<void> {
  const store = await openStore({ url, connectionsMax: 1 });
  await endLeases(store);
  await store.close();
}

/** Everybody is in some groups. */
function imagine({ people, groups, seed }: Pick<CrashPlan, 'people' | 'groups' | 'seed'>): Wanted {
  const random = createSeededRandom(seed + 2);
  const names = Array.from({ length: people }, (_, n) => `person${n}`);
  const emails = names.map((name) => `${name}@example.com`);
  return {
    people: new Map(emails.map((email, n) => [email, `Person${n} Example`])),
    groups: new Map(
      Array.from({ length: groups }, (_, n) => [
        `Group ${n}`,
        new Set(emails.filter(() => random.chance(0.3))),
      ]),
    ),
  };
}

interface Play {
  readonly sandbox: Sandbox;
  readonly lives: Lives;
  readonly operator: Operator;
  readonly wanted: Wanted;
}

/** Everything from the provider's work until the last kill. */
async function play(
  plan: Omit<CrashPlan, 'requestsPerKill' | 'comparesAtEnd'>,
  { sandbox, lives, operator, wanted }: Play,
): Promise<Trespasses> {
  const random = createSeededRandom(plan.seed);
  await provision(lives, wanted, random);
  await untilQuiet(operator);
  sandbox.faults.add({ operation: '*', fault: { kind: 'delay', delayMs: 4 } });
  const admin = sandbox.service.as('admin@example.com', '198.51.100.7');
  const administrator = createAdministrator(admin, wanted, createSeededRandom(plan.seed + 3));
  for (let kill = 1; kill <= plan.kills; kill += 1) {
    const [name, bring] = random.pick(Object.entries(moments));
    await bring({ sandbox, random, administrator, operator });
    await lives.killOne(random);
    plan.say?.(`${kill} of ${plan.kills} kills, in the middle of ${name}`);
  }
  return administrator.trespasses;
}

async function provision(
  lives: Lives,
  { people, groups }: Wanted,
  random: SeededRandom,
): Promise<void> {
  const bridge = await lives.wait(random);
  const ids = new Map<string, string>();
  for (const email of people.keys()) {
    ids.set(email, await addUser(bridge, email.slice(0, email.indexOf('@'))));
  }
  for (const [name, members] of groups) {
    const id = await findId(bridge, { type: 'Groups', name });
    const value = toMembers([...members].map((email) => ids.get(email) ?? ''));
    await send(bridge, 'PATCH', `/Groups/${id}`, toPatch({ op: 'add', path: 'members', value }));
  }
}

const Status = z.object({ due: z.number(), stuckCount: z.number() });
const Sweep = z.object({ status: z.string(), reasons: z.array(z.string()) });

/** Waits until nothing is due and no plan is being carried out. Says what does not come to its end. */
async function untilQuiet(operator: Operator): Promise<string[]> {
  const deadline = performance.now() + QUIET_MAX_MS;
  for (;;) {
    const { due, stuckCount } = Status.parse((await operator.insist('/status')).body);
    const approved = await operator.listPlans('approved');
    if (due === 0 && approved.length === 0)
      return stuckCount === 0 ? [] : [`${stuckCount} are stuck`];
    if (performance.now() > deadline) return [`${due} are due, ${approved.length} plans approved`];
    await sleep(POLL_MS);
  }
}

interface Settling {
  readonly lives: Lives;
  readonly operator: Operator;
  readonly seed: number;
}

/** Sweeps, and approves what waits, until there is nothing to be done any more. */
async function settle({ lives, operator, seed }: Settling): Promise<{ findings: string[] }> {
  const random = createSeededRandom(seed + 4);
  const findings: string[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    // The first may be one that was begun before the last change.
    findings.push(...(await untilQuiet(operator)), ...(await sweep(operator)));
    findings.push(...(await untilQuiet(operator)), ...(await sweep(operator)));
    findings.push(...(await untilQuiet(operator)));
    const [held] = await operator.listPlans('held');
    if (held === undefined) {
      findings.push(...(await sweep(operator)), ...(await listOpen(operator)));
      return { findings };
    }
    findings.push(...(await outlive({ lives, operator, random, held })));
    const answer = await operator.approve(held);
    if (answer?.status !== 200) findings.push(`plan ${held.id} could not be approved`);
  }
  return { findings: [...findings, `a plan still waits after ${ROUNDS_MAX} approvals`] };
}

interface Outliving extends Pick<Settling, 'lives' | 'operator'> {
  readonly random: SeededRandom;
  readonly held: ShownPlan;
}

/** A plan that waits is the same one after another kill and another sweep. */
async function outlive({ lives, operator, random, held }: Outliving): Promise<string[]> {
  await lives.killOne(random);
  const findings = await sweep(operator);
  const after = await operator.listPlans('held');
  const isSame = after.length === 1 && after[0]?.id === held.id && after[0].hash === held.hash;
  return isSame ? findings : [...findings, `plan ${held.id} did not outlive a kill as it was`];
}

async function sweep(operator: Operator): Promise<string[]> {
  const asked = await operator.ask('POST', '/sweeps', {});
  const { id } = z.object({ id: z.string() }).parse(asked?.body);
  const deadline = performance.now() + QUIET_MAX_MS;
  for (;;) {
    const { status, reasons } = Sweep.parse((await operator.insist(`/sweeps/${id}`)).body);
    if (status === 'incomplete') return [`a sweep was incomplete: ${reasons.join('; ')}`];
    if (status !== 'running') return [];
    if (performance.now() > deadline) return ['a sweep does not come to its end'];
    await sleep(POLL_MS);
  }
}

async function listOpen(operator: Operator): Promise<string[]> {
  const drifts = await operator.listDrifts();
  return drifts.map(({ kind, status }) => `in the end a ${kind} is ${status}`);
}
