import type { PlanAction } from '../../domain/plan.ts';
import { readParts } from '../../store/engine/dialect.ts';
import { doubtEverything, endAllPlans, listWaitingRows, lockPlans } from '../../store/plans.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { MANAGED, readRows } from '../../store/resources/rows.ts';
import { isLinked, toObservation, toSeenEntities } from '../../store/resources/state.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { findOne, updateWhere } from '../../store/tables.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { CLOCKS_MS, LEARNED, nameNewEvents } from '../audit/events.ts';
import { readGroupLists } from '../compare/look.ts';
import type { Hold, ReconcileDeps } from '../deps.ts';
import { listChanges } from '../differences.ts';
import { createJob, isNotLeading } from '../job.ts';
import { classify } from '../outcome.ts';
import { addPlan, addToHeld, takeWaiting, tellPlan } from '../plans.ts';
import type { FirstRead } from '../read/first-read.ts';
import { readService } from '../read/read-service.ts';
import type { ReadRun } from '../read/reading.ts';
import { Reading } from '../read/reading.ts';
import { mayGoWithout } from '../sections.ts';
import type { Mode } from '../write-guard.ts';
import { OBSERVING } from '../write-guard.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;
/** Interval of asking whether recovery is over, and rest after a failure, in milliseconds. */
const LOOK_MS = 2_000;
/** Rows of one read of the store. */
const PART = 500;

/** The largest pages of the service: 10,000 changes of our own prove enough. */
const PAGES = { pageSize: 500, pagesMax: 20, class: 'look', key: 'recovery' } as const;

/** State of recovery, as processes share it. */
export interface RecoveryState {
  /**
   * - `requested`: an operator says that a backup was restored; the next start begins
   * - `reading`: nothing waits any more, the whole service is being read
   * - `waiting`: the plan waits for an operator, or is followed
   */
  readonly phase: 'requested' | 'reading' | 'waiting';
  /** Epoch milliseconds. */
  readonly since: number;
  /** An operator or the audit log says that the store is older than the service, or it only observed. */
  readonly reason: { readonly code: 'restored' | 'audit' | 'first-run' };
  /** null: none was made yet. */
  readonly planId: string | null;
}

const RECOVERY = createShared<RecoveryState>('recovery');

/** Makes the next start begin recovery, whatever the audit log says. */
export async function requestRecovery(tx: Db, now: number): Promise<void> {
  const reason = { code: 'restored' } as const;
  await RECOVERY.save(tx, { phase: 'requested', since: now, reason, planId: null }, now);
}

