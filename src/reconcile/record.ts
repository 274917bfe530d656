import { listWaiting, onlyWaiting } from '../domain/cell.ts';
import { assertNever } from '../domain/errors.ts';
import { deferForSeat, exhaust, fail } from '../domain/failure.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { failLink } from '../domain/link.ts';
import { type AskedChange, takeDoneChange } from '../store/changes.ts';
import { parseCells, parseStored, toCellColumns } from '../store/engine/columns.ts';
import { answerErrand, lockWaits } from '../store/errands.ts';
import { changeNamed, deleteAllLinks, listLinkedUsers } from '../store/links/links.ts';
import { deleteRow, findRow, type ResourceRow } from '../store/resources/rows.ts';
import type { Undo } from '../store/resources/undo.ts';
import type { Db } from '../store/store.ts';
import { failedDelayMs } from './backoff.ts';
import type { ReconcileDeps, ReconcileEvents } from './deps.ts';
import { finishStep, readExhausted, readLinks } from './finish-step.ts';
import {
  isLostLook,
  keepLook,
  toAfterLostLook,
  toRetriedRow,
  withoutCreate,
} from './lost-create.ts';
import type { Outcome, Part, Problem } from './outcome.ts';
import { GONE, type Recorded, readProgress, toProgress } from './recorded.ts';
import { hideNotCreated, listStillPlanned, refuse } from './refuse.ts';
import {
  type KindTypes,
  listFields,
  listLinkParts,
  type PlannedState,
  type Recording,
  type ResourceKind,
  type Step,
} from './resource-kind.ts';
import { toSuccessColumns } from './retry-columns.ts';
import type { Waiters } from './waiters.ts';

/** Failures after which a run stops trying other parts; each costs a look. */
const GOING_ON_MAX = 5;
/** Rest of an addition that waits for a free seat, in milliseconds; mostly it is tried before. */
const SEAT_REST_MS = 24 * 3_600_000;

/** End of a step. */
type EndedStep<T extends KindTypes> = Pick<Step<T>, 'outcome' | 'isOwn' | 'failures'>;
type Postponed<T extends KindTypes> = Extract<
  Outcome<T['known']>,
  { readonly kind: 'later' | 'unknown' }
>;

/** Records a step of a user or group in one transaction with `also`, and reports what became of it. */
export async function recordStep<T extends KindTypes>(
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  {
    key,
    waiters,
    planned,
    ended,
    also,
  }: {
    readonly key: ResourceKey;
    readonly waiters: Waiters;
    readonly planned: T['state'];
    readonly ended: EndedStep<T>;
    /** Stores what belongs to the step. */
    readonly also: (tx: Db) => Promise<void>;
  },
): Promise<Recorded<T['state']>> {
  const { clock, rules, policy, random, store, events } = deps;
  const { attemptsMax, callMs } = policy;
  const since = clock.now();
  const held = waiters.hold(key);
  let recorded: Recorded<T['state']>;
  try {
    const stored = await store.write(async (tx) => {
      const elsewhere = mayRefuse(deps, ended.outcome) ? await listElsewhere(tx, key, since) : [];
      const facts = { rules, attemptsMax, callMs, now: clock.now(), random: random() };
      const undos = [...held.waiters, ...elsewhere];
      const { row, ...end } = await recordEnded(tx, kind, { ...ended, ...facts, planned, undos });
      for (const { id, version } of elsewhere) {
        const refused = end.recorded.undone.find((one) => one.version === version);
        if (refused) await answerErrand(tx, id, JSON.stringify(refused.problem));
      }
      const delivered = row && (await takeDelivered(tx, row, end.recorded));
      await also(tx);
      return { ...end, delivered };
    });
    recorded = stored.recorded;
    held.resume(recorded.undone);
    tellDelivered(deps, stored.delivered);
  } catch (error) {
    held.resume([]);
    throw error;
  }
  const problem = findRefusal(ended.outcome);
  if (planned.deleted) reportDeleted(events, key, { planned, recorded });
  if (problem || planned.mustLook) await reportStuck(deps, { key, code: problem?.code, since });
  if (recorded.finished || recorded.state.version === planned.version) return recorded;
  // Whoever has what they asked for does not wait for what was written meanwhile.
  await waiters.settleBy(key, () => readProgress(store.read, key));
  if (kind.gather === undefined) return recorded;
  return { ...recorded, state: await kind.gather(recorded.state) };
}

