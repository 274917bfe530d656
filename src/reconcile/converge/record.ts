import { isDeepStrictEqual } from 'node:util';
import {
  askAgain,
  forgetSent,
  listSent,
  listWaiting,
  onlyWaiting,
  sendAgain,
} from '../../domain/cell.ts';
import { isEntityField } from '../../domain/entity.ts';
import { deferForSeat, endRest, exhaust, fail } from '../../domain/failure.ts';
import { listGroupDifferences } from '../../domain/group.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import { endDoubt, failLink } from '../../domain/link.ts';
import { normaliseName } from '../../domain/name.ts';
import { listUserDifferences, toSentUser } from '../../domain/user.ts';
import { type Field, listFields, listLinks, type Part } from '../../plan/step.ts';
import { type AskedChange, takeDoneChange } from '../../store/changes.ts';
import { parseCells, parseStored, toCellColumns } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import {
  changeLinks,
  changeNamed,
  deleteAllLinks,
  hasLink,
  listLinkedUsers,
} from '../../store/links/links.ts';
import { findGroupByUpstream, findUserByUpstreamId } from '../../store/resources/by-upstream.ts';
import { deleteRow, findRow, lockRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { Events } from '../../telemetry/events.ts';
import type { WritesRefused } from '../../upstream/transport.ts';
import { backoffMs, failedDelayMs } from '../backoff.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Known, Outcome, Postponed, Problem } from '../outcome.ts';
import { GONE, readProgress, toProgress } from '../progress.ts';
import type { Waiters } from '../waiters.ts';
import { endGroup, followGroupStep, gather, linkGroup, toDoneGroup } from './record-group.ts';
import { endUser, followUserStep, linkAccount, lockUser, toDoneUser } from './record-user.ts';
import {
  finish,
  leave,
  type Recorded,
  type Recording,
  readExhausted,
  readSummary,
  save,
  toSuccessColumns,
} from './recording.ts';
import { hideNotCreated, listStillPlanned, refuse } from './refuse.ts';
import type { SendGuard } from './send-guard.ts';
import { hasWork, type PlannedStep, planStep, readLinks } from './step.ts';

/** Failures after which a run stops trying other parts; each costs a look. */
const GOING_ON_MAX = 5;
/** Rest of an addition that waits for a free seat, in milliseconds; mostly it is tried before. */
const SEAT_REST_MS = 24 * 3_600_000;

/** End of a step. */
interface EndedStep extends Pick<Recording, 'outcome' | 'isOwn' | 'failures'> {
  readonly key: ResourceKey;
  readonly waiters: Waiters;
  readonly guard: SendGuard;
}

/** Records a step of a user or group in one transaction, and reports what became of it. */
export async function recordStep(
  deps: ReconcileDeps,
  { key, waiters, guard, ...ended }: EndedStep,
): Promise<Recorded> {
  const { clock, random, store, events } = deps;
  const step = guard.planned;
  const since = clock.now();
  const held = waiters.hold(key);
  let recorded: Recorded;
  try {
    const stored = await store.write(async (tx) => {
      const elsewhere = mayRefuse(deps, ended.outcome) ? await listElsewhere(tx, key, since) : [];
      await guard.saveOutcomes(tx);
      const original = step.type === 'user' ? await lockUser(tx, step) : await lockRow(tx, key);
      if (original === undefined) return { recorded: { ...GONE, undone: [], notified: [] } };
      const recording: Recording = {
        ...ended,
        deps,
        step,
        original,
        waiters: [...held.waiters, ...elsewhere],
        isStale: guard.isStale(original),
        isRetried: guard.isRetried(original),
        reverted: [],
        now: clock.now(),
        random: random(),
      };
      const row = await guard.restore(tx, original, ended.outcome);
      const begun: ResourceRow = { ...row, steps: original.steps + 1 };
      const result = await recordOutcome(tx, recording, begun);
      const follow = original.type === 'user' ? followUserStep : followGroupStep;
      const end = await follow(tx, recording, result);
      for (const { id, version } of elsewhere) {
        const refused = end.undone.find((one) => one.version === version);
        if (refused === undefined) continue;
        const answer = JSON.stringify(refused.problem);
        await updateWhere(tx, 'errands', { id }, { answer });
      }
      return { recorded: end, delivered: await takeDelivered(tx, original, end) };
    });
    recorded = stored.recorded;
    held.resume(recorded.undone);
    tellDelivered(deps, stored.delivered);
  } catch (error) {
    held.resume([]);
    throw error;
  }
  const problem = ended.outcome.kind === 'refused' ? ended.outcome.problem : undefined;
  if (step.state.deleted) reportDeleted(events, step, recorded);
  if (problem || step.state.mustLook) await reportStuck(deps, { key, code: problem?.code, since });
  const { next } = recorded;
  if (next === undefined || next.state.version === step.state.version) return recorded;
  // Whoever has what they asked for does not wait for what was written meanwhile.
  await waiters.settleBy(key, () => readProgress(store.read, key));
  return { ...recorded, next: await gather(deps, next) };
}

/** True when the service may have refused something that a request in another process waits for. */
function mayRefuse({ store }: Pick<ReconcileDeps, 'store'>, outcome: Outcome): boolean {
  if (store.engine === 'sqlite') return false;
  if (outcome.kind !== 'done') return outcome.kind === 'refused';
  // What was found may be another one's.
  const { upstreamId, ids } = outcome.known;
  return upstreamId !== undefined || ids !== undefined;
}

async function listElsewhere(tx: Db, key: ResourceKey, now: number) {
  const which = { resource_id: key.id, answer: null, until: { '>': storeNow(tx, now) } };
  const waits = await listWhere(tx, 'errands', which, { order: 'version', lock: true });
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
  recorded: Recorded,
): Promise<AskedChange | undefined> {
  if (recorded.next !== undefined) return undefined;
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

/** Records each way in which a step can end. */
async function recordOutcome(tx: Db, recording: Recording, row: ResourceRow): Promise<Recorded> {
  const { outcome } = recording;
  if (outcome.kind === 'done') return recordDone(tx, recording, row, outcome.known);
  if (outcome.kind === 'refused') return recordRefused(tx, recording, row, outcome);
  return recordPostponed(tx, recording, row, outcome);
}

async function recordDone(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  known: Known,
): Promise<Recorded> {
  const { step } = recording;
  const without = { ...row, sent_creates: step.row.sent_creates };
  // Whatever has the names that the resource had when its create left is not the resource.
  if (known.adopted && isRenamed(row, step)) return finish(tx, recording, without);
  if (known.missing) return recordMissing(tx, recording, row);
  if (isLostLook(row, step) && !(await isItsOwn(tx, row, known)))
    return recordLostLook(tx, recording, row);
  const linked =
    row.type === 'user'
      ? await linkAccount(tx, row, known, recording.now)
      : await linkGroup(tx, row, known);
  if (linked.kind === 'later') return recordPostponed(tx, recording, row, linked);
  if (linked.kind === 'refused') {
    const parts = [row.type === 'user' ? ('account' as const) : ('existence' as const)];
    return recordRefused(tx, recording, without, { parts, problem: linked.problem });
  }
  const { row: done, notified } = await toDone(tx, recording, row, known);
  const next = await withoutDoubt(tx, recording, { ...done, ...linked.columns });
  return finish(tx, recording, next, { notified });
}

async function recordMissing(tx: Db, recording: Recording, row: ResourceRow): Promise<Recorded> {
  const end =
    row.type === 'user' ? await endUser(tx, recording, row) : await endGroup(tx, recording, row);
  if ('undone' in end) return { ...GONE, undone: end.undone, notified: [] };
  return finish(tx, recording, await withoutDoubt(tx, recording, end.row));
}

/** True when the resource has other names than those with which the step was planned. */
function isRenamed(row: ResourceRow, step: PlannedStep): boolean {
  if (row.type === 'group' || step.type === 'group') return row.name !== step.row.name;
  return !isDeepStrictEqual(toSentUser(toUserState(row).desired), toSentUser(step.state.desired));
}

/** The row after a step that worked, beside its link, and who is due now. */
async function toDone(tx: Db, recording: Recording, row: ResourceRow, known: Known) {
  const { row: done, notified } =
    row.type === 'user'
      ? await toDoneUser(tx, recording, row, known)
      : { row: await toDoneGroup(tx, recording, row, known), notified: [] };
  const isLook = recording.step.state.mustLook;
  const cells = parseCells<Field>(done);
  const { must_look, ...success } = toSuccessColumns(row, recording);
  // A user who was given the account of a deleted one is looked at again.
  const look = { must_look: done.must_look > row.must_look ? done.must_look : must_look };
  // The success of a look says nothing of what failed before. It is an observation, so that what was refused is tried again.
  const next: ResourceRow = isLook
    ? { ...done, ...look, cells: JSON.stringify(endRest(cells, recording.now, 'refused')) }
    : { ...done, ...look, ...success };
  return { row: next, notified };
}

/**
 * The row once a look has shown what lost calls did, and they cannot take effect any more: what they changed since it was
 * written waits to be put right.
 */
async function withoutDoubt(
  tx: Db,
  { step, deps }: Recording,
  row: ResourceRow,
): Promise<ResourceRow> {
  const isOver = row.unsure_until !== null && step.at >= row.unsure_until && step.state.mustLook;
  if (!isOver) return row;
  const over = { unsure_until: null, sent_creates: '[]' };
  const cells = parseCells<Field>(row);
  const sent = listSent(cells);
  if (row.type === 'user') {
    const { observed, desired } = toUserState(row);
    const { deactivation } = deps.policy;
    const differing: Field[] = observed
      ? listUserDifferences(desired, observed, cells, deactivation)
      : [];
    const unseen = deactivation === 'scim' ? UNSEEN : [...UNSEEN, 'active' as const];
    const seen = sent.filter((field) => differing.includes(field));
    const asked = askAgain(forgetSent(cells, sent), seen, row.version);
    const hidden = sent.filter((field) => unseen.includes(field));
    return { ...row, ...over, cells: JSON.stringify(sendAgain(asked, hidden, row.version)) };
  }
  if (await hasLink(tx, row, 'sent')) {
    await changeLinks(tx, row, {}, (link) =>
      link.sent === null ? link : endDoubt(link, row.version),
    );
  }
  const { observed, desired } = toGroupState(row);
  const differing: Field[] = observed ? listGroupDifferences(desired, observed, cells) : [];
  const entities = sent.filter(isEntityField);
  const asked = [...sent.filter((field) => differing.includes(field)), ...entities];
  return {
    ...row,
    ...over,
    entities: entities.length > 0 ? null : row.entities,
    cells: JSON.stringify(askAgain(forgetSent(cells, sent), asked, row.version)),
  };
}

/** Fields of a user that no look shows. */
const UNSEEN: readonly Field[] = ['appsPermissions', 'temporarilyInactive'];

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
function isLostLook(row: ResourceRow, { state }: PlannedStep): boolean {
  if (row.sent_creates === '[]' || isLinked(row) || !state.mustLook) return false;
  const isUnwanted = row.deleted_at !== null || (row.type === 'user' && row.active === 0);
  return isUnwanted || !isExistenceOf(row);
}

/** True when the account of a user, or the group itself, waits. */
function isExistenceOf(row: ResourceRow): boolean {
  const { account, existence } = parseCells<'account' | 'existence'>(row);
  return (account?.pending ?? existence?.pending) !== undefined;
}

/** True when a look found what the lost create made, and nothing that was known before. */
async function isItsOwn(tx: Db, row: ResourceRow, { upstreamId, ids }: Known): Promise<boolean> {
  if (upstreamId === undefined && ids === undefined) return false;
  const holder: ResourceRow | undefined =
    upstreamId === undefined
      ? await findGroupByUpstream(tx, ids ?? {})
      : await findUserByUpstreamId(tx, upstreamId);
  return holder === undefined || holder.id === row.id || holder.created_at >= row.created_at;
}

/** Records a look that did not find the lost create: it is looked for once more when it cannot arrive any more. */
async function recordLostLook(tx: Db, recording: Recording, row: ResourceRow): Promise<Recorded> {
  const { step, now } = recording;
  const next = { ...row, ...toSuccessColumns(row, recording), failing_since: null };
  if (row.unsure_until === null || step.at >= row.unsure_until) {
    const cells = JSON.stringify(onlyWaiting(parseCells(row), []));
    return finish(tx, recording, { ...next, cells, sent_creates: '[]' });
  }
  await save(tx, recording, { ...next, due_at: row.unsure_until });
  const notified = row.deleted_at === null ? [] : await leave(tx, row, now);
  return { ...toProgress(next), undone: [], notified };
}

async function recordRefused(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  { parts: refused, problem }: { readonly parts: readonly Part[]; readonly problem: Problem },
): Promise<Recorded> {
  if (isLostLook(row, recording.step)) return recordLostLook(tx, recording, row);
  const parts = await listStillPlanned(tx, recording, row, refused);
  if (parts.length === 0) return finish(tx, recording, keepLook(recording, row));
  const refusal = await refuse(tx, recording, row, { parts, problem });
  const { undone } = refusal;
  if (!refusal.isNotCreated) {
    return finish(tx, recording, keepLook(recording, refusal.row), { undone });
  }
  if (row.type === 'group') {
    recording.reverted.push(...(await listLinkedUsers(tx, row)));
    await deleteAllLinks(tx, row);
  }
  if (row.sent_creates !== '[]') {
    return finish(tx, recording, hideNotCreated(row, recording.now), { undone });
  }
  await deleteRow(tx, row);
  return { ...GONE, undone, notified: [] };
}

/** Keeps a refused look planned, unless nothing waits for the resource itself any more. */
function keepLook({ step, isStale }: Recording, row: ResourceRow): ResourceRow {
  const isNeeded = !step.state.mustLook || isExistenceOf(row) || isStale;
  return isNeeded ? row : { ...row, must_look: 0 };
}

/** Records a step that is tried again. The run goes on with other parts, or ends until it is time to try again. */
async function recordPostponed(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  outcome: Postponed,
): Promise<Recorded> {
  const { deps, now } = recording;
  if (outcome.kind === 'later' && outcome.noSeat) {
    return recordSeatWait(tx, recording, row, { ...outcome, parts: outcome.noSeat });
  }
  const retried = toRetried(recording, row, outcome);
  const { row: changed, goesOn } = await countFailed(tx, recording, retried, outcome);
  await save(tx, recording, changed);
  const { oldest } = await readSummary(tx, changed, now);
  const end = { ...toProgress(changed, oldest), undone: [], notified: [] };
  if (goesOn || (outcome.kind === 'unknown' && outcome.lookNow)) {
    const links = await readLinks(tx, deps, changed);
    return { ...end, next: planStep(deps, { row: changed, links }) };
  }
  return { ...end, retryAt: changed.due_at ?? now };
}

/** Codes of calls that were held back: that is no failure. */
const HELD_BACK: ReadonlySet<string> = new Set<WritesRefused | 'closed'>([
  ...(['observe-mode', 'writes-paused', 'closed'] as const),
]);

/** The row after a postponed step: the next attempt, its reason, and the look before it. */
function toRetried(
  { isRetried, now, random }: Recording,
  row: ResourceRow,
  outcome: Postponed,
): ResourceRow {
  const { problem } = outcome;
  // It is not taken before changes are sent again.
  if (HELD_BACK.has(problem.code)) {
    return { ...row, due_at: now, due_class: row.due_class === 2 ? 1 : row.due_class };
  }
  const attempts = row.attempts + 1;
  const retryAfterMs = outcome.kind === 'later' ? outcome.retryAfterMs : undefined;
  const isNow = isRetried || (outcome.kind === 'unknown' && outcome.lookNow === true);
  return {
    ...row,
    attempts,
    failing_since: row.failing_since ?? now,
    must_look: outcome.kind === 'unknown' ? Math.max(row.must_look, 1) : row.must_look,
    // The reason why it is stuck is shown until it is not: a pause of the service comes and goes.
    last_error: (row.stuck_at === null ? null : row.last_error) ?? JSON.stringify(problem),
    due_at: now + (isNow ? 0 : backoffMs(attempts, retryAfterMs, random)),
  };
}

/** Records additions that wait for a free seat. What else waits for the user goes on, removals above all. */
async function recordSeatWait(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  { parts, problem }: { readonly parts: readonly Part[]; readonly problem: Problem },
): Promise<Recorded> {
  const { now } = recording;
  const fields = listFields(await listStillPlanned(tx, recording, row, parts));
  const wait = { fields, problem, now, retryAt: now + SEAT_REST_MS };
  const cells = deferForSeat(parseCells<Field>(row), wait);
  const waiting = { ...row, ...toCellColumns(cells), ...toSuccessColumns(row, recording) };
  return finish(tx, recording, { ...waiting, failing_since: null });
}

/**
 * Counts an attempt at the failed parts: those of the call, or all that wait for a look that failed by its own fault. A
 * part that failed by its own fault waits by itself, and the run goes on with the others. While the service may be out,
 * the whole resource waits, and begins with the other parts.
 */
async function countFailed(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  outcome: Postponed,
): Promise<{ readonly row: ResourceRow; readonly goesOn: boolean }> {
  const { deps, isOwn, failures, now } = recording;
  const isLook = outcome.kind === 'later';
  const parts = isLook ? listAwaitingLook(recording, outcome.failedLook) : (outcome.parts ?? []);
  const counted = await countParts(tx, recording, row, { parts, problem: outcome.problem });
  if (counted === undefined) return { row, goesOn: false };
  const { cells, times } = counted;
  if (isLook) {
    // No step follows that would find them exhausted.
    const { stuck } = await readExhausted(tx, recording, row);
    const columns = toCellColumns(exhaust(cells, deps.policy.attemptsMax, now), stuck);
    return { row: { ...row, ...columns, due_at: Math.min(...times) }, goesOn: false };
  }
  const changed: ResourceRow = { ...row, cells: JSON.stringify(cells) };
  if (!isOwn) return { row: changed, goesOn: false };
  const links = await readLinks(tx, deps, changed);
  if (hasWork(planStep(deps, { row: changed, links })))
    return { row: changed, goesOn: failures <= GOING_ON_MAX };
  return { row: { ...changed, due_at: Math.min(row.due_at ?? now, ...times) }, goesOn: false };
}

function listAwaitingLook(
  { step: { state }, isOwn }: Recording,
  failedLook: true | undefined,
): readonly Part[] {
  if (!failedLook || !isOwn) return [];
  return [...listWaiting<Field>(state.cells), ...('links' in state ? state.links : [])];
}

/**
 * Counts an attempt at each part that still is as planned. Returns the cells and the times of the next attempts (epoch
 * milliseconds); undefined when later writes have changed all parts.
 */
async function countParts(
  tx: Db,
  recording: Recording,
  row: ResourceRow,
  { parts: failed, problem }: { readonly parts: readonly Part[]; readonly problem: Problem },
) {
  const { deps, step, isOwn, isRetried, now, random } = recording;
  const parts = await listStillPlanned(tx, recording, row, failed);
  if (parts.length === 0) return undefined;
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const delayMs =
      isOwn && !isRetried ? failedDelayMs(attempts, deps.policy.attemptsMax, random) : 0;
    times.push(now + delayMs);
    return now + delayMs;
  };
  const failing = { isOwn, toRetryAt };
  if (row.type === 'group') {
    await changeNamed(tx, row, listLinks(parts), (link, { attempts }) =>
      failLink(link, { ...failing, attempts, problem }),
    );
  }
  const failure = { ...failing, fields: listFields(parts), problem, held: toHeldNames(step) };
  return { cells: fail(parseCells<Field>(row), failure), times };
}

/** Names that the service held when the step was planned, where they tell whether it made a change. */
function toHeldNames(step: PlannedStep): { readonly [F in Field]?: string } {
  if (step.state.observed === undefined) return {};
  return step.type === 'user'
    ? { name: normaliseName(step.state.observed?.fullName ?? '') }
    : { displayName: normaliseName(step.state.observed?.displayName ?? '') };
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
function reportDeleted(events: Events, step: PlannedStep, recorded: Recorded): void {
  if (!hasWork(step) || recorded.next !== undefined || recorded.undone.length > 0) return;
  const { type, id } = step.row;
  if (recorded.oldestPending === undefined) events.deletionFinished({ type, id });
}
