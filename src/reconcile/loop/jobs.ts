import { createHash } from 'node:crypto';
import { askAgain, isWaiting } from '../../domain/cell.ts';
import type { Loop } from '../../domain/clock.ts';
import { isGone, isWorking } from '../../domain/kinds.ts';
import { applyRules } from '../../rules/follow.ts';
import { listPruned, prune } from '../../store/engine/prune.ts';
import { findRemovalCall, readBacklog } from '../../store/resources/backlog.ts';
import { forgetTombstones } from '../../store/resources/erasure.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { lockRow, readRows, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { countWhere, createShared } from '../../store/tables.ts';
import type { Traffic } from '../../telemetry/metrics.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { findRecovery } from '../repair/recovery.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Time from one sample to the next, in milliseconds. */
export const SAMPLE_MS = 5 * MINUTE;

/** The samples of a day, the oldest first. */
export const SAMPLES = createShared<readonly Awaited<ReturnType<typeof takeSample>>[]>('samples');

interface JobsDeps extends ReconcileDeps {
  /** Counts since the last sample. */
  readonly traffic: Traffic;
  /** Calls that the service takes in a minute; 0: any number. */
  readonly callsMax: number;
}

/** Old rows are looked for late at first: what changed while nobody led is more urgent. */
const JOBS = [
  [{ type: 'samples', id: 'store', restMs: SAMPLE_MS, firstMs: SAMPLE_MS }, addSample],
  [{ type: 'ledger', id: 'prune', restMs: HOUR, firstMs: 5 * MINUTE }, pruneAll],
  [{ type: 'leavers', id: 'store', restMs: 30 * SECOND, topic: 'left' }, followLeavers],
] as const;

/** Creates the jobs that sample, forget what is old, and watch over those who leave. */
export function createPeriodicJobs(deps: JobsDeps): Loop[] {
  // What came before is no part of the first minute.
  takeTraffic(deps.traffic);
  return JOBS.map(([job, work]) =>
    createJob(deps, job, (signal, hasNews) => work(deps, signal, hasNews)),
  );
}

function takeTraffic(traffic: Traffic): Traffic {
  const taken = { ...traffic };
  traffic.calls = 0;
  traffic.leaversMs = [];
  return taken;
}

async function addSample(deps: JobsDeps): Promise<undefined> {
  const sample = await takeSample(deps);
  const isOfDay = ({ at }: { readonly at: number }) => at > sample.at - DAY;
  await deps.store.write((tx) =>
    SAMPLES.change(tx, sample.at, (before = []) => [...before.filter(isOfDay), sample]),
  );
}

/** Calls and requests in a minute, on average, and the work that waits. */
async function takeSample({ store: { read }, clock, callsMax, traffic }: JobsDeps) {
  const { calls, leaversMs } = takeTraffic(traffic);
  const now = clock.now();
  const at = { '>=': now - SAMPLE_MS };
  const open = { change: { '<>': null }, status: ['open', 'contested'] } as const;
  const [{ due, stuck }, drifts, requests, refused] = await Promise.all([
    readBacklog(read),
    countWhere(read, 'drifts', open),
    countWhere(read, 'requests', { at }),
    countWhere(read, 'requests', { at, status: { '>=': 400 } }),
  ]);
  // Rounded up, so that what is rare is not lost.
  const perMinute = (count: number) => Math.ceil((count * MINUTE) / SAMPLE_MS);
  return {
    at: now,
    calls: perMinute(calls),
    callsMax,
    requests: perMinute(requests),
    refused: perMinute(refused),
    due,
    stuck,
    drifts,
    leaversMs,
  };
}

/** A stop ends it after the transaction that runs. */
async function pruneAll(deps: JobsDeps, signal: AbortSignal): Promise<undefined> {
  const { ledgerMs, tombstonesMs } = deps.policy;
  const now = deps.clock.now();
  const deletedBefore = tombstonesMs === 0 ? 0 : now - tombstonesMs;
  for (const pruned of listPruned(now, ledgerMs, deletedBefore)) {
    let forgotten = PRUNE_MAX;
    while (forgotten === PRUNE_MAX && !signal.aborted) {
      forgotten = await deps.store.write((tx) => prune(tx, pruned, PRUNE_MAX));
    }
  }
  // Last, because a call or a drift that is kept stands in the way.
  await forgetTombstones(deps, deletedBefore, signal);
}

/** Hash of the rules that were applied last. */
const APPLIED = createShared<string>('rules');

