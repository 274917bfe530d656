import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createSeededRandom, type SeededRandom } from '../interleavings/seeded-random.ts';
import type { Stage } from './actor.ts';
import { type Counts, createCrashClient } from './client.ts';
import { createGroup, type Group } from './group.ts';
import { type Lives, startLives } from './lives.ts';
import { createPerson, type Person } from './person.ts';

/** One run: how much, how often, and where it is stored. */
export interface CrashPlan {
  readonly seed: number;
  readonly kills: number;
  readonly people: number;
  readonly groups: number;
  /** Processes that share the store; more than one needs PostgreSQL. */
  readonly processes: number;
  /** Requests that are sent between two kills, on average. */
  readonly requestsPerKill: number;
  /** Has everything compared in the end; where processes share a store, that waits for the lease of one that was killed. */
  readonly comparesAtEnd: boolean;
  /** `DATABASE_URL`; undefined: a SQLite file. */
  readonly databaseUrl?: string | undefined;
  readonly say?: (line: string) => void;
}

/** What a run found; nothing, when every promise was kept. */
export interface CrashReport extends Counts {
  readonly kills: number;
  readonly calls: number;
  /** Comparisons of the service with the store that began, or were taken over from a process that was killed. */
  readonly sweeps: number;
  readonly seconds: number;
  readonly findings: readonly string[];
}

const OPS_TOKEN = 'token-of-an-operator-of-crashes';
/** Requests that are under way at the same time. */
const WRITERS = 10;
/** How long a comparison may take at the end, in milliseconds: as long as a lease, and then some. */
const COMPARE_MAX_MS = 120_000;
/** How long the backlog may take at the end, in milliseconds. */
const DRAIN_MAX_MS = 90_000;
const Sweep = z.object({ status: z.string(), reasons: z.array(z.string()) });
const Drifts = z.object({
  items: z.array(z.object({ kind: z.string(), resource: z.object({ id: z.string() }) })),
});
const Status = z.object({ due: z.number(), stuckCount: z.number(), stuck: z.array(z.unknown()) });

/**
 * Has a provider create and change people and groups while the bridge is killed again and again, and says what
 * the service holds in the end that it should not, or does not hold although it was acknowledged.
 */
