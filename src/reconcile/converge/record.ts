import { endRest } from '../../domain/failure.ts';
import type { GivenKey, Refusal } from '../../domain/values.ts';
import type { Part } from '../../plan/step.ts';
import { GONE } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import { isUnsure } from '../../store/engine/store-error.ts';
import { deleteAllLinks, listLinkedUsers } from '../../store/links/links.ts';
import { lockGroupsOf } from '../../store/links/of-users.ts';
import { listCreations } from '../../store/logs.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { deleteRow, lockRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Again, Known, Outcome } from '../outcome.ts';
import { BLIND } from '../sections.ts';
import { listWaitingParts } from '../step-call.ts';
import type { Waiter, Waiters } from '../waiters.ts';
import { applyKnown, endDoubts, followStep } from './apply.ts';
import { endMissing, isLostLook, linkRow } from './existence.ts';
import type { Recorded, Recording } from './finish.ts';
import { changeCells, finish, recordPostponed, succeed } from './finish.ts';
import { markDeleted, refuse } from './refuse.ts';
import type { SendGuard } from './step.ts';
import { EXISTENCE, listStillPlanned } from './step.ts';

interface EndedStep extends Pick<Recording, 'outcome' | 'isOwn' | 'failures'> {
  readonly guard: SendGuard;
}

/** Records a step of a user or group in one transaction, and answers the requests that it ends, once that is surely stored. */
export async function recordStep(
  deps: ReconcileDeps,
  waiters: Waiters,
  ended: EndedStep,
): Promise<Recorded> {
  const { row } = ended.guard.planned;
  const suspended = waiters.suspend(row);
  let r: Recording | undefined;
  const work = async (tx: Db) => {
    r = await begin(tx, deps, ended, suspended.waiters);
    return r === undefined ? GONE : record(r);
  };
  const recorded = await deps.store.write(work).catch((error: unknown) => {
    suspended.resume(isUnsure(error) ? r?.undone : [], error);
    throw error;
  });
  suspended.resume(r?.undone);
  deps.store.bell.ring('recorded');
  if (r !== undefined) report(r, recorded);
  waiters.answer(row, recorded);
  return recorded;
}

/** The recording of a step under the locks of all that it may change; undefined: the resource is gone. */
async function begin(
  tx: Db,
  deps: ReconcileDeps,
  { guard, ...ended }: EndedStep,
  waiting: readonly Waiter[],
): Promise<Recording | undefined> {
  const { outcome } = ended;
  const { planned: step } = guard;
  const now = deps.clock.now();
  const elsewhere = mayRefuse(deps, outcome) ? await listElsewhere(tx, step.row, now) : [];
  await guard.saveOutcomes(tx);
  // Groups that the step may change are locked before the user.
  if (step.row.type === 'user')
    await lockGroupsOf(tx, step.row.id, step.state.deleted ? 'all' : 'waiting');
  const original: ResourceRow | undefined = await lockRow(tx, step.row);
  if (original === undefined) return undefined;
  return {
    ...ended,
    tx,
    deps,
    step,
    original,
    row: await guard.restore(tx, original, outcome),
    waiters: [...waiting, ...elsewhere],
    isStale: guard.isStale(original),
    isRetried: original.due_at !== step.row.due_at,
    undone: [],
    reverted: [],
    notifies: false,
    now,
    random: deps.random(),
  };
}

async function record(r: Recording): Promise<Recorded> {
  const { outcome } = r;
  const recorded = await recordOutcome(r, outcome);
  await followStep(r);
  for (const { waitId: id, version } of r.waiters) {
    const problem = id && r.undone.find((one) => one.version === version)?.problem;
    if (problem) await updateWhere(r.tx, 'errands', { id }, { answer: JSON.stringify(problem) });
  }
  return recorded;
}

function recordOutcome(r: Recording, outcome: Outcome | Again): Promise<Recorded> {
  switch (outcome.kind) {
    case 'done':
      return recordDone(r, outcome.known);
    case 'refused':
      return recordRefused(r, outcome.parts, outcome.problem);
    case 'again':
      return finish(r);
    default:
      return recordPostponed(r, outcome);
  }
}

/** True when the service may have refused something that a request in another process waits for. */
function mayRefuse({ store }: Pick<ReconcileDeps, 'store'>, outcome: Outcome | Again): boolean {
  if (store.engine === 'sqlite') return false;
  // What was found may be another one's.
  return outcome.kind === 'done' ? outcome.known.ids !== undefined : outcome.kind === 'refused';
}