/** Creates the reapplication of changed rules. After a crash it begins again; requests are served meanwhile. */
export function createReapplication(deps: ReconcileDeps) {
  const { store, clock } = deps;
  const { rules } = deps.rules.book;
  const hash = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  const applied = Promise.withResolvers<void>();
  const job = { type: 'rules', id: 'reapply', restMs: SECOND };
  const loop = createJob(deps, job, async (signal) => {
    // What rules would derive from an old backup waits for the same decision.
    if ((await findRecovery(store.read)) !== undefined) return SECOND;
    const last = await APPLIED.find(store.read);
    // A store that never had rules needs nothing while there are none.
    const isToApply = last === undefined ? rules.length > 0 : last !== hash;
    if (isToApply) {
      await applyRules(deps, signal);
      await store.write((tx) => APPLIED.save(tx, hash, clock.now()));
    }
    applied.resolve();
    return HOUR;
  });
  /** `applied` resolves once the rules hold everywhere. */
  return { ...loop, applied: applied.promise };
}

/** Time from the news of a leaver until the store is asked, in milliseconds: many leave together. */
const GATHER_MS = 5_000;
const PART = 100;

/** An answer of the service does not prove that a user is out: each is looked at after the call, and deactivated again if need be. */
async function followLeavers(
  deps: ReconcileDeps,
  signal: AbortSignal,
  hasNews: boolean,
): Promise<undefined> {
  const { store, clock } = deps;
  if (hasNews) await clock.sleep(GATHER_MS, signal);
  const leaving = { left_at: { '<>': null }, out_at: null } as const;
  for await (const rows of readRows(store.read, 'user', { limit: PART, where: leaving })) {
    const changes = await store.write(async (tx) => {
      const all: Partial<UserRow>[] = [];
      for (const row of rows) {
        const locked = await lockRow(tx, row);
        const change = locked && (await judge(tx, deps, locked));
        if (change === undefined) continue;
        await updateRow(tx, row, change);
        all.push(change);
      }
      return all;
    });
    // What the look shows is news of those who left.
    if (changes.some(({ due_at }) => due_at !== undefined))
      for (const what of ['due', 'left'] as const) store.bell.ring(what);
    signal.throwIfAborted();
  }
}

/** Columns of a user who is wanted in again, or who has no account: there is nothing to wait for. */
const NO_LEAVER = { left_at: null, out_at: null } as const;

/** What is to be done about a leaver, as columns of the row; undefined: the change is on its way, or held back. */
async function judge(
  db: Db,
  deps: ReconcileDeps,
  row: UserRow,
): Promise<Partial<UserRow> | undefined> {
  const { desired, observed, cells, mustLook, sent_creates } = toUserState(row);
  if (!isOut(desired)) return NO_LEAVER;
  const fields = [cells.active, cells.account, cells.temporarilyInactive];
  if (mustLook || fields.some(isWaiting)) return undefined;
  // A create whose answer was lost may have left an account.
  const hasAccount = row.upstream_id !== null || sent_creates.length > 0;
  if (observed === null) return hasAccount ? undefined : NO_LEAVER;
  if (isGone(observed)) return { out_at: observed.goneAt ?? observed.at };
  return hasAccount || isOut(observed) ? judgeSeen(db, deps, row) : NO_LEAVER;
}

/** The same of an account that was seen: it is out, is to be looked at after the call, or is let in again and deactivated once more. */
async function judgeSeen(
  db: Db,
  { policy, clock }: ReconcileDeps,
  row: UserRow,
): Promise<Partial<UserRow> | undefined> {
  const { desired, observed, cells } = toUserState(row);
  const from = row.left_at ?? 0;
  const call = await findRemovalCall(db, { id: row.id, from, until: Number.MAX_SAFE_INTEGER });
  const { at, by } = observed ?? { at: 0, by: '' };
  const due = { due_at: clock.now() };
  if (observed && isOut(observed)) {
    // Not the answer of the call: a service may answer and do nothing.
    const isProven = by !== scim.updateUser.id && at >= (call?.at ?? from);
    return isProven ? { out_at: at } : { ...due, must_look: row.must_look + 1, due_class: 2 };
  }
  const isUndone = call?.outcome === 'done' && at > call.at;
  if (!isUndone || isWorking(desired, policy.deactivation)) return undefined;
  return { ...due, cells: askAgain(cells, ['active'], row.version), due_class: 0 };
}

/** True for whom either switch of the service keeps out. */
const isOut = (user: Parameters<typeof isWorking>[0]) => !isWorking(user, 'temporarilyInactive');