/** True when the service may have refused something that a request in another process waits for. */
function mayRefuse(
  { store }: Pick<ReconcileDeps, 'store'>,
  outcome: Outcome<KindTypes['known']>,
): boolean {
  if (store.engine === 'sqlite') return false;
  if (outcome.kind !== 'done') return outcome.kind === 'refused';
  // What was found may be another one's.
  const { upstreamId, ids, refusedLinks } = outcome.known;
  return upstreamId !== undefined || ids !== undefined || refusedLinks !== undefined;
}

async function listElsewhere(tx: Db, key: ResourceKey, now: number) {
  const waits = await lockWaits(tx, key, now);
  return waits.map(({ id, version, task }) => ({
    id,
    version: version ?? 0,
    undo: parseStored<Undo>(task),
  }));
}

/** Takes out the change that waits no more, and returns it where the service holds it now. */
async function takeDelivered(
  tx: Db,
  row: ResourceRow,
  recorded: Recorded<unknown>,
): Promise<AskedChange | undefined> {
  if (!recorded.finished) return undefined;
  const done = await takeDoneChange(tx, row, recorded);
  return recorded.undone.some(({ version }) => version === done?.version) ? undefined : done;
}

function tellDelivered(
  { store, clock, events }: Pick<ReconcileDeps, 'store' | 'clock' | 'events'>,
  delivered: AskedChange | undefined,
): void {
  if (delivered !== undefined) {
    const tookMs = Math.max(clock.now() - delivered.at, 0);
    events.changeHeld({ kind: delivered.kind, tookMs });
  }
  store.bell.ring('settled');
  if (delivered?.kind === 'leaver') store.bell.ring('left');
}

/** Finds the problem of a refusal or failure: of the whole, or of single members of a batch. */
function findRefusal(outcome: Outcome<KindTypes['known']>): Problem | undefined {
  if (outcome.kind === 'refused') return outcome.problem;
  if (outcome.kind !== 'done') return undefined;
  const { refusedLinks = [], failedLinks = [] } = outcome.known;
  return [...refusedLinks, ...failedLinks][0]?.problem;
}

/** Records the result of a step and its consequences. Finishes the run unless there is a next step. */
async function recordEnded<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  step: Step<T>,
): Promise<{ readonly row: T['row'] | undefined; readonly recorded: Recorded<T['state']> }> {
  const row = await kind.lock(tx, step.planned);
  const gone = { finished: true, ...GONE, undone: [], notified: [] } as const;
  if (row === undefined) return { row, recorded: gone };
  const recording = { ...step, original: row, reverted: [] };
  const recorded = await recordOutcome(tx, kind, row, recording);
  return { row, recorded: await kind.follow(tx, recording, recorded) };
}

/** Records each way in which a step can end. */
async function recordOutcome<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
): Promise<Recorded<T['state']>> {
  const { outcome, planned } = step;
  switch (outcome.kind) {
    case 'done': {
      // Whatever has the names that the resource had when its create left is not the resource.
      const isAnother = outcome.known.adopted && kind.isRenamed(row, planned);
      if (isAnother) return finishStep(tx, kind, withoutCreate(row, planned), step);
      return recordDone(tx, kind, row, step, outcome.known);
    }
    case 'refused':
      return recordRefused(tx, kind, withoutCreate(row, planned), step, outcome);
    case 'later':
      return recordPostponed(tx, kind, withoutCreate(row, planned), step, outcome);
    case 'unknown':
      return recordPostponed(tx, kind, row, step, outcome);
    default:
      return assertNever(outcome);
  }
}

