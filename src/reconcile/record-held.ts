import { listWaiting } from '../domain/cell.ts';
import { assertNever } from '../domain/errors.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { type AskedChange, takeDoneChange } from '../store/changes.ts';
import { parseStored } from '../store/engine/columns.ts';
import { findRow, type ResourceRow } from '../store/resources/rows.ts';
import { type GroupUndo, parseUndo, type UserUndo } from '../store/resources/undo.ts';
import type { Db } from '../store/store.ts';
import { lockWaits, refuseWait } from '../store/waits.ts';
import type { ReconcileDeps, ReconcileEvents } from './deps.ts';
import { withoutCreate } from './lost-create.ts';
import type { Problem } from './outcome.ts';
import { GONE, type Recorded, readProgress, type Undone } from './recorded.ts';
import type {
  EndedStep,
  KindTypes,
  PlannedState,
  Recorder,
  ResourceKind,
  Step,
  Recording as StepRecording,
} from './resource-kind.ts';
import type { Waiter, Waiters } from './waiters.ts';

/** Records a step of a user or group in one transaction with `also`, and reports what became of it. */
export async function recordStep<T extends KindTypes>(
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  {
    key,
    planned,
    ended,
    also,
  }: {
    readonly key: ResourceKey;
    readonly planned: T['state'];
    readonly ended: EndedStep<T>;
    /** Stores what belongs to the step. */
    readonly also: (tx: Db) => Promise<void>;
  },
): Promise<Recorded<T['state']>> {
  const { outcome } = ended;
  const { clock, rules, policy, random, store } = deps;
  const { waiters, isUndo } = kind;
  const since = clock.now();
  const mayRefuse = store.engine === 'postgres' && kind.mayRefuse(outcome);
  const recording = { key, waiters, isUndo, mayRefuse };
  const recorded = await recordHeld<T['state'], T['undo']>(deps, recording, async (tx, undos) => {
    const { attemptsMax, callMs } = policy;
    const facts = { rules, attemptsMax, callMs, now: clock.now(), random: random() };
    const step = { ...ended, ...facts, ...kind.toPolicies(), planned, undos };
    const stored = await recordEnded(tx, kind, step);
    await also(tx);
    return stored;
  });
  const problem = kind.findRefusal(outcome);
  if (planned.deleted) reportDeleted(deps.events, key, { planned, recorded });
  if (problem || planned.mustLook) await reportStuck(deps, { key, code: problem?.code, since });
  if (recorded.finished || recorded.state.version === planned.version) return recorded;
  // Whoever has what they asked for does not wait for what was written meanwhile.
  await waiters.settleSoon(key, () => readProgress(store.read, key));
  if (kind.gather === undefined) return recorded;
  return { ...recorded, state: await kind.gather(recorded.state) };
}

/**
 * Records the result of a step and its consequences in one transaction. Finishes the run unless there is a next step.
 * @throws BridgeError `not-leading`
 */
async function recordEnded<T extends KindTypes>(
  tx: Db,
  kind: Recorder<T>,
  step: Step<T>,
): Promise<Stored<T['state']>> {
  const row = await kind.lock(tx, step.planned);
  const gone = { finished: true, ...GONE, undone: [], notified: [] } as const;
  if (row === undefined) return { row, recorded: gone };
  const handed = await kind.handOver(tx, row, step);
  if (handed) return { row, recorded: { ...gone, notified: handed } };
  const recording = { ...step, original: row, reverted: [] };
  const recorded = await recordOutcome(tx, kind, row, recording);
  return { row, recorded: await kind.follow(tx, recording, recorded) };
}

/** Records each way in which a step can end. */
async function recordOutcome<T extends KindTypes>(
  tx: Db,
  kind: Recorder<T>,
  row: T['row'],
  step: StepRecording<T>,
): Promise<Recorded<T['state']>> {
  const { outcome, planned } = step;
  const hasFailed = outcome.kind === 'refused' || outcome.kind === 'later';
  const left = hasFailed ? withoutCreate(row, planned) : row;
  switch (outcome.kind) {
    case 'done': {
      // Whatever has the names that the resource had when its create left is not the resource.
      const isAnother = outcome.known.adopted && kind.isRenamed(row, planned);
      if (isAnother) return kind.finish(tx, withoutCreate(row, planned), step);
      return kind.done(tx, left, step, outcome.known);
    }
    case 'refused':
      return kind.refused(tx, left, step, outcome);
    case 'later':
    case 'unknown':
      return kind.postponed(tx, left, step, outcome);
    default:
      return assertNever(outcome);
  }
}

