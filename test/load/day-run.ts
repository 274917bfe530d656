import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { findNextDueAt } from '../../src/store/due.ts';
import { readBacklog } from '../../src/store/resources/backlog.ts';
import { askOps, opsToken } from '../bench/ask-ops.ts';
import type { SweepSize } from '../bench/sweep-company.ts';
import { startBridgeOf, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock, type LeapingClock } from '../support/leaping-clock.ts';
import { countRunning } from '../support/store-state.ts';
import { adoptCompany } from './adopt-company.ts';
import { DayCycles } from './day-cycles.ts';
import { CYCLE_MINUTES, DAY_MINUTES, type DaySize, planDay } from './day-plan.ts';
import type { LoadCompany } from './draws.ts';

/** What to play. */
export interface DayOptions {
  readonly company: SweepSize;
  readonly day: DaySize;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** One minute of the day. */
export interface DaySample {
  readonly minute: number;
  /** Requests of the provider that were answered within it. */
  readonly requests: number;
  /** Calls to the service that were answered within it. */
  readonly calls: number;
  /** People and groups that are still to be changed or looked at when it ends. */
  readonly due: number;
}

/** Way out of one leaver. */
export interface DayLeaver {
  /** Minute of the day at which the provider asked for it. */
  readonly minute: number;
  /** From the arrival of the request until the service showed it. */
  readonly tookMs: number;
}

/** What became of a day. */
export interface DayRun {
  readonly samples: readonly DaySample[];
  readonly leavers: readonly DayLeaver[];
  /** Requests that were not answered with success. */
  readonly failed: number;
  /** What the service refused, when the day is over. */
  readonly stuck: number;
  /** Differences that a sweep finds when the day is over. */
  readonly drifts: number;
  /** How long it took to play, in milliseconds of the machine. */
  readonly playedMs: number;
}

/** What the service allows. */
export const CALLS_PER_SECOND = 5;
/** How many of its milliseconds pass in one of the machine's while something is under way; else time leaps. */
const SPEED = 20;
/** How long the service takes for an answer, in milliseconds of the machine: at this speed 160 ms of the day. */
const ANSWER_MS = 8;
const MINUTE_MS = 60_000;
const POLL_MS = 4;
/** A leap is no shorter for somebody who sleeps, in milliseconds of the day: whom it wakes may be as late. */
const LEAP_MS = 10_000;
/** How long those whom a leap woke may take until they sleep again, in milliseconds of the machine. */
const WAKE_MAX_MS = 500;

const leaverPage = z.object({
  items: z.array(
    z.object({
      status: z.string(),
      asked: z.object({ at: z.iso.datetime() }).nullable(),
      tookMs: z.number().nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

/** Plays a day of a company on a clock that leaps over what is quiet. */
export async function runDay({ company: size, day, seed, say }: DayOptions): Promise<DayRun> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-day-'));
  const clock = createLeapingClock(SPEED);
  const sandbox = await startSandbox({ seed: size, clock: () => clock.now() });
  const start = (requestsPerSecond: number) =>
    startBridgeOf(sandbox, {
      clock,
      requestsPerSecond,
      settings: {
        AUDIT_POLL_INTERVAL: '60s',
        DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
        OPS_TOKEN: opsToken,
        SCIM_REQUESTS_PER_SECOND: '0',
        SWEEP_INTERVAL: '24h',
      },
    });
  try {
    say(`reading ${size.users} people and ${size.groups} groups`);
    const company = await readCompany(await start(0));
    sandbox.faults.limitRate(CALLS_PER_SECOND);
    sandbox.faults.add({ operation: '*', fault: { kind: 'delay', delayMs: ANSWER_MS } });
    const bridge = await start(CALLS_PER_SECOND);
    try {
      return await playDay({ bridge, clock, company, day, seed, say });
    } finally {
      await bridge.stop();
    }
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readCompany(bridge: TestBridge): Promise<LoadCompany> {
  try {
    return await adoptCompany(bridge.store);
  } finally {
    await bridge.stop();
  }
}

interface Playing extends Pick<DayOptions, 'day' | 'seed' | 'say'> {
  readonly bridge: TestBridge;
  readonly clock: LeapingClock;
  readonly company: LoadCompany;
}

async function playDay({ bridge, clock, company, day, seed, say }: Playing): Promise<DayRun> {
  const playedFrom = performance.now();
  const size = { people: company.people.length, groups: company.groups.length, seed };
  const cycles = new DayCycles(bridge, company, planDay(day, size));
  const midnight = clock.now();
  const samples: DaySample[] = [];
  bridge.sandbox.calls.reset();
  let [calls, requests] = [0, 0];
  for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
    if (minute % CYCLE_MINUTES === 0) cycles.begin(minute);
    await reach({ bridge, clock, cycles }, midnight + (minute + 1) * MINUTE_MS);
    const [callsNow, requestsNow] = [bridge.sandbox.calls.count(), cycles.requests];
    const { due } = await readBacklog(bridge.store.read);
    samples.push({ minute, calls: callsNow - calls, requests: requestsNow - requests, due });
    [calls, requests] = [callsNow, requestsNow];
    if (minute % 60 === 59) say(`${(minute + 1) / 60} h: ${calls} calls, ${requests} requests`);
  }
  const { stuckCount: stuck } = z
    .object({ stuckCount: z.number() })
    .parse(await askOps(bridge, 'GET', '/ops/status'));
  const drifts = (await bridge.store.read.selectFrom('drifts').select('id').execute()).length;
  const leavers = await readLeavers(bridge, midnight);
  const playedMs = performance.now() - playedFrom;
  return { samples, leavers, failed: cycles.failed, stuck, drifts, playedMs };
}

/** Lets time go on until `at` (epoch milliseconds): as it passes while something is under way, and in leaps else. */
async function reach(
  {
    bridge: { store },
    clock,
    cycles,
  }: Pick<Playing, 'bridge' | 'clock'> & { readonly cycles: DayCycles },
  at: number,
): Promise<void> {
  while (clock.now() < at) {
    const isBusy = cycles.isUnderWay || (await countRunning(store)) > 0;
    const wakesAt = Math.max(clock.nextAt(), clock.now() + LEAP_MS);
    const next = Math.min(at, wakesAt, (await findNextDueAt(store.read)) ?? at);
    const leapMs = isBusy ? 0 : next - clock.now();
    if (leapMs > 0) await leap(clock, leapMs);
    else await sleep(POLL_MS);
  }
}

/** Leaps, and waits until those whom it woke sleep again. */
async function leap(clock: LeapingClock, ms: number): Promise<void> {
  const sleeping = clock.sleeping();
  const until = performance.now() + WAKE_MAX_MS;
  clock.leap(ms);
  while (clock.sleeping() < sleeping && performance.now() < until) await sleep(POLL_MS);
}

async function readLeavers(bridge: TestBridge, midnight: number): Promise<DayLeaver[]> {
  const leavers: DayLeaver[] = [];
  let cursor: string | null = null;
  do {
    const query = cursor === null ? '' : `&cursor=${cursor}`;
    const page: z.infer<typeof leaverPage> = leaverPage.parse(
      await askOps(bridge, 'GET', `/ops/leavers?limit=1000${query}`),
    );
    for (const { asked, tookMs } of page.items) {
      if (asked === null || tookMs === null) continue;
      leavers.push({ minute: (Date.parse(asked.at) - midnight) / MINUTE_MS, tookMs });
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return leavers;
}