async function recordDone<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  known: T['known'],
): Promise<Recorded<T['state']>> {
  const { planned } = step;
  if (known.missing) {
    const end = await kind.end(tx, row, step);
    if ('row' in end) return finishStep(tx, kind, end.row, step);
    return { finished: true, ...GONE, undone: end.undone, notified: [] };
  }
  if (isLostLook(row, planned) && !(await isItsOwn(tx, kind, { row, known }))) {
    return recordLostLook(tx, kind, row, step);
  }
  const linked = await kind.link(tx, row, known);
  if (linked.kind === 'later') return recordPostponed(tx, kind, row, step, linked);
  if (linked.kind === 'refused') {
    const { problem } = linked;
    const left = withoutCreate(row, planned);
    return recordRefused(tx, kind, left, step, { parts: [kind.existence], problem });
  }
  const done: T['row'] = { ...kind.toDoneRow(row, step, known), ...linked.columns };
  const { row: next, notified } = await kind.settle(tx, done, step, known);
  const { failedLinks = [], refusedLinks = [] } = known;
  const [failed] = failedLinks;
  if (failed) await countParts(tx, kind, next, step, { ...failed, parts: failedLinks });
  const [refused] = refusedLinks;
  if (refused) {
    return recordRefused(tx, kind, next, step, { ...refused, parts: refusedLinks });
  }
  return finishStep(tx, kind, next, step, { notified });
}

/** True when a look found what the lost create made, and nothing that was known before. */
async function isItsOwn<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  { row, known }: { readonly row: T['row']; readonly known: T['known'] },
): Promise<boolean> {
  const finding = kind.findHolder(tx, known);
  if (finding === undefined) return false;
  const holder = await finding;
  return holder === undefined || holder.id === row.id || holder.created_at >= row.created_at;
}

/** Records a look that did not find the lost create: it is looked for again, a bounded number of times. */
async function recordLostLook<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
): Promise<Recorded<T['state']>> {
  const { next, isLast } = toAfterLostLook(row, step.now);
  if (isLast) {
    const cells = JSON.stringify(onlyWaiting(parseCells(row), []));
    return finishStep(tx, kind, { ...next, cells }, step);
  }
  await kind.save(tx, step, next);
  const notified = row.deleted_at === null ? [] : await kind.leave(tx, row, step.now);
  return { finished: true, ...toProgress(next), undone: [], notified };
}

async function recordRefused<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  { parts: refused, problem }: { parts: readonly Part[]; problem: Problem },
): Promise<Recorded<T['state']>> {
  if (isLostLook(row, step.planned)) return recordLostLook(tx, kind, row, step);
  const parts = await listStillPlanned(tx, row, { planned: step.planned, parts: refused });
  if (parts.length === 0) return finishStep(tx, kind, keepLook(row, step), step);
  const refusal = await refuse(tx, kind, row, { step, parts, problem });
  const { undone } = refusal;
  if (!refusal.isNotCreated)
    return finishStep(tx, kind, keepLook(refusal.row, step), step, { undone });
  if (row.type === 'group') {
    step.reverted.push(...(await listLinkedUsers(tx, row)));
    await deleteAllLinks(tx, row);
  }
  if (row.sent_creates !== '[]') {
    return finishStep(tx, kind, hideNotCreated(row, step.now), step, { undone });
  }
  await deleteRow(tx, row);
  return { finished: true, ...GONE, undone, notified: [] };
}

/** Records a step that is tried again. The run goes on with other parts, or ends until it is time to try again. */
async function recordPostponed<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  outcome: Postponed<T>,
): Promise<Recorded<T['state']>> {
  if (outcome.kind === 'later' && outcome.noSeat)
    return recordSeatWait(tx, kind, row, step, outcome);
  const retried = toRetriedRow(row, outcome, step);
  const { row: changed, goesOn } = await countFailed(tx, kind, retried, step, outcome);
  await kind.save(tx, step, changed);
  if (goesOn || (outcome.kind === 'unknown' && outcome.lookNow)) {
    const state = kind.toPlannable(await kind.toState(tx, changed, step.now), step.now);
    return { finished: false, state, undone: [], notified: [] };
  }
  const { oldest } = await readLinks(tx, changed, step.now);
  const retryAt = changed.due_at ?? step.now;
  return { finished: true, ...toProgress(changed, oldest), retryAt, undone: [], notified: [] };
}

