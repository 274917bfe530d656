import type { Cells, Fact } from '../../domain/cell.ts';
import { done, edit, isWaiting, listWaiting } from '../../domain/cell.ts';
import { endEntities, hasEntityPutIn } from '../../domain/entity.ts';
import { countAttempts, defer, findNextRetryAt, findProblem } from '../../domain/failure.ts';
import { isLinked, isWorking } from '../../domain/kinds.ts';
import type { LinkKey } from '../../domain/link.ts';
import { disownLink, releaseLink, revertLink, toLinkText } from '../../domain/link.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import type { Refusal, UserId } from '../../domain/values.ts';
import { removesAccess, takeBackWrite, toCellsAfterDeletion } from '../../domain/write.ts';
import type { Field, Part } from '../../plan/step.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import { isRuled, toRuled } from '../../rules/fields.ts';
import { findGraceEnd } from '../../store/credentials.ts';
import type { AskedChange, Progress } from '../../store/due.ts';
import { toProgress } from '../../store/due.ts';
import { isSameJson, toCellColumns, toColumns } from '../../store/engine/columns.ts';
import type { WaitingSummary } from '../../store/links/links.ts';
import {
  changeLinks,
  changeNamed,
  deleteAllLinks,
  hasLink,
  listLinkedUsers,
  readWaiting,
} from '../../store/links/links.ts';
import { leaveGroups } from '../../store/links/of-users.ts';
import { retryNextForSeat } from '../../store/resources/backlog.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { saveRow, updateRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import { toState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toDueColumns, toUnmanaged } from '../differences.ts';
import type { Again, Outcome } from '../outcome.ts';
import { stuckDelayMs } from '../outcome.ts';
import type { Undone, Waiter } from '../waiters.ts';
import type { PlannedStep } from './step.ts';
import { EXISTENCE, followLeaver, listDone, planStep, readLinks, withoutDoubt } from './step.ts';

/** A step that ended, while its transaction records it. */
export interface Recording {
  readonly tx: Db;
  readonly deps: ReconcileDeps;
  readonly step: PlannedStep;
  readonly outcome: Outcome | Again;
  /** False if the failure may be an outage of the service. */
  readonly isOwn: boolean;
  /** Number of steps of this run that have failed. */
  readonly failures: number;
  /** Writes that are not answered yet; refused ones are undone. */
  readonly waiters: readonly Waiter[];
  readonly original: ResourceRow;
  row: ResourceRow;
  /** True when another look was asked for since the plan: what the step has shown may be over. */
  readonly isStale: boolean;
  /** True when an attempt was asked for meanwhile: the next one does not wait. */
  readonly isRetried: boolean;
  readonly undone: Undone[];
  /** Change of a provider that the service holds now. */
  delivered?: AskedChange;
  /** Users whose changes in a group were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
  /** True when others are due now. */
  notifies: boolean;
  readonly now: number;
  readonly random: number;
}

/** End of a run, or its next step. */
export interface Recorded extends Progress {
  /** The next step of the same run; absent: the run is over. */
  readonly next?: PlannedStep;
  /** Time of the next attempt of a run that is over (epoch milliseconds); null: nothing is to be done. */
  readonly retryAt?: number | null;
}

/**
 * Plans again from the new state: ends the waiting of what holds, and the run unless there is a next step.
 * @param goesOn false where the run pauses before that step, until the time that the row has
 */
