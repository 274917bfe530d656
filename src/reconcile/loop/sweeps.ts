import { BridgeError, newId } from '../../domain/values.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { PlanRow } from '../../store/plans.ts';
import { findOne, insertNew, listWhere, type Row, updateWhere } from '../../store/tables.ts';
import { type CallOptions, withOptions } from '../../upstream/transport.ts';
import { Comparison } from '../compare/compare-all.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob, isNotLeading } from '../job.ts';
import { findFirstReadAt } from '../read/first-read.ts';
import { Reading } from '../read/reading.ts';
import type { DecisionSource } from '../repair/decide.ts';
import { findRecovery } from '../repair/recovery.ts';

/** Interval of asking whether a sweep is due, or was asked for, in milliseconds. */
const POLL_MS = 10_000;

interface SweepDeps extends ReconcileDeps {
  readonly decide: (source: DecisionSource) => Promise<PlanRow | undefined>;
  /** True when this process knows that the store is current: the first read is finished and no start is being checked. */
  readonly isReady: () => boolean;
}

/** The sweeps of one lead: complete comparisons of the service with the store, one at a time. */
export function createSweeps(deps: SweepDeps) {
  const { clock } = deps;
  const beganAt = clock.now();
  let reading: Reading | undefined;
  const job = { type: 'sweep', id: 'schedule', restMs: POLL_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    const sweep = await findWork(deps, beganAt);
    if (sweep === undefined) return POLL_MS;
    reading = new Reading(clock.now(), false);
    try {
      await carryOut(deps, sweep, { reading, signal });
    } finally {
      reading = undefined;
      // Of whom the lists may be too old is looked at.
      deps.store.bell.ring('due');
    }
    return POLL_MS;
  });
  return {
    start: () => loop.start(),
    stop: loop.stop,
    /** How far the sweep that runs has read the service; undefined: no list is being read. */
    progress: () => reading?.findProgress(clock.now()),
  };
}

type RequestDeps = Pick<SweepDeps, 'store' | 'clock' | 'policy'>;

/** Has the leader make a sweep as soon as may be; one that runs or waits already counts. Returns its id. */
export async function requestSweep(deps: RequestDeps, dryRun: boolean): Promise<string> {
  const sweep = await addSweep(deps, dryRun ? 1 : 0);
  deps.store.bell.ring('decided');
  return sweep?.id ?? '';
}

/** One that waits, or a new one when it is time. */
async function findWork(deps: SweepDeps, beganAt: number): Promise<Row<'sweeps'> | undefined> {
  const { read } = deps.store;
  if (!deps.isReady() || (await findRecovery(read)) !== undefined) return undefined;
  const waiting = await findOne(read, 'sweeps', { status: 'running' });
  return waiting ?? ((await isDue(deps, beganAt)) ? addSweep(deps, 0) : undefined);
}

/** True at the start, unless the whole service was read since, and then again and again. */
async function isDue(deps: SweepDeps, beganAt: number): Promise<boolean> {
  const { read } = deps.store;
  const { sweepIntervalMs: intervalMs } = deps.policy;
  if (intervalMs === 0) return false;
  const last = await findOne(read, 'sweeps', {}, NEWEST_FIRST);
  const finishedAt = (await findFirstReadAt(read)) ?? 0;
  const now = deps.clock.now();
  // What seems to lie ahead was stored before the clock was set back: it says nothing of when that was.
  const lookedAt = Math.max(0, ...[last?.started_at ?? 0, finishedAt].filter((at) => at <= now));
  return lookedAt < beganAt || lookedAt + intervalMs <= now;
}

const NEWEST_FIRST = { order: 'seq desc' } as const;

/** Adds a sweep, unless one runs or waits; returns that one. */
async function addSweep(
  { store, clock, policy }: RequestDeps,
  dry_run: 0 | 1,
): Promise<Row<'sweeps'> | undefined> {
  const limit = policy.adminsEvery - 1;
  return store.write(async (tx) => {
    const before = await listWhere(tx, 'sweeps', {}, { ...NEWEST_FIRST, limit });
    const readsAdmins = before.length >= limit && before.every((one) => one.reads_admins === 0);
    const sweep = {
      id: newId(),
      status: 'running',
      reads_admins: readsAdmins ? 1 : 0,
      dry_run,
      started_at: clock.now(),
      calls: 0,
      counts: '{}',
      reasons: '[]',
    } as const;
    const [added] = await insertNew(tx, 'sweeps', [sweep]);
    // What the running one finds is acted on, although it was begun as a dry run.
    if (!added && !dry_run) await updateWhere(tx, 'sweeps', { status: 'running' }, { dry_run });
    return added ?? findOne(tx, 'sweeps', {}, NEWEST_FIRST);
  });
}

async function carryOut(
  deps: SweepDeps,
  { id, reads_admins, started_at }: Row<'sweeps'>,
  { reading, signal }: { readonly reading: Reading; readonly signal: AbortSignal },
): Promise<void> {
  const { store, clock, events } = deps;
  let calls = 0;
  const upstream = withOptions(deps.upstream, (options?: CallOptions) => {
    calls += 1;
    return options;
  });
  const run = { deps: { ...deps, upstream }, reading, signal };
  const comparison = new Comparison(run);
  const { counts } = comparison;
  events.sweepStarted({ sweepId: id, admins: reads_admins === 1 });
  let plan: PlanRow | undefined;
  try {
    await comparison.make({ readsAdmins: reads_admins === 1 });
    const isDryRun = (await findOne(store.read, 'sweeps', { id }))?.dry_run === 1;
    plan = await deps.decide(isDryRun ? 'dry-run' : 'sweep');
  } catch (error) {
    if (isNotLeading(error) || signal.aborted) return;
    const isIncomplete = error instanceof BridgeError && error.code === 'sweep-incomplete';
    if (!isIncomplete) events.sweepFailed({ sweepId: id, error });
    // The next turn tries again a store that does not answer.
    if (error instanceof StoreError) return;
    // After a bug, or before another company's service, trying again at once would meet it again.
    comparison.reasons.add(isIncomplete ? error.message : 'the bridge failed: its log says why');
  }
  const reasons = [...comparison.reasons];
  const concluded = plan?.status === 'held' ? 'held' : 'complete';
  const status = reasons.length === 0 ? concluded : 'incomplete';
  const now = clock.now();
  const texts = { counts: JSON.stringify(counts), reasons: JSON.stringify(reasons) };
  const end = { ...texts, status, calls, plan_id: plan?.id ?? null, ended_at: now } as const;
  await store.write((tx) => updateWhere(tx, 'sweeps', { id, status: 'running' }, end));
  const ended = { sweepId: id, status, durationMs: now - started_at, calls, ...counts } as const;
  events.sweepEnded({ ...ended, reasons: reasons.join('; ') });
}