/** Records additions that wait for a free seat. What else waits for the user goes on, removals above all. */
async function recordSeatWait<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  { noSeat: parts = [], problem }: Extract<Postponed<T>, { kind: 'later' }>,
): Promise<Recorded<T['state']>> {
  const { planned, now } = step;
  const fields = listFields<T['field']>(await listStillPlanned(tx, row, { planned, parts }));
  const wait = { fields, problem, now, retryAt: now + SEAT_REST_MS };
  const cells = deferForSeat(parseCells<T['field']>(row), wait);
  const waiting = { ...row, ...toCellColumns(cells), ...toSuccessColumns(row) };
  return finishStep(tx, kind, { ...waiting, failing_since: null }, step);
}

/**
 * Counts an attempt at the failed parts: those of the call, or all that wait for a look that failed by its own fault. A
 * part that failed by its own fault waits by itself, and the run goes on with the others. While the service may be out,
 * the whole resource waits, and begins with the other parts.
 */
async function countFailed<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  outcome: Postponed<T>,
): Promise<{ readonly row: T['row']; readonly goesOn: boolean }> {
  const { isOwn, failures, attemptsMax, now } = step;
  const isLook = outcome.kind === 'later';
  const parts = isLook ? listAwaitingLook(step, outcome.failedLook) : (outcome.parts ?? []);
  const counted = await countParts(tx, kind, row, step, { parts, problem: outcome.problem });
  if (counted === undefined) return { row, goesOn: false };
  const { cells, times } = counted;
  if (isLook) {
    // No step follows that would find them exhausted.
    const { stuck } = await readExhausted(tx, row, step);
    const columns = toCellColumns(exhaust(cells, attemptsMax, now), stuck);
    return { row: { ...row, ...columns, due_at: Math.min(...times) }, goesOn: false };
  }
  const changed: T['row'] = { ...row, cells: JSON.stringify(cells) };
  if (!isOwn) return { row: changed, goesOn: false };
  const state = kind.toPlannable(await kind.toState(tx, changed, now), now);
  const isWaiting = listWaiting(state.cells).length + (state.links?.length ?? 0) > 0;
  if (isWaiting) return { row: changed, goesOn: failures <= GOING_ON_MAX };
  return { row: { ...changed, due_at: Math.min(row.due_at ?? now, ...times) }, goesOn: false };
}

function listAwaitingLook(
  { planned, isOwn }: Step<KindTypes>,
  failedLook: true | undefined,
): readonly Part[] {
  if (!failedLook || !isOwn) return [];
  return [...listWaiting(planned.cells), ...(planned.links ?? [])];
}

/**
 * Counts an attempt at each part that still is as planned. Returns the cells and the times of the next attempts (epoch
 * milliseconds); undefined when later writes have changed all parts.
 */
async function countParts<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  { planned, isOwn, attemptsMax, now, random }: Step<T>,
  { parts: failed, problem }: { readonly parts: readonly Part[]; readonly problem: Problem },
) {
  const parts = await listStillPlanned(tx, row, { planned, parts: failed });
  if (parts.length === 0) return undefined;
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const retryAt = isOwn ? now + failedDelayMs(attempts, attemptsMax, random) : now;
    times.push(retryAt);
    return retryAt;
  };
  const failing = { isOwn, toRetryAt };
  await changeNamed(tx, row, listLinkParts(parts), (link, part) =>
    failLink(link, { ...failing, attempts: part.attempts, problem: part.problem ?? problem }),
  );
  const fields = listFields<T['field']>(parts);
  const held = kind.toHeldNames(planned);
  const cells = fail(parseCells<T['field']>(row), { ...failing, fields, problem, held });
  return { cells, times };
}

/** Recorded refusal, or a look after which a change that failed again and again may be stuck. */
interface StuckStep {
  readonly key: ResourceKey;
  /** Code of the refusal; undefined when the step failed. */
  readonly code: string | undefined;
  /** Beginning of recording, epoch milliseconds. */
  readonly since: number;
}

/** Reports once that a user or group became stuck; later refusals of the same are not reported. */
async function reportStuck(
  { store, events }: Pick<ReconcileDeps, 'store' | 'events'>,
  { key, code, since }: StuckStep,
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
  const wasOpen = listWaiting(planned.cells).length + (planned.links?.length ?? 0) > 0;
  if (!wasOpen || !recorded.finished || recorded.undone.length > 0) return;
  if (recorded.oldestPending === undefined) events.deletionFinished({ type, id });
}