/** Recorded step, and the row before it; undefined: there was none. */
interface Stored<State> {
  readonly row: ResourceRow | undefined;
  readonly recorded: Recorded<State>;
}

/** Dependencies of recording. */
type RecordDeps = Pick<ReconcileDeps, 'store' | 'clock'> & {
  readonly events: Pick<ReconcileDeps['events'], 'changeHeld'>;
};

/** A record, and the subject that it is about. */
export interface Recording<Undo> {
  readonly key: ResourceKey;
  readonly waiters: Waiters<Undo>;
  /** True when the service may have refused something that a request in another process waits for. */
  readonly mayRefuse: boolean;
  /** Narrows the undo that is stored of a request that waits in another process. */
  readonly isUndo: (undo: UserUndo | GroupUndo) => undo is Undo & (UserUndo | GroupUndo);
}

/**
 * Records a result in one transaction. The deadlines of the requests that wait for it, here and in other processes, are
 * held meanwhile, so that no request is told "accepted" for a write that is being taken back at this moment.
 */
async function recordHeld<State, Undo>(
  { store, clock, events }: RecordDeps,
  { key, waiters, mayRefuse, isUndo }: Recording<Undo>,
  record: (tx: Db, undos: readonly Waiter<Undo>[]) => Promise<Stored<State>>,
): Promise<Recorded<State>> {
  const held = waiters.hold(key);
  try {
    const { recorded, delivered } = await store.write(async (tx) => {
      const rows = mayRefuse ? await lockWaits(tx, key, clock.now()) : [];
      const elsewhere = rows.flatMap(({ id, version, undo: text }) => {
        const undo = parseUndo(text);
        return isUndo(undo) ? [{ id, version, undo }] : [];
      });
      const stored = await record(tx, [...held.waiters, ...elsewhere]);
      if (elsewhere.length > 0) await refuseElsewhere(tx, elsewhere, stored.recorded.undone);
      return { recorded: stored.recorded, delivered: await takeDelivered(tx, stored) };
    });
    held.resume(recorded.undone);
    if (delivered !== undefined) {
      const tookMs = Math.max(clock.now() - delivered.at, 0);
      events.changeHeld({ kind: delivered.kind, tookMs });
    }
    store.bell.ring('settled');
    if (delivered?.kind === 'leaver') store.bell.ring('left');
    return recorded;
  } catch (error) {
    held.resume([]);
    throw error;
  }
}

/** Takes out the change that waits no more, and returns it where the service holds it now. */
async function takeDelivered(
  tx: Db,
  { row, recorded }: Stored<unknown>,
): Promise<AskedChange | undefined> {
  if (row === undefined || !recorded.finished) return undefined;
  const done = await takeDoneChange(tx, row, recorded);
  return recorded.undone.some(({ version }) => version === done?.version) ? undefined : done;
}

async function refuseElsewhere(
  tx: Db,
  waits: readonly { readonly id: string; readonly version: number }[],
  undone: readonly Undone[],
): Promise<void> {
  for (const { id, version } of waits) {
    const refused = undone.find((one) => one.version === version);
    if (refused) await refuseWait(tx, id, JSON.stringify(refused.problem));
  }
}

/** Recorded refusal, or a look after which a change that failed again and again may be stuck. */
interface RecordedStep {
  readonly key: ResourceKey;
  /** Code of the refusal; undefined when the step failed. */
  readonly code: string | undefined;
  /** Beginning of recording, epoch milliseconds. */
  readonly since: number;
}

/** Reports once that a user or group became stuck; later refusals of the same are not reported. */
async function reportStuck(
  { store, events }: Pick<ReconcileDeps, 'store' | 'events'>,
  { key, code, since }: RecordedStep,
): Promise<void> {
  const row = await findRow(store.read, key);
  if (row === undefined || row.stuck_at === null || row.stuck_at < since) return;
  const problem = parseStored<Partial<Problem> | null>(row.last_error ?? 'null');
  events.stuck({ type: key.type, id: key.id, code: code ?? problem?.code ?? 'unknown' });
}

/** Reports once that a deletion has nothing left to do. */
function reportDeleted(
  events: ReconcileEvents,
  { type, id }: ResourceKey,
  { planned, recorded }: { planned: PlannedState; recorded: Recorded<unknown> },
): void {
  const { cells, members = [], admins = [] } = planned;
  const wasOpen = listWaiting(cells).length + members.length + admins.length > 0;
  if (!wasOpen || !recorded.finished || recorded.undone.length > 0) return;
  if (recorded.oldestPending === undefined) events.deletionFinished({ type, id });
}
