import { countActions, toHash } from '../../plan/plan-summary.ts';
import { countDueChanges } from '../../store/due.ts';
import { endAllPlans, holdEverything, insertPlanActions } from '../../store/plans.ts';
import type { Db } from '../../store/store.ts';
import { findOne, updateWhere } from '../../store/tables.ts';
import { addPlan } from '../add-plan.ts';
import type { Hold } from '../deps.ts';
import { createJob, isNotLeading } from '../job.ts';
import type { FirstRead } from '../read/first-read.ts';
import { beginReading, findProgress, type ReadDeps, type Reading } from '../read/reading.ts';
import { type Mode, OBSERVING } from '../write-guard.ts';
import { type Detection, detectRestore, saveAlive } from './recovery-detect.ts';
import { planRecovery } from './recovery-plan.ts';
import { RECOVERY, type RecoveryCode, type RecoveryState } from './recovery-state.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;
/** Interval of asking whether recovery is over, and rest after a failure, in milliseconds. */
const LOOK_MS = 2_000;

/** Dependencies of recovery. */
export interface RecoveryDeps extends ReadDeps {
  readonly mode: Mode;
  readonly firstRead: FirstRead;
}

/** Recovery under one lead. */
export type Recovery = ReturnType<typeof createRecovery>;

/**
 * Creates the recovery of a store that is older than the service, so that old changes are not made again. It is found at
 * the start, before anything is changed: pending changes are held, the whole service is read, and the difference waits for
 * an operator. New writes of providers are brought to the service as always, after a look.
 */
export function createRecovery(deps: RecoveryDeps) {
  const { firstRead, clock, store, events } = deps;
  const over = Promise.withResolvers<void>();
  const trusted = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  /** Stores the last moment of use for the next start. */
  const beat = () => store.write((tx) => saveAlive(tx, clock.now()));
  let attempts = 0;
  let begun: Begun | undefined;
  let reading: Reading | undefined;

  const job = { type: 'recovery', id: 'run', restMs: LOOK_MS };
  const loop = createJob(deps, job, async (signal) => {
    if (begun === undefined) {
      attempts += 1;
      begun = await begin(deps, attempts, signal);
      attempts = 0;
      if (begun.state?.phase === 'reading') reading = beginReading(clock.now(), true);
      over.resolve();
      // A sweep may be due.
      store.bell.ring('decided');
    }
    await beat();
    if (reading !== undefined && begun.state?.phase === 'reading') {
      await planRecovery({ deps, reading, signal }, begun.state);
      reading = undefined;
    }
    read.resolve();
    // Until an operator has decided, in whichever process, and what is held was taken up.
    if ((await RECOVERY.find(store.read)) !== undefined) return LOOK_MS;
    trusted.resolve();
    return ALIVE_MS;
  });

  /** Hold on changes until the store is known to be current. */
  const hold: Hold = {
    over: over.promise,
    trusted: trusted.promise,
    isLong: () => firstRead.hold.isLong() || attempts > 1,
  };
  return {
    hold,
    /** Resolves when the service was read, and a plan waits at most. */
    read: read.promise,
    /** How far the service was read again; undefined: no list is being read. */
    progress: () => findProgress(reading, clock.now()),
    /** True once it is known how old the store is. */
    isChecked: () => begun !== undefined,
    /** True while the store may be older than the service and the service was not read again yet. */
    isReading: () => reading !== undefined,
    /** Result of comparing the audit log at the start; undefined while it was not asked, or not needed. */
    detection: () => begun?.detection,
    /** Holds the changes accepted while observing, then finds out the rest by itself. @throws StoreError */
    async start(): Promise<void> {
      await goLive(deps);
      void firstRead.hold.over.then(() => loop.start());
    },
    /** Stops with a last beat: an event of our own account from now on was not made by the bridge. */
    async stop(): Promise<void> {
      await loop.stop();
      if (begun === undefined) return;
      await beat().catch((error: unknown) => {
        if (!isNotLeading(error)) events.failed({ type: 'recovery', id: 'alive', error });
      });
    },
  };
}