/** Finds where recovery stands; it is over once its plan was taken up. Undefined: there is none. */
export async function findRecovery(db: Db): Promise<RecoveryState | undefined> {
  const state = await RECOVERY.find(db);
  if (state === undefined || state.planId === null) return state;
  const planned = { plan_id: state.planId, status: 'planned' } as const;
  return (await findOne(db, 'plan_actions', planned)) && state;
}

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
  let begun: Awaited<ReturnType<typeof begin>> | undefined;
  let reading: Reading | undefined;
  let isHeld = false;

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
    if (reading !== undefined && begun.state !== undefined) {
      await planRestore({ deps, reading, signal }, begun.state);
      reading = undefined;
    }
    read.resolve();
    const wasHeld = isHeld;
    // Until an operator has decided, in whichever process, and what is held was taken up.
    isHeld = (await findRecovery(store.read)) !== undefined;
    if (isHeld) return LOOK_MS;
    trusted.resolve();
    if (wasHeld) tellOver(deps);
    return ALIVE_MS;
  });

  /** Hold on changes until the store is known to be current. */
  const held: Hold = {
    over: over.promise,
    trusted: trusted.promise,
    isLong: () => firstRead.hold.isLong() || attempts > 1,
  };
  return {
    hold: held,
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

function tellOver({ events, store }: RecoveryDeps): void {
  events.recovery({ phase: 'over', code: 'decided' });
  // A sweep may be due.
  store.bell.ring('decided');
}

async function begin(deps: RecoveryDeps, attempt: number, signal: AbortSignal) {
  const { store, firstRead, events } = deps;
  const known = await findRecovery(store.read);
  const state = known?.phase === 'requested' ? await enter(deps, known.reason) : known;
  // Before the first read is finished nothing is managed, so nothing can be done again.
  if (state !== undefined || !firstRead.finished) return { state, detection: undefined };
  const detection = await detectRestore(deps, attempt, signal);
  const code = detection.kind === 'unknown' ? detection.code : 'audit';
  events.recovery({ phase: detection.kind, code });
  const isStale = detection.kind === 'stale';
  return { state: isStale ? await enter(deps, { code: 'audit' }) : undefined, detection };
}

/** Makes a plan of what was accepted while observing, before the first request is answered: later changes are not held. */
async function goLive(deps: RecoveryDeps): Promise<void> {
  const { store, mode, clock, events } = deps;
  if (mode === 'observe') return;
  const now = clock.now();
  const plan = await store.write(async (tx) => {
    // Where another process has gone live, changes since then are not held again.
    if ((await OBSERVING.lock(tx)) === undefined) return undefined;
    await OBSERVING.delete(tx);
    await lockPlans(tx);
    const state = await findRecovery(tx);
    const reason = { code: 'first-run' } as const;
    const words = 'it was asked for while the bridge observed';
    if (state !== undefined && state.reason.code !== reason.code) {
      // What was accepted since is held with the rest.
      await RECOVERY.save(tx, { ...state, phase: 'requested', planId: null }, now);
      return undefined;
    }
    const actions = await takeAll(tx, deps);
    if (actions.length === 0) return undefined;
    const held = await addToHeld(tx, actions, { source: 'first-run', reason: words, now });
    await RECOVERY.save(tx, { phase: 'waiting', since: now, reason, planId: held.id }, now);
    return held;
  });
  if (plan !== undefined) tellPlan(events, plan);
}

/** Takes all that waits, so that nothing does. */
async function takeAll(tx: Db, deps: ReconcileDeps): Promise<PlanAction[]> {
  const actions: PlanAction[] = [];
  for await (const rows of readParts(PART, (part) => listWaitingRows(tx, part)))
    for (const row of rows) actions.push(...(await takeWaiting(tx, deps, row)));
  return actions;
}

/** Forgets what a store that is older than the service was about to do: the service is read, and everything is looked at before the next action. */
async function enter(deps: RecoveryDeps, reason: RecoveryState['reason']): Promise<RecoveryState> {
  const { store, clock, events } = deps;
  const now = clock.now();
  const state = { phase: 'reading', since: now, reason, planId: null } as const;
  await store.write(async (tx) => {
    await lockPlans(tx);
    await endAllPlans(tx, { reason: 'a backup was restored', now });
    await takeAll(tx, deps);
    await doubtEverything(tx);
    await RECOVERY.save(tx, state, now);
  });
  events.recovery({ phase: 'reading', code: reason.code });
  return state;
}

/** Reads the service again, and makes a plan of every difference; without one recovery is over. */
async function planRestore(run: ReadRun, state: RecoveryState): Promise<void> {
  const { store, events, clock } = run.deps;
  // A list that could not be read proves nothing, so it is read until it is complete or refused.
  await readService(run);
  await readGroupLists(run);
  const actions: PlanAction[] = [];
  for (const type of ['user', 'group'] as const) {
    if (!run.reading.isRead(type)) continue;
    for await (const rows of readRows(store.read, type, { limit: PART, where: MANAGED })) {
      for (const row of rows) actions.push(...(await planRow(run, row)));
      const id = rows.filter((row) => run.reading.isSeen(row)).map((row) => row.id);
      // Ends the doubt about what was seen, where nothing is due.
      await store.write((tx) =>
        updateWhere(tx, 'resources', { id, due_at: null }, { must_look: 0 }),
      );
    }
  }
  const now = clock.now();
  const plan = await store.write(async (tx) => {
    await lockPlans(tx);
    if (actions.length === 0) {
      await RECOVERY.delete(tx);
      return undefined;
    }
    const reason = 'the store is older than what was done in the service';
    const held = { status: 'held', source: 'restore', reason, now } as const;
    const made = await addPlan(tx, actions, held);
    await RECOVERY.save(tx, { ...state, phase: 'waiting', planId: made.id }, now);
    return made;
  });
  const [phase, code] = plan ? ['waiting', state.reason.code] : ['over', 'empty'];
  events.recovery({ phase, code, actions: actions.length });
  if (plan) tellPlan(events, plan);
}

async function planRow(
  { deps: { policy, store }, reading }: ReadRun,
  row: ResourceRow,
): Promise<PlanAction[]> {
  const isUnseen = row.deleted_at === null && isLinked(row) && !reading.isSeen(row);
  // What the complete read did not show is taken for gone: a look tells before it is made anew.
  const gone = { ...toObservation(row), at: 0, goneAt: 0 };
  const shown = isUnseen ? { ...row, observed: JSON.stringify(gone) } : row;
  const changes = await listChanges(store.read, shown, policy.deactivation);
  // Lists say nothing of what was deleted, so the last observation counts.
  if (row.deleted_at !== null) {
    const mayDelete = policy.groupDeletion === 'created';
    return changes.filter(({ kind }) => mayDelete || kind !== 'group.delete');
  }
  if (row.type === 'user' || !isLinked(row)) return changes;
  return changes.filter((change) => isShownBy(reading, row, change));
}

/** True unless the list of the group that tells of the change was not read. */
function isShownBy({ since }: Reading, row: GroupRow, { kind }: PlanAction): boolean {
  if (kind.startsWith('admin.')) return (row.admins_read_at ?? 0) >= since;
  return !kind.startsWith('entity.') || (toSeenEntities(row)?.at ?? 0) >= since;
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
  const ownAccount = deps.firstRead.ownAccount() ?? (await LEARNED.find(db));
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
  const options = { ...PAGES, signal };
  const pages = paginate(deps.upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  for await (const { items } of pages) {
    const own = items
      .map(parseAuditEvent)
      .filter((one) => one.authorId === ownAccount && one.createdAt.getTime() > since);
    const named = await nameNewEvents(deps, own);
    const isManaged = named.some(({ rows }) => rows.some(({ origin }) => origin !== null));
    if (isManaged) return { kind: 'stale' };
  }
  return pages.result.complete ? { kind: 'current' } : { kind: 'unknown', code: 'incomplete' };
}