async function listElsewhere(tx: Db, key: GivenKey, now: number): Promise<Waiter[]> {
  const which = { resource_id: key.id, answer: null, until: { '>': storeNow(tx, now) } };
  const waits = await listWhere(tx, 'errands', which, { order: 'version', lock: true });
  return waits.map(({ id: waitId, version, task }) => ({
    waitId,
    version: version ?? 0,
    undo: parseStored<Undo>(task),
  }));
}

/** Reports a change that the service holds now, a resource that became stuck, and the end of a deletion. */
function report(r: Recording, { next, oldestPending }: Recorded): void {
  const { deps, step, outcome, delivered, original, row } = r;
  const { store, clock, events } = deps;
  const { type, id } = original;
  if (delivered !== undefined) {
    const tookMs = Math.max(clock.now() - delivered.at, 0);
    events.changeHeld({ kind: delivered.kind, tookMs });
  }
  if (delivered?.kind === 'leaver') store.bell.ring('left');
  if (r.notifies) store.bell.ring('due');
  const isEnd = next === undefined && oldestPending === undefined && r.undone.length === 0;
  const isDeletion = step.state.deleted && listWaitingParts(step.state).length > 0;
  if (isDeletion && isEnd) events.deletionFinished({ type, id });
  if (row.stuck_at === null || original.stuck_at !== null) return;
  const problem = outcome.kind === 'refused' ? outcome.problem : row.last_error;
  const code = problem?.code ?? 'unknown';
  events.stuck({ type, id, code });
}

async function recordDone(r: Recording, shown: Known): Promise<Recorded> {
  const { row, step } = r;
  const existence = EXISTENCE[row.type];
  const isUnmade = shown.ids === undefined && isLostLook(r);
  const known: Known = isUnmade ? { done: [existence] } : shown;
  const without = { ...row, sent_creates: step.row.sent_creates };
  if (known.adopted && row.version !== step.state.version) {
    // Whatever has the names that the resource had when its create left may not be the resource.
    r.row = without;
    return finish(r);
  }
  if (known.missing) return recordMissing(r);
  const { columns, obstacle } = await linkRow(r, known);
  if (obstacle?.kind === 'later') return recordPostponed(r, obstacle);
  if (obstacle !== undefined) {
    r.row = without;
    return recordRefused(r, [existence], obstacle.problem);
  }
  succeed(r);
  await applyKnown(r, known);
  // A look is an observation, so that what was refused is tried again.
  if (step.state.mustLook) changeCells(r, (cells) => endRest(cells, r.now, 'refused'));
  r.row = { ...r.row, ...columns };
  await endDoubts(r);
  return finish(r);
}

/** Time in which what was made twice is not made a third time, in milliseconds: the service may show it late. */
const SHOWN_MS = 5 * 60_000;

async function recordMissing(r: Recording): Promise<Recorded> {
  const made = await listCreations(r.tx, { ids: [r.row.id], from: r.now - SHOWN_MS });
  if (made.length > 1) return recordPostponed(r, { kind: 'unknown', problem: BLIND });
  succeed(r);
  if (!(await endMissing(r))) return GONE;
  await endDoubts(r);
  return finish(r);
}

async function recordRefused(
  r: Recording,
  refused: readonly Part[],
  problem: Refusal,
): Promise<Recorded> {
  if (isLostLook(r)) return recordDone(r, {});
  const parts = await listStillPlanned(r, refused);
  const isCreated = parts.length === 0 || (await refuse(r, parts, problem));
  const { tx, row, step, now } = r;
  if (isCreated) {
    // A refused look stays planned, unless nothing waits for the resource itself any more.
    const isAsked = row.cells[EXISTENCE[row.type]]?.pending !== undefined;
    const isNeeded = !step.state.mustLook || isAsked || r.isStale;
    if (!isNeeded) r.row = { ...row, must_look: 0 };
    return finish(r);
  }
  if (row.type === 'group') {
    r.reverted.push(...(await listLinkedUsers(tx, row)));
    await deleteAllLinks(tx, row);
  }
  if (row.sent_creates.length === 0) {
    await deleteRow(tx, row, now);
    return GONE;
  }
  // It is hidden, because a lost create may still arrive.
  r.row = markDeleted({ ...row, must_look: row.must_look + 1 }, now);
  return finish(r);
}
