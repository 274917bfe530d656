import { countDueChanges } from '../../store/due.ts';
import { holdEverything, insertPlanActions, lockPlans } from '../../store/plans.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { updateWhere } from '../../store/tables.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { CLOCKS_MS, findLearnedAccount, type NamedEvent, nameNewEvents } from '../audit/events.ts';
import type { Hold, ReconcileDeps } from '../deps.ts';
import { createJob, isNotLeading } from '../job.ts';
import { classify } from '../outcome.ts';
import { addPlan, sumUp, toSumColumns } from '../plans.ts';
import type { FirstRead } from '../read/first-read.ts';
import { Reading } from '../read/reading.ts';
import { mayGoWithout } from '../read/service.ts';
import { type Mode, OBSERVING } from '../write-guard.ts';
import { planRecovery, RECOVERY, type RecoveryCode, type RecoveryState } from './recovery-plan.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;
/** Interval of asking whether recovery is over, and rest after a failure, in milliseconds. */
const LOOK_MS = 2_000;

/** Page size, the largest of the service, and pages that are read: 10,000 changes of our own prove enough. */
const PAGES = { pageSize: 500, pagesMax: 20 };
const READING = { class: 'look', key: 'recovery' } as const;
/** Categories of changes of users and groups, as far as the service's documents tell. */
const CATEGORIES: ReadonlySet<string> = new Set(['user_management', 'group_management']);

interface RecoveryDeps extends ReconcileDeps {
  readonly mode: Mode;
  readonly firstRead: FirstRead;
}

/** Age of the store. `stale`: our own account changed its users or groups after it was last used. */
export type Detection =
  | { readonly kind: 'current' | 'stale' }
  | { readonly kind: 'unknown'; readonly code: string };

/** Recovery under one lead. */
export type Recovery = ReturnType<typeof createRecovery>;