export async function finish(
  r: Recording,
  goesOn: (next: PlannedStep) => boolean = () => true,
): Promise<Recorded> {
  const { tx, deps, now } = r;
  // The time of a doubt may have passed during a call that was answered after all.
  const row = await withoutDoubt(tx, r.row);
  const waitingLinks = await readLinks(tx, deps, row);
  // A deferred change may hold by now, and then nothing else waits for it.
  const open = done(row.cells, row.cells, listDone(deps, row, waitingLinks));
  const cells = endEntities(open, row.entities ?? undefined);
  // A next step is due now. Another time in the store, once that has ended, shows that an attempt was asked for.
  const left = await withoutDoubt(tx, { ...row, cells, due_at: now });
  const step = await planStep(tx, deps, { row: left, links: waitingLinks });
  const isPaused = !goesOn(step);
  const isOver = isPaused || step.action === undefined;
  const links = row.type === 'user' ? undefined : await readWaiting(tx, row, now);
  r.row = { ...left, ...toCellColumns(cells, links?.stuckSince) };
  if (isPaused) r.row = { ...r.row, due_at: row.due_at };
  else {
    const times = [findNextRetryAt(cells, now), links?.nextRetryAt, left.unsure_until];
    const after: ResourceRow = {
      ...r.row,
      ...toFailureColumns(r, cells, links),
      due_class: links?.desired === 0 || removesAccess(step.state) ? 0 : 1,
      due_at: isOver ? findNext(times, now) : now,
    };
    const isLookRefused = r.outcome.kind === 'refused' && r.step.state.mustLook;
    r.row = followLeaver(after, isLookRefused, now);
  }
  const progress = toProgress(r.row, links?.oldest);
  if (isOver) takeDelivered(r, progress);
  await save(r);
  if (!isOver) return { ...progress, next: step };
  if (!isPaused) await leave(r);
  return { ...progress, retryAt: r.row.due_at };
}

/** The first of these times after `now`; null: there is none. */
function findNext(times: readonly (number | null | undefined)[], now: number): number | null {
  const next = Math.min(...times.flatMap((at) => (at != null && at > now ? at : [])));
  return Number.isFinite(next) ? next : null;
}

/** Takes the remembered change of a provider out of the row once it waits no more. */
function takeDelivered(r: Recording, { oldestPending }: Progress): void {
  const { row } = r;
  const { asked_kind: kind, asked_at: at, asked_version: version } = row;
  if (kind === null || at === null || version === null) return;
  const isAccess = kind === 'leaver' || kind === 'joiner';
  // Access counts although another part of the request waits.
  if (isAccess ? isAccessOpen(row, kind) : version >= (oldestPending ?? Infinity)) return;
  if (!r.undone.some((one) => one.version === version)) r.delivered = { kind, at, version };
  r.row =
    isAccess || oldestPending === undefined
      ? { ...row, asked_kind: null }
      : { ...row, asked_at: row.modified_at, asked_version: oldestPending };
}

/** True while a change of access waits, or somebody who is to be out was last seen to work, whatever keeps the change back. */
function isAccessOpen(row: ResourceRow, kind: 'leaver' | 'joiner'): boolean {
  if (row.type === 'group') return false;
  const { cells, observed, origin, active, deleted_at } = row;
  if (isWaiting(cells.active) || isWaiting(cells.account)) return true;
  const isToBeOut = kind === 'leaver' && origin !== null && (active === 0 || deleted_at !== null);
  return isToBeOut && observed?.active === true && observed.temporarilyInactive !== true;
}

/** Columns of the trouble of what waits, with its own reason: failing changes have failed for some time. */
function toFailureColumns(
  { row, now }: Recording,
  cells: Cells<Field>,
  links: WaitingSummary | undefined,
) {
  if (listWaiting(cells).length === 0 && links?.oldest == null)
    return { attempts: 0, failing_since: null, last_error: null };
  const attempts = Math.max(row.attempts, countAttempts(cells), links?.attempts ?? 0);
  const own = findProblem(cells);
  const problem = (links?.stuckSince == null && own) || links?.failure?.problem;
  return {
    attempts,
    failing_since: attempts === 0 ? null : (row.failing_since ?? now),
    last_error: problem ?? row.last_error,
  };
}

/** Has others follow that a deleted resource is out of the service. A plan may hold its deactivation. */
async function leave(r: Recording): Promise<void> {
  const { tx, deps, row, now } = r;
  if (row.deleted_at === null) return;
  if (row.type === 'group') {
    // One that the service does not know has no members.
    if (!isLinked(row)) await deleteAllLinks(tx, row);
    return;
  }
  const { observed, cells, upstream_id } = row;
  const isIn = upstream_id !== null && observed && isWorking(observed, deps.policy.deactivation);
  if (isIn && !isWaiting(cells.active)) return;
  const endsAt = await findGraceEnd(tx, row);
  if (endsAt > now && upstream_id !== null) return updateRow(tx, row, toDueColumns(row, endsAt));
  if ((await leaveGroups(tx, row.id, now)).length > 0) r.notifies = true;
}

