import { isLinked } from '../../domain/kinds.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { RECOVERY_SOURCES } from '../../domain/plan.ts';
import type { PlanRow } from '../../store/plans.ts';
import { doubtEverything, eachWaitingRow, endOver, lockPlans } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { MANAGED, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { createShared, findOne, listWhere, updateWhere } from '../../store/tables.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { CLOCKS_MS, LEARNED, nameNewEvents } from '../audit/events.ts';
import type { ReconcileDeps } from '../deps.ts';
import { listChanges } from '../differences.ts';
import { createJob, isNotLeading } from '../job.ts';
import { classify } from '../outcome.ts';
import { addToHeld, dropWaiting, takeWaiting, tellPlan } from '../plans.ts';
import { readGroupLists } from '../read/read-groups.ts';
import type { FirstRead } from '../read/read-service.ts';
import { readService } from '../read/read-service.ts';
import type { ReadRun } from '../read/reading.ts';
import { Reading } from '../read/reading.ts';
import { findOwnAccount, mayGoWithout } from '../sections.ts';
import type { Mode } from '../write-guard.ts';
import { OBSERVING } from '../write-guard.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;
/** Rest after a failure, in milliseconds. */
const FAILED_MS = 2_000;

/** State of recovery. */
export interface RecoveryState {
  /** `reading`: nothing waits any more, the whole service is to be read. `waiting`: a plan waits for an operator, or is followed. */
  readonly phase: 'reading' | 'waiting';
  /** Epoch milliseconds. */
  readonly since: number;
  /** An operator or, while the service is read, the audit log says that the store is older; or it only observed. */
  readonly reason: { readonly code: 'restored' | 'audit' | 'first-run' };
  /** null: none was made yet. */
  readonly planId: string | null;
}

/** The state until the plan is made. */
const RECOVERY = createShared<RecoveryState>('recovery');

/** Forgets what a store that is older than the service was about to do: the service is read, and everything is looked at before the next action. */
export async function enterRecovery(
  tx: Db,
  now: number,
  code: RecoveryState['reason']['code'],
): Promise<void> {
  await lockPlans(tx);
  const open = { status: ['planned', 'released'] } as const;
  await updateWhere(tx, 'plan_actions', open, { status: 'dropped' });
  await updateWhere(tx, 'drifts', { status: 'repairing' }, { status: 'open', plan_id: null });
  await endOver(tx, now);
  for await (const row of eachWaitingRow(tx)) await dropWaiting(tx, row);
  await doubtEverything(tx);
  await RECOVERY.save(tx, { phase: 'reading', since: now, reason: { code }, planId: null }, now);
}

/** Finds where recovery stands; it is over once its plans were taken up. Undefined: there is none. */
export async function findRecovery(db: Db): Promise<RecoveryState | undefined> {
  const begun = await RECOVERY.find(db);
  if (begun !== undefined) return begun;
  const plans = await listWhere(db, 'plans', { source: RECOVERY_SOURCES, ended_at: null });
  for (const { id: planId, source, created_at: since } of plans) {
    if ((await findOne(db, 'plan_actions', { plan_id: planId, status: 'planned' })) === undefined)
      continue;
    const code = source === 'first-run' ? source : 'restored';
    return { phase: 'waiting', since, reason: { code }, planId };
  }
  return undefined;
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
  const read = Promise.withResolvers<void>();
  const theirNow = () => clock.now() + upstream.aheadMs();
  const beat = () => store.write((tx) => ALIVE.save(tx, theirNow(), clock.now()));
  let attempts = 0;
  let begun: Awaited<ReturnType<typeof begin>> | undefined;
  let reading: Reading | undefined;

  const job = { type: 'recovery', id: 'run', restMs: FAILED_MS };
  const loop = createJob(deps, job, async (signal) => {
    if (begun === undefined) {
      attempts += 1;
      begun = await begin(deps, attempts, signal);
      attempts = 0;
      const { code } = begun;
      if (code !== undefined) {
        events.recovery({ phase: 'reading', code });
        reading = new Reading(clock.now(), true);
      }
      over.resolve();
      // A sweep may be due.
      store.bell.ring('decided');
    }
    await beat();
    if (reading !== undefined) await planRestore({ deps, reading, signal });
    reading = undefined;
    read.resolve();
    return ALIVE_MS;
  });

  return {
    /** Holds changes until it is known how old the store is; `isLong`: waiting for that is in vain. */
    hold: { over: over.promise, isLong: () => firstRead.hold.isLong() || attempts > 1 },
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
      if (deps.mode === 'live') await goLive(deps);
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

/** Finds out how old the store is, unless that is known. `code`: why the service is to be read again; undefined: it is not. */
async function begin(deps: RecoveryDeps, attempt: number, signal: AbortSignal) {
  const { store, clock, firstRead, events } = deps;
  const known = await findRecovery(store.read);
  const code = known?.phase === 'reading' ? known.reason.code : undefined;
  // Before the first read is finished nothing is managed, so nothing can be done again.
  if (known !== undefined || !firstRead.isFinished()) return { code, detection: undefined };
  const detection = await detect(deps, attempt, signal);
  const why = detection.kind === 'unknown' ? detection.code : 'audit';
  events.recovery({ phase: detection.kind, code: why });
  if (detection.kind !== 'stale') return { code, detection };
  await store.write((tx) => enterRecovery(tx, clock.now(), 'audit'));
  return { code: 'audit', detection } as const;
}

/** Makes a plan of what was accepted while observing, before the first request is answered: later changes are not held. */
async function goLive(deps: RecoveryDeps): Promise<void> {
  const reason = 'it was asked for while the bridge observed';
  const plan = await deps.store.write(async (tx) => {
    // Where another process has gone live, changes since then are not held again.
    if (!(await OBSERVING.delete(tx))) return undefined;
    await lockPlans(tx);
    return holdWaiting(tx, deps, { source: 'first-run', reason });
  });
  if (plan !== undefined) tellPlan(deps.events, plan);
}

/** Moves what waits, of all providers or of one, into a plan that an operator decides on, under `lockPlans`. Returns the plan if it is a new one. */
export async function holdWaiting(
  tx: Db,
  { policy, clock }: Pick<RecoveryDeps, 'policy' | 'clock'>,
  held: Pick<PlanRow, 'source' | 'reason'>,
  provider?: string,
): Promise<PlanRow | undefined> {
  const actions: PlanAction[] = [];
  for await (const row of eachWaitingRow(tx, provider))
    actions.push(...(await takeWaiting(tx, { policy }, row)));
  return addToHeld(tx, actions, { ...held, now: clock.now() });
}

/** Reads the service again, and makes a plan of every difference; without one recovery is over. */
async function planRestore(run: ReadRun): Promise<void> {
  const { store, events, clock } = run.deps;
  // A list that could not be read proves nothing, so it is read until it is complete or refused.
  await readService(run);
  await readGroupLists(run);
  const actions: PlanAction[] = [];
  for (const type of ['user', 'group'] as const) {
    if (!run.reading.isRead(type)) continue;
    for await (const rows of readRows(store.read, type, { where: MANAGED })) {
      for (const row of rows) actions.push(...(await listRestored(run, row)));
      const id = rows.filter((row) => run.reading.isSeen(row)).map((row) => row.id);
      // Ends the doubt about what was seen, where nothing is due.
      await store.write((tx) =>
        updateWhere(tx, 'resources', { id, due_at: null }, { must_look: 0 }),
      );
    }
  }
  const reason = 'the store is older than what was done in the service';
  const plan = await store.write(async (tx) => {
    await lockPlans(tx);
    await RECOVERY.delete(tx);
    return addToHeld(tx, actions, { source: 'restore', reason, now: clock.now() });
  });
  if (plan !== undefined) tellPlan(events, plan);
  else events.recovery({ phase: 'over', code: 'empty' });
}

const GONE = { fullName: '', active: false, displayName: '', at: 0, by: '', goneAt: 0 };

/** Lists what the service lacks of a user or group. What no list told, and what was deleted, is taken to be as it was last seen. */
async function listRestored({ deps: { policy, store }, reading }: ReadRun, row: ResourceRow) {
  const isUnseen = row.deleted_at === null && isLinked(row) && !reading.isSeen(row);
  // What the complete read did not show is taken for gone: a look tells before it is made anew.
  const shown = isUnseen ? { ...row, observed: GONE } : row;
  const changes = await listChanges(store.read, shown, policy.deactivation);
  const mayDelete = policy.deletion === 'created';
  return changes.filter(({ kind }) => mayDelete || kind !== 'group.delete');
}

/** Last use of this store, by the clock of the service (epoch milliseconds): what our own account did before, it knows. */
const ALIVE = createShared<number>('alive');

/** Finds changes of our own account since the store was last used. @param attempt from 1 on */
async function detect(
  deps: RecoveryDeps,
  attempt: number,
  signal: AbortSignal,
): Promise<Detection> {
  const { read: db } = deps.store;
  // Events of what the bridge created may tell the account, where the service does not.
  const ownAccount = (await findOwnAccount(db)) ?? (await LEARNED.find(db));
  if (ownAccount === undefined) return { kind: 'unknown', code: 'no-account' };
  const aliveAt = await ALIVE.find(db);
  if (aliveAt === undefined) return { kind: 'current' };
  const since = aliveAt + CLOCKS_MS;
  const query = { from: new Date(since).toISOString(), author_id: ownAccount };
  // The largest pages of the service: 10,000 changes of our own prove enough.
  const options = { pageSize: 500, pagesMax: 20, class: 'look', key: 'recovery', signal } as const;
  const pages = paginate(deps.upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  try {
    for await (const { items } of pages) {
      // The service may ignore the filter by author.
      const own = items
        .map(parseAuditEvent)
        .filter((one) => one.authorId === ownAccount && one.createdAt.getTime() > since);
      const named = await nameNewEvents(deps, own);
      const isManaged = named.some(({ rows }) => rows.some(({ origin }) => origin !== null));
      if (isManaged) return { kind: 'stale' };
    }
  } catch (error) {
    // An audit log that fails for ever, while the rest works, is not waited for.
    if (!(await mayGoWithout(deps, error, attempt))) throw error;
    return { kind: 'unknown', code: classify(error).problem.code };
  }
  return pages.result.complete ? { kind: 'current' } : { kind: 'unknown', code: 'incomplete' };
}