/** What is known at the start: the state of recovery, and the age of the store where it was asked for. */
interface Begun {
  readonly state?: RecoveryState | undefined;
  readonly detection?: Detection;
}

/** Finds the state of recovery, and begins recovery where the store is older than the service. */
async function begin(deps: RecoveryDeps, attempt: number, signal: AbortSignal): Promise<Begun> {
  const { store, firstRead, events } = deps;
  const state = await RECOVERY.find(store.read);
  if (state?.phase === 'requested') return { state: await enter(deps, 'restored') };
  // Before the first read is finished nothing is managed, so nothing can be done again.
  if (state !== undefined || !firstRead.finished) return { state };
  const detection = await detectRestore(deps, firstRead.ownAccount(), { attempt, signal });
  const code = detection.kind === 'unknown' ? detection.code : 'audit';
  events.recovery({ phase: detection.kind, code });
  if (detection.kind !== 'stale') return { detection };
  return { detection, state: await enter(deps, 'audit') };
}

/**
 * Holds the changes that were accepted while observing, where the bridge is to be live now. It runs before the first
 * request is answered, because later changes are not held. @throws StoreError
 */
async function goLive(deps: RecoveryDeps): Promise<void> {
  const { store, mode } = deps;
  if (mode === 'observe' || (await OBSERVING.find(store.read)) === undefined) return;
  const due = await countDueChanges(store.read, Number.MAX_SAFE_INTEGER, 1);
  const state = await RECOVERY.find(store.read);
  // A restored backup that an operator reported holds everything in any case.
  if (due === 0 || state?.phase === 'requested') await store.write(OBSERVING.delete);
  else await enter(deps, state?.reason.code ?? 'first-run');
}

/** Holds the pending changes, and distrusts the observations, in one transaction. */
async function enter(
  { store, clock, events, mode }: RecoveryDeps,
  code: RecoveryCode,
): Promise<RecoveryState> {
  const now = clock.now();
  const isFirstRun = code === 'first-run';
  const entered = await store.write(async (tx) => {
    // Where another process has gone live, changes since then are not held again.
    const isLate = isFirstRun && (await OBSERVING.lock(tx)) === undefined;
    const begun = isLate ? await RECOVERY.find(tx) : undefined;
    if (begun !== undefined) return begun;
    const planId = await (isFirstRun ? openFirstRun(tx, now) : openRestore(tx, now));
    const held = await holdEverything(tx);
    if (isFirstRun) await insertPlanActions(tx, { id: planId, now }, held);
    const state = { phase: 'reading', since: now, reason: { code }, planId } as const;
    await RECOVERY.save(tx, state, now);
    // All pending changes are held now, for whichever reason they waited.
    if (mode === 'live') await OBSERVING.delete(tx);
    return state;
  });
  events.recovery({ phase: 'reading', code });
  return entered;
}

/** Parts of a plan that is made once the service was read. */
const MAKING = { status: 'making', automatic: 0 } as const;

/** Ends all plans, because the store that they were made from is older than the service, and opens one. */
async function openRestore(tx: Db, now: number): Promise<string> {
  await endAllPlans(tx, { reason: 'a backup was restored', now });
  const reason = 'the store is older than what was done in the service';
  return (await addPlan(tx, [], { ...MAKING, source: 'restore', reason, now })).id;
}

/** Opens the plan of what waits after observing, again where one is open already. */
async function openFirstRun(tx: Db, now: number): Promise<string> {
  const source = 'first-run';
  const reason = 'it was asked for while the bridge observed';
  const open = await findOne(tx, 'plans', { source, status: ['making', 'held'] }, { lock: true });
  if (open === undefined) return (await addPlan(tx, [], { ...MAKING, source, reason, now })).id;
  const empty = { hash: toHash([]), counts: JSON.stringify(countActions([])) };
  await updateWhere(
    tx,
    'plans',
    { id: open.id },
    { ...empty, status: 'making', reason, created_at: now },
  );
  return open.id;
}
