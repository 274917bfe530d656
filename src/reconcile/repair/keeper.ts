import type { Detector } from '../../domain/drift.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import { findRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isLinked } from '../../store/resources/state.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import { withOptions } from '../../upstream/transport.ts';
import { type Looked, lookAt } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { type DecisionSource, decide } from './decide.ts';
import { createFollower } from './follow.ts';
import { findRecovery } from './recovery.ts';

/** Interval of checking repairs while none is under way, in milliseconds. */
const IDLE_MS = 2_000;
/** Rest while some are, as a multiple of the last turn: the larger a plan, the longer the check takes. */
const BUSY_FACTOR = 4;
const BUSY_MIN_MS = 25;

/** Keeper of drifts, at the leader. */
export type DriftKeeper = ReturnType<typeof createDriftKeeper>;

/** Creates the keeper; `isReady`: the first read is finished. */
export function createDriftKeeper(deps: ReconcileDeps, isReady: () => boolean) {
  const { store } = deps;
  const follow = createFollower(deps);
  const stopping = new AbortController();
  const job = { type: 'drift', id: 'keep', restMs: IDLE_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    const beganAt = performance.now();
    const isUnderWay = isReady() && (await keep(signal));
    const busyMs = Math.max(BUSY_FACTOR * (performance.now() - beganAt), BUSY_MIN_MS);
    return isUnderWay ? Math.min(busyMs, IDLE_MS) : IDLE_MS;
  });

  /** Returns true while more is to be done at once. */
  async function keep(signal: AbortSignal): Promise<boolean> {
    // While a restored backup or what was accepted while observing waits, only decisions of operators are followed.
    const recovery = await findRecovery(store.read);
    if (recovery !== undefined && recovery.phase !== 'waiting') return false;
    if (recovery === undefined && (await inspectDue(deps, signal))) await decide(deps, 'audit');
    return follow();
  }

  async function decided<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    loop.tell();
    return result;
  }

  return {
    start: () => loop.start(),
    stop() {
      stopping.abort();
      return loop.stop();
    },
    look: ({ key }: { readonly key: ResourceKey }) => decided(lookNow(deps, key, stopping.signal)),
    decide: (source: DecisionSource) => decided(decide(deps, source)),
  };
}

const TURN_MAX = 50;
/** Shortest and longest wait after a look that failed, or was skipped because a worker has the resource, in milliseconds. */
const RETRY_MS = { min: 1_000, max: 10 * 60_000 };

/** Result of a look that an operator asked for, with all drifts; `not-linked`: the service is not known to have it. */
export type LookResult = Looked | { readonly kind: 'unknown' | 'not-linked' };

/** Looks, and reports the new drifts. */
async function lookAndReport(
  looking: { readonly deps: ReconcileDeps; readonly signal: AbortSignal },
  row: ResourceRow,
  detector: Detector,
): Promise<Looked> {
  const looked = await lookAt(looking, row, detector);
  const drifts = looked.kind === 'looked' ? looked.drifts : [];
  for (const { kind, id } of drifts) looking.deps.events.driftFound({ kind, driftId: id });
  return looked;
}

/** Looks at what others may have changed. Returns true when a new drift was found. */
async function inspectDue(deps: ReconcileDeps, signal: AbortSignal): Promise<boolean> {
  const { store, clock } = deps;
  let hasFound = false;
  const due = { look_at: { '<=': clock.now() } };
  const first = { order: 'look_at', limit: TURN_MAX } as const;
  for (const one of await listWhere<'resources', ResourceRow>(
    store.read,
    'resources',
    due,
    first,
  )) {
    signal.throwIfAborted();
    if (await takeInspection(deps, one, signal)) hasFound = true;
  }
  return hasFound;
}

const NO_LOOK = { look_at: null, look_since: null, look_source: null };

/** True when a new drift was found. */
async function takeInspection(deps: ReconcileDeps, row: ResourceRow, signal: AbortSignal) {
  const { store, clock } = deps;
  const { id, look_source: detector, look_since, look_at } = row;
  if (detector === null || look_since === null || look_at === null) return false;
  const looked = await lookAndReport({ deps, signal }, row, detector);
  if (looked.kind === 'looked') {
    // Unless there is a newer reason to look.
    await store.write((tx) => updateWhere(tx, 'resources', { id, look_since }, NO_LOOK));
    return looked.drifts.length > 0;
  }
  // A worker that has it looks first. Another one waits as long again as it has waited, so that others are taken meanwhile.
  const restMs = Math.min(Math.max(look_at - look_since, RETRY_MS.min), RETRY_MS.max);
  const until = looked.kind === 'just-written' ? looked.until : clock.now() + restMs;
  const same = { id, look_since, look_at };
  await store.write((tx) => updateWhere(tx, 'resources', same, { look_at: until }));
  return false;
}

/** No call is repeated. */
async function lookNow(
  deps: ReconcileDeps,
  key: ResourceKey,
  signal: AbortSignal,
): Promise<LookResult> {
  const { store } = deps;
  const row = await findRow(store.read, key);
  if (row === undefined) return { kind: 'unknown' };
  if (!isLinked(row)) return { kind: 'not-linked' };
  const upstream = withOptions(deps.upstream, (options) => ({ ...options, attemptsMax: 1 }));
  const looked = await lookAndReport({ deps: { ...deps, upstream }, signal }, row, 'operator');
  if (looked.kind !== 'looked') return looked;
  return { ...looked, drifts: await listActiveDrifts(store.read, [row.id]) };
}