/** Time from a refusal for lack of seats to the next attempt, whoever that is for: others may free a seat meanwhile. */
const SEAT_RETRY_MS = 15 * 60_000;

/** Stores the row, and has the next who wait for a seat tried: now where one is free, later after a refusal. */
async function save({ tx, outcome, original, row, now }: Recording): Promise<void> {
  await saveRow(tx, original, row);
  if (row.type === 'group') return;
  if (outcome.kind === 'later' && outcome.problem.code === NO_SEAT)
    return retryNextForSeat(tx, now + SEAT_RETRY_MS);
  const isFreed = original.takes_seat > row.takes_seat;
  const waitsNoMore = original.seat_since !== null && row.seat_since === null;
  if (isFreed || waitsNoMore) await retryNextForSeat(tx, now);
}

/** Changes the fields of the row. */
export function changeCells(r: Recording, change: (cells: Cells<Field>) => Cells<Field>): void {
  r.row = { ...r.row, cells: change(r.row.cells) };
}

/** Defers these fields in the row, and these members and admins in the store. An attempt that was asked for does not wait. */
export async function deferParts(
  r: Recording,
  parts: readonly Part[],
  { delayMs, ...why }: Omit<Parameters<typeof defer>[1], 'now' | 'retryAt'> & { delayMs: number },
): Promise<number> {
  const { tx, row, now, isRetried } = r;
  const retryAt = isRetried ? now : now + delayMs;
  const change = <F extends Fact>(fact: F) => defer(fact, { ...why, now, retryAt });
  await changeNamed(tx, row, listLinks(parts), change);
  changeCells(r, (cells) => edit(cells, listFields(parts), change));
  return retryAt;
}

/**
 * Takes back writes that were not answered yet (RFC 7644 §3.5.2): the last one as a whole, of earlier ones the refused
 * parts. An acknowledged part stays wanted and is deferred. False: the create was taken back. @param parts still as
 * planned
 */
export async function refuse(
  r: Recording,
  parts: readonly Part[],
  problem: Refusal,
): Promise<boolean> {
  const { row, undone } = r;
  const left = new Set(parts);
  for (const waiter of r.waiters) {
    const { version, undo } = waiter;
    const written = new Set(undo.links.map(toLinkText));
    // Compared with the state at the refusal: an older write that waits again, because a later one was undone, was
    // not refused. A field asked for by a rule belongs to no write.
    const refused = parts.filter((part) =>
      typeof part === 'string'
        ? row.cells[part]?.pending === version && !isRuled(r.row, part)
        : part.pending === version && written.has(toLinkText(part)),
    );
    if (refused.length === 0 || takesElse(undo, refused)) continue;
    undone.push({ version, problem: withLinks(problem, listLinks(refused)) });
    if (undo.before === undefined && refused.includes(EXISTENCE[row.type])) return false;
    r.row = await takeBack(r, { waiter, refused, isLast: row.version === version });
    for (const part of refused) left.delete(part);
  }
  // Nothing is wanted any more of a write that was taken back as a whole.
  const isTakenBack = r.row.origin !== row.origin || r.row.deleted_at !== row.deleted_at;
  if (isTakenBack || left.size === 0) return true;
  // Parts whose write was acknowledged stay wanted, are shown, and are tried again slowly.
  await deferParts(r, [...left], { problem, delayMs: stuckDelayMs(r.random) });
  r.row = { ...r.row, attempts: r.row.attempts + 1 };
  return true;
}

/** True when a write takes something away and the service refused something else of it: the removal stays acknowledged. */
function takesElse({ taken }: Undo, refused: readonly Part[]): boolean {
  const isTaken = (part: Part) => (typeof part === 'string' ? taken.includes(part) : !part.wanted);
  return taken.length > 0 && !refused.some(isTaken);
}

/** Adds to a problem the SCIM ids of the users who were put back. */
function withLinks(problem: Refusal, links: readonly LinkKey[]): Refusal {
  const ids = links.map(({ userId }) => userId).join(', ');
  return ids === '' ? problem : { ...problem, words: `${problem.words} (about ${ids})` };
}