/** Creates what holds old changes of a store that is older than the service, or only observed, until an operator decides. */
export function createRecovery(deps: RecoveryDeps) {
  const { firstRead, clock, store, upstream, events } = deps;
  const over = Promise.withResolvers<void>();
  const trusted = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const theirNow = () => clock.now() + upstream.aheadMs();
  const beat = () => store.write((tx) => ALIVE.save(tx, theirNow(), clock.now()));
  let attempts = 0;
  let begun: Begun | undefined;
  let reading: Reading | undefined;

  const job = { type: 'recovery', id: 'run', restMs: LOOK_MS };
  const loop = createJob(deps, job, async (signal) => {
    if (begun === undefined) {
      attempts += 1;
      begun = await begin(deps, attempts, signal);
      attempts = 0;
      if (begun.state?.phase === 'reading') reading = new Reading(clock.now(), true);
      over.resolve();
      // A sweep may be due.
      store.bell.ring('decided');
    }
    await beat();
    if (reading !== undefined && begun.state?.planId) {
      await planRecovery({ deps, reading, signal }, begun.state, begun.state.planId);
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
    progress: () => reading?.findProgress(clock.now()),
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

interface Begun {
  readonly state?: RecoveryState | undefined;
  readonly detection?: Detection;
}

async function begin(deps: RecoveryDeps, attempt: number, signal: AbortSignal): Promise<Begun> {
  const { store, firstRead, events } = deps;
  const state = await RECOVERY.find(store.read);
  if (state?.phase === 'requested') return { state: await enter(deps, 'restored') };
  // Before the first read is finished nothing is managed, so nothing can be done again.
  if (state !== undefined || !firstRead.finished) return { state };
  const detection = await detectRestore(deps, attempt, signal);
  const code = detection.kind === 'unknown' ? detection.code : 'audit';
  events.recovery({ phase: detection.kind, code });
  if (detection.kind !== 'stale') return { detection };
  return { detection, state: await enter(deps, 'audit') };
}

/** Runs before the first request is answered, because later changes are not held. @throws StoreError */
async function goLive(deps: RecoveryDeps): Promise<void> {
  const { store, mode } = deps;
  if (mode === 'observe' || (await OBSERVING.find(store.read)) === undefined) return;
  const due = await countDueChanges(store.read, Number.MAX_SAFE_INTEGER, 1);
  const state = await RECOVERY.find(store.read);
  // A restored backup that an operator reported holds everything in any case.
  if (due === 0 || state?.phase === 'requested') await store.write(OBSERVING.delete);
  else await enter(deps, state?.reason.code ?? 'first-run');
}

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
    const planId = await openPlan(tx, isFirstRun ? 'first-run' : 'restore', now);
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

/** Opens the plan that is made once the service was read; again, where one of what waits after observing is open. */
async function openPlan(tx: Db, source: 'first-run' | 'restore', now: number): Promise<string> {
  await lockPlans(tx);
  if (source === 'restore') await endAllPlans(tx, now);
  const asked = 'it was asked for while the bridge observed';
  const reason =
    source === 'restore' ? 'the store is older than what was done in the service' : asked;
  const plan = { source, status: 'making', reason, automatic: 0 } as const;
  const empty = { ...toSumColumns(sumUp([])), created_at: now };
  const open = { source, status: ['making', 'held'] } as const;
  const [again] = await updateWhere(tx, 'plans', open, { ...plan, ...empty });
  return (again ?? (await addPlan(tx, [], { ...plan, now }))).id;
}

/** They were made from a store that is older than the service. */
async function endAllPlans(tx: Db, now: number): Promise<void> {
  const why = { reason: 'a backup was restored', decided_at: now, ended_at: now };
  const ended = await updateWhere(tx, 'plans', { ended_at: null }, { status: 'discarded', ...why });
  const open = { plan_id: ended.map(({ id }) => id), status: ['planned', 'released'] } as const;
  await updateWhere(tx, 'plan_actions', open, { status: 'dropped' });
}

/** Last use of this store, by the clock of the service (epoch milliseconds): what our own account did before, it knows. */
const ALIVE = createShared<number>('alive');

/** An audit log that fails for ever, while the rest works, is not waited for. @param attempt from 1 on */
async function detectRestore(
  deps: RecoveryDeps,
  attempt: number,
  signal: AbortSignal,
): Promise<Detection> {
  const { read: db } = deps.store;
  // Events of what the bridge created may tell the account, where the service does not.
  const ownAccount = deps.firstRead.ownAccount() ?? (await findLearnedAccount(db));
  if (ownAccount === undefined) return { kind: 'unknown', code: 'no-account' };
  const aliveAt = await ALIVE.find(db);
  if (aliveAt === undefined) return { kind: 'current' };
  try {
    return await judgeEvents(deps, { ownAccount, since: aliveAt + CLOCKS_MS, signal });
  } catch (error) {
    if (!(await mayGoWithout(deps, error, attempt))) throw error;
    return { kind: 'unknown', code: classify(error).problem.code };
  }
}

/** `since`: by the service's clock. The service may ignore the filter by author, so it is repeated here. */
async function judgeEvents(
  deps: ReconcileDeps,
  { ownAccount, since, signal }: { ownAccount: number; since: number; signal: AbortSignal },
): Promise<Detection> {
  const query = { from: new Date(since).toISOString(), author_id: ownAccount };
  const options = { ...READING, ...PAGES, signal };
  const pages = paginate(deps.upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  const named: NamedEvent[] = [];
  for await (const { items } of pages) {
    const own = items
      .map(parseAuditEvent)
      .filter((one) => one.authorId === ownAccount && one.createdAt.getTime() > since);
    named.push(...(await nameNewEvents(deps, own)));
  }
  if (named.some(({ managed }) => managed.size > 0)) return { kind: 'stale' };
  const isNameless = ({ audit }: NamedEvent) =>
    CATEGORIES.has(audit.category) && (audit.details ?? null) === null;
  if (named.some(isNameless)) return { kind: 'unknown', code: 'events-name-nothing' };
  return pages.result.complete ? { kind: 'current' } : { kind: 'unknown', code: 'incomplete' };
}