export async function runCrash(plan: CrashPlan): Promise<CrashReport> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-crash-'));
  // A service that would take the same group twice, and is not too fast.
  const file = join(folder, 'service.db');
  const sandbox = await startSandbox({ file, shape: { uniqueGroupNames: 'nowhere' } });
  const lives = await startLives(folder, {
    processes: plan.processes,
    toEnv: createEnv(plan, sandbox),
  });
  try {
    const { people, groups, counts } = await play(plan, { sandbox, lives });
    const left = await drain(lives);
    const drifts = plan.comparesAtEnd ? await compare(lives) : [];
    const codes = await lives.stop();
    const findings = [
      ...left,
      ...drifts,
      ...codes.flatMap((code) => (code === 0 ? [] : [`the bridge stopped with ${code}`])),
      // Every call was written down before it left, so a crash never looks like a restored backup.
      ...(lives.output().includes('"phase":"stale"')
        ? ['a crash looked like a restored backup']
        : []),
      ...counts.refusals.map((refusal) => `refused: ${refusal}`),
      ...people.flatMap((person) => person.listFindings(sandbox)),
      ...groups.flatMap((group) => group.listFindings(sandbox)),
      ...listStrangers(sandbox, { people, groups }),
    ];
    const seconds = (performance.now() - startedAt) / 1_000;
    const sweeps = lives.output().split('comparing the service with the store').length - 1;
    const calls = sandbox.calls.count();
    return { ...counts, kills: plan.kills, calls, sweeps, seconds, findings };
  } finally {
    await lives.stop().catch(() => undefined);
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Settings of one life: providers are answered sooner or later, and a dead process's lanes come free soon. */
function createEnv(plan: CrashPlan, sandbox: Sandbox): () => Record<string, string> {
  const random = createSeededRandom(plan.seed + 1);
  return () => ({
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    UPSTREAM_TIMEOUT: '500ms',
    SCIM_TOKENS: 'token-of-a-provider-of-crashes',
    DRIFT_SETTLE: '0s',
    SCIM_WRITE_WAIT: random.pick(['10ms', '100ms', '3s']),
    OPS_TOKEN,
    ...(plan.databaseUrl === undefined ? {} : { DATABASE_URL: plan.databaseUrl }),
  });
}

interface Company {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
}

/** Everything that happens until the last kill, and until everybody was created and changed. */
async function play(
  plan: CrashPlan,
  { sandbox, lives }: { sandbox: Sandbox; lives: Lives },
): Promise<Company & { readonly counts: Counts }> {
  const random = createSeededRandom(plan.seed);
  const client = createCrashClient(lives.wait, createSeededRandom(plan.seed + 2));
  const people = Array.from({ length: plan.people }, (_, n) => createPerson(n));
  const groups = Array.from({ length: plan.groups }, (_, n) => createGroup(n, people));
  sandbox.faults.add({ operation: '*', fault: { kind: 'delay', delayMs: 4 } });
  let killsLeft = plan.kills;
  const writers = Array.from({ length: WRITERS }, (_, n) => {
    const own = <T>(list: readonly T[]) => list.filter((_one, index) => index % WRITERS === n);
    const stage: Stage = { client, random: createSeededRandom(plan.seed + 10 + n) };
    return write(stage, { people: own(people), groups: own(groups) }, () => killsLeft === 0);
  });
  const written = Promise.all(writers);
  for (; killsLeft > 0; killsLeft -= 1) {
    const more = Math.ceil(random.next() * 2 * plan.requestsPerKill);
    await untilSent(client.counts, client.counts.sent + more);
    await sleep(random.next() * 30);
    await lives.killOne(random);
    plan.say?.(
      `${plan.kills - killsLeft + 1} of ${plan.kills} kills, ${client.counts.sent} requests`,
    );
  }
  await written;
  return { people, groups, counts: client.counts };
}

/** One after another takes a step: everybody is created, then anybody is changed until the end. */
async function write(stage: Stage, own: Company, isOver: () => boolean): Promise<void> {
  const newcomers = shuffle(stage.random, [...own.people]);
  let there: (Person | Group)[] = [...own.groups];
  while (newcomers.length > 0 || !isOver()) {
    const person = newcomers.at(-1);
    if (person !== undefined && stage.random.chance(0.3)) {
      await person.step(stage);
      newcomers.pop();
      there.push(person);
    } else if (there.length > 0) {
      // Groups are changed most: there are few of them.
      const groups = own.groups.filter(({ isThere }) => isThere);
      const choice = groups.length > 0 && stage.random.chance(0.4) ? groups : there;
      await stage.random.pick<Person | Group>(choice).step(stage);
      there = there.filter(({ isThere }) => isThere);
    } else if (newcomers.length === 0) {
      return;
    }
  }
}

function shuffle<T>(random: SeededRandom, list: T[]): T[] {
  return list
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

async function untilSent(counts: Counts, goal: number): Promise<void> {
  while (counts.sent < goal) await sleep(1);
}

/** Waits until nothing is left to do. Gives what does not come to its end. */
async function drain(lives: Lives): Promise<string[]> {
  const deadline = performance.now() + DRAIN_MAX_MS;
  for (;;) {
    const { due, stuckCount, stuck } = Status.parse(await askOps(lives, 'GET', '/status'));
    if (stuckCount > 0) return [`${stuckCount} are stuck: ${JSON.stringify(stuck)}`];
    if (due === 0) return [];
    if (performance.now() > deadline) return [`${due} are still due`];
    await sleep(20);
  }
}

/**
 * Nobody but the bridge changed the service, and every kill has met a comparison that a start begins: a last one has
 * to come to its end and to find nothing.
 */
async function compare(lives: Lives): Promise<string[]> {
  // What is under way may have begun before the last change.
  for (const turn of ['one that runs', 'a new one']) {
    const ended = await sweep(lives);
    if (ended.status === 'running') return [`${turn}: the comparison does not end`];
    if (turn === 'a new one' && ended.status !== 'complete') {
      return [`the comparison was ${ended.status}: ${ended.reasons}`];
    }
  }
  const { items } = Drifts.parse(await askOps(lives, 'GET', '/drifts?status=open&limit=1000'));
  const managed = items.filter(({ kind }) => !kind.endsWith('.unmanaged'));
  return managed.map(
    ({ kind, resource }) => `drift that nobody brought about: ${kind} ${resource.id}`,
  );
}

async function sweep(lives: Lives): Promise<z.infer<typeof Sweep>> {
  const deadline = performance.now() + COMPARE_MAX_MS;
  const { id } = z.object({ id: z.string() }).parse(await askOps(lives, 'POST', '/sweeps'));
  for (;;) {
    const ended = Sweep.parse(await askOps(lives, 'GET', `/sweeps/${id}`));
    if (ended.status !== 'running' || performance.now() > deadline) return ended;
    await sleep(20);
  }
}

async function askOps(lives: Lives, method: 'GET' | 'POST', path: string): Promise<unknown> {
  const url = new URL(`/ops${path}`, lives.first.baseUrl);
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const { body } = await request(url, { method, headers });
  return body.json();
}

/** Whoever and whatever is in the service and was never asked for. */
function listStrangers({ service }: Sandbox, { people, groups }: Company): string[] {
  const known = new Set([service.owner.email, ...people.map(({ address }) => address)]);
  const accounts = service.users().filter(({ email }) => !known.has(email));
  const others = service
    .groups()
    .filter(({ name }) => !groups.some(({ names }) => names.has(name)));
  return [
    ...accounts.map(({ email }) => `${email} was never asked for`),
    ...others.map(({ name }) => `the group ${name} was never asked for`),
  ];
}