interface RefusedWrite {
  readonly waiter: Waiter;
  /** Its parts that the service refused. */
  readonly refused: readonly Part[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
}

/** The row after a refused write: a new one is deleted, an adopted one unmanaged again, a deleted one back. */
async function takeBack(r: Recording, write: RefusedWrite): Promise<ResourceRow> {
  const { row, now } = r;
  const { before, after } = write.waiter.undo;
  const isUnchanged = isSameJson(row.attributes, after);
  // A new user who was given an existing account, which is not ours to deactivate.
  const isGiven = before === undefined && row.type === 'user' && row.origin === 'adopted';
  const isReleased = isUnchanged && (before?.origin === null || isGiven);
  const isDeleted = isUnchanged && !isReleased && before?.deleted !== false;
  // A group that the bridge created is removed, a released one loses the members the bridge added.
  const next: ResourceRow = isDeleted ? markDeleted(row, now) : withoutWrite(row, write);
  if (next.type === 'group') return takeListsBack(r, next, write, { isDeleted, isReleased });
  return isReleased ? toUnmanaged(row) : next;
}

/** The row as deleted, with what is to be done before that is over. */
export function markDeleted(row: ResourceRow, now: number): ResourceRow {
  const version = row.version + 1;
  return { ...row, cells: toCellsAfterDeletion(toState(row), version), version, deleted_at: now };
}

/** Takes the members and admins back that a write of a group changed, and applies the rules to the result. */
async function takeListsBack(
  { tx, row: group, deps: { rules }, reverted, now }: Recording,
  row: GroupRow,
  { waiter, refused, isLast }: RefusedWrite,
  fate: { readonly isDeleted: boolean; readonly isReleased: boolean },
): Promise<GroupRow> {
  const { before, links: written } = waiter.undo;
  const isWhole = fate.isDeleted || fate.isReleased;
  const versions = { version: waiter.version, next: row.version };
  const named = new Set(listLinks(refused).map(toLinkText));
  const back = isLast && !isWhole ? written : written.filter((one) => named.has(toLinkText(one)));
  await changeNamed(tx, group, back, (link, one) => revertLink(link, one.before, versions));
  reverted.push(...(isWhole ? await listLinkedUsers(tx, row) : back.map(({ userId }) => userId)));
  if (fate.isDeleted && row.origin === 'adopted') {
    await changeLinks(tx, row, {}, (link) => releaseLink(link, row.version));
  }
  // Members that the write added stay, and then the group stays managed.
  const isLeft = fate.isReleased && !hasEntityPutIn(row.cells) && !(await hasLink(tx, row, 'ours'));
  if (isLeft) await changeLinks(tx, row, {}, disownLink);
  const kept = isLeft ? toUnmanaged(row) : row;
  // The people of inner groups are looked at when this is followed.
  const inner_groups = (isLast ? before?.innerGroups : undefined) ?? row.inner_groups;
  // The admin list is the rules' again where all that the provider asked of it was refused.
  const admins = written.filter(({ list }) => list === 'admin');
  const isReturned = admins.length > 0 && admins.every((one) => back.includes(one));
  const admins_asked = isReturned ? (before?.adminsAsked ?? 0) : kept.admins_asked;
  const draft = { ...kept, admins_asked, inner_groups };
  const rulings = rules.book.ruleGroup(draft.name);
  return (await toRuled(tx, rules, { row: draft, rulings, now })) ?? draft;
}

/** The row without the refused fields of a write, or without all that was written where no other write was stored since. */
function withoutWrite<Row extends ResourceRow>(
  row: Row,
  { waiter: { undo }, refused, isLast }: RefusedWrite,
): Row {
  const { before = { attributes: {}, cells: {}, deleted: undefined } } = undo;
  const version = row.version + 1;
  const fields = listFields(refused);
  const { attributes, cells } = takeBackWrite({ ...row, before, fields, isLast, version });
  return {
    ...row,
    ...toColumns(row.type, attributes),
    cells,
    version,
    deleted_at: before.deleted === false ? null : row.deleted_at,
  };
}
