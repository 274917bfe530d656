import { isDeepStrictEqual } from 'node:util';
import { askAgain, forgetSent, listSent, onlyWaiting, sendAgain } from '../../domain/cell.ts';
import { isEntityField } from '../../domain/entity.ts';
import { endRest } from '../../domain/failure.ts';
import { listGroupDifferences } from '../../domain/group.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import { endDoubt } from '../../domain/link.ts';
import { listUserDifferences, toSentUser } from '../../domain/user.ts';
import type { Field, Part } from '../../plan/step.ts';
import { listCreations } from '../../store/audit/own-calls.ts';
import { type AskedChange, takeDoneChange } from '../../store/changes.ts';
import { parseCells, parseStored } from '../../store/engine/columns.ts';
import { storeNow } from '../../store/engine/dialect.ts';
import { changeLinks, deleteAllLinks, hasLink, listLinkedUsers } from '../../store/links/links.ts';
import { findGroupByUpstream, findUserByUpstreamId } from '../../store/resources/find.ts';
import { deleteRow, lockRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toGroupState, toUserState, type Undo } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Known, Outcome, Problem } from '../outcome.ts';
import { GONE, readProgress, toProgress, type Undone } from '../progress.ts';
import { BLIND } from '../sections.ts';
import type { Waiters } from '../waiters.ts';
import { recordPostponed } from './postpone.ts';
import { applyGroup, endGroup, followGroupStep, linkGroup } from './record-group.ts';
import { applyUser, endUser, followUserStep, linkAccount, lockUser } from './record-user.ts';
import {
  finish,
  leave,
  type Recorded,
  type Recording,
  save,
  toSuccessColumns,
} from './recording.ts';
import { hideNotCreated, listStillPlanned, refuse } from './refuse.ts';
import type { SendGuard } from './send-guard.ts';
import { gather, hasWork, type PlannedStep } from './step.ts';

/** End of a step. */
interface EndedStep extends Pick<Recording, 'outcome' | 'isOwn' | 'failures'> {
  readonly key: ResourceKey;
  readonly waiters: Waiters;
  readonly guard: SendGuard;
}

/** What became of a step in the store. */
interface Stored extends Pick<Recording, 'undone' | 'notifies'> {
  readonly recorded: Recorded;
  /** Row as the step has left it; undefined: it was gone before. */
  readonly row?: ResourceRow;
  /** Change of a provider that the service holds now. */
  readonly delivered?: AskedChange | undefined;
}

/** Records a step of a user or group in one transaction, and reports what became of it. */
export async function recordStep(
  deps: ReconcileDeps,
  ended: EndedStep,
): Promise<Recorded & Pick<Recording, 'notifies'>> {
  const { key, waiters, guard } = ended;
  const { clock, store } = deps;
  const step = guard.planned;
  const since = clock.now();
  const held = waiters.hold(key);
  let undone: readonly Undone[] = [];
  let stored: Stored;
  try {
    stored = await store.write((tx) => record(tx, deps, { ...ended, waiting: held.waiters }));
    undone = stored.undone;
  } finally {
    held.resume(undone);
  }
  report(deps, ended, { ...stored, since });
  const { recorded, notifies } = stored;
  const { next } = recorded;
  const isRead = next === undefined || next.state.version === step.state.version;
  if (isRead) return { ...recorded, notifies };
  // Whoever has what they asked for does not wait for what was written meanwhile.
  await waiters.settleBy(key, () => readProgress(store.read, key));
  return { ...recorded, notifies, next: await gather(deps, next) };
}

async function record(
  tx: Db,
  deps: ReconcileDeps,
  {
    key,
    guard,
    waiting,
    outcome,
    ...ended
  }: EndedStep & { readonly waiting: Recording['waiters'] },
): Promise<Stored> {
  const { clock, random } = deps;
  const step = guard.planned;
  const elsewhere = mayRefuse(deps, outcome) ? await listElsewhere(tx, key, clock.now()) : [];
  await guard.saveOutcomes(tx);
  const original = step.type === 'user' ? await lockUser(tx, step) : await lockRow(tx, key);
  if (original === undefined) return { recorded: GONE, undone: [], notifies: false };
  const row = await guard.restore(tx, original, outcome);
  const r: Recording = {
    ...ended,
    tx,
    deps,
    step,
    outcome,
    original,
    row: { ...row, steps: original.steps + 1 },
    waiters: [...waiting, ...elsewhere],
    isStale: guard.isStale(original),
    isRetried: guard.isRetried(original),
    undone: [],
    reverted: [],
    notifies: false,
    now: clock.now(),
    random: random(),
  };
  const recorded = await recordOutcome(r);
  await (original.type === 'user' ? followUserStep(r) : followGroupStep(r));
  const { undone, notifies } = r;
  for (const { id, version } of elsewhere) {
    const problem = undone.find((one) => one.version === version)?.problem;
    if (problem === undefined) continue;
    await updateWhere(tx, 'errands', { id }, { answer: JSON.stringify(problem) });
  }
  const done = recorded.next === undefined && (await takeDoneChange(tx, original, recorded));
  const isUndone = done && undone.some(({ version }) => version === done.version);
  const delivered = done && !isUndone ? done : undefined;
  return { recorded, undone, notifies, row: r.row, delivered };
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

/** Reports a change that the service holds now, a part that became stuck at this step, and the end of a deletion. */
function report(
  { store, clock, events }: ReconcileDeps,
  { key, guard, outcome }: EndedStep,
  { recorded, row, undone, delivered, since }: Stored & { readonly since: number },
): void {
  if (delivered !== undefined) {
    const tookMs = Math.max(clock.now() - delivered.at, 0);
    events.changeHeld({ kind: delivered.kind, tookMs });
  }
  store.bell.ring('settled');
  if (delivered?.kind === 'leaver') store.bell.ring('left');
  const { planned: step } = guard;
  const isEnd = recorded.next === undefined && recorded.oldestPending === undefined;
  if (step.state.deleted && hasWork(step) && isEnd && undone.length === 0) {
    events.deletionFinished({ type: key.type, id: key.id });
  }
  const isTold = outcome.kind === 'refused' || step.state.mustLook;
  if (!isTold || row === undefined || row.stuck_at === null || row.stuck_at < since) return;
  const problem = parseStored<Partial<Problem> | null>(row.last_error ?? 'null');
  const { code } = outcome.kind === 'refused' ? outcome.problem : { code: problem?.code };
  events.stuck({ type: key.type, id: key.id, code: code ?? 'unknown' });
}

/** Records each way in which a step can end. */
async function recordOutcome(r: Recording): Promise<Recorded> {
  const { outcome } = r;
  if (outcome.kind === 'done') return recordDone(r, outcome.known);
  if (outcome.kind === 'refused') return recordRefused(r, outcome);
  return recordPostponed(r, outcome);
}

async function recordDone(r: Recording, known: Known): Promise<Recorded> {
  const { tx, row, step } = r;
  const without = { ...row, sent_creates: step.row.sent_creates };
  if (known.adopted && isRenamed(row, step)) {
    // Whatever has the names that the resource had when its create left is not the resource.
    r.row = without;
    return finish(r);
  }
  if (known.missing) return recordMissing(r);
  if (isLostLook(r) && !(await isItsOwn(tx, row, known))) return recordLostLook(r);
  const linked =
    row.type === 'user' ? await linkAccount(r, row, known) : await linkGroup(r, row, known);
  if (linked.kind === 'later') return recordPostponed(r, linked);
  if (linked.kind === 'refused') {
    r.row = without;
    const parts = [row.type === 'user' ? ('account' as const) : ('existence' as const)];
    return recordRefused(r, { parts, problem: linked.problem });
  }
  await apply(r, known);
  r.row = { ...r.row, ...linked.columns };
  await endDoubts(r);
  return finish(r);
}

/** Time in which what was made twice is not made a third time, in milliseconds: the service may show it late. */
const SHOWN_MS = 5 * 60_000;

async function recordMissing(r: Recording): Promise<Recorded> {
  const { row } = r;
  const made = await listCreations(r.tx, { ids: [row.id], from: r.now - SHOWN_MS });
  if (made.length > 1) return recordPostponed(r, { kind: 'unknown', problem: BLIND });
  if (row.type === 'group') r.row = await endGroup(r, row);
  else {
    const left = await endUser(r, row);
    if (left === undefined) return GONE;
    r.row = left;
  }
  await endDoubts(r);
  return finish(r);
}

/** True when the resource has other names than those with which the step was planned. */
function isRenamed(row: ResourceRow, step: PlannedStep): boolean {
  if (row.type === 'group' || step.type === 'group') return row.name !== step.row.name;
  return !isDeepStrictEqual(toSentUser(toUserState(row).desired), toSentUser(step.state.desired));
}

/** Gives the row what a step that worked has shown. */
async function apply(r: Recording, known: Known): Promise<void> {
  const { row, step, now } = r;
  const success = toSuccessColumns(r);
  const done =
    row.type === 'user' ? await applyUser(r, row, known) : await applyGroup(r, row, known);
  // A user who was given the account of a deleted one is looked at again.
  const must_look = done.must_look > row.must_look ? done.must_look : success.must_look;
  // The success of a look says nothing of what failed before. It is an observation, so that what was refused is tried again.
  const cells = step.state.mustLook
    ? JSON.stringify(endRest(parseCells<Field>(done), now, 'refused'))
    : done.cells;
  r.row = { ...done, ...(!step.state.mustLook && success), cells, must_look };
}

/** Fields of a user that no look shows. */
const UNSEEN: readonly Field[] = ['appsPermissions', 'temporarilyInactive'];

/**
 * Ends the doubt about lost calls once a look has shown what they did, and they cannot take effect any more: what they
 * changed since it was written waits to be put right.
 */
async function endDoubts(r: Recording): Promise<void> {
  const { tx, step, row, deps } = r;
  if (row.unsure_until === null || step.at < row.unsure_until || !step.state.mustLook) return;
  const over = { unsure_until: null, sent_creates: '[]' };
  const { version } = row;
  const cells = parseCells<Field>(row);
  const sent = listSent(cells);
  const known = forgetSent(cells, sent);
  if (row.type === 'user') {
    const { observed, desired } = toUserState(row);
    const { deactivation } = deps.policy;
    const differing: Field[] = observed
      ? listUserDifferences(desired, observed, cells, deactivation)
      : [];
    const unseen = deactivation === 'scim' ? UNSEEN : [...UNSEEN, 'active' as const];
    const seen = sent.filter((field) => differing.includes(field));
    const hidden = sent.filter((field) => unseen.includes(field));
    const asked = sendAgain(askAgain(known, seen, version), hidden, version);
    r.row = { ...row, ...over, cells: JSON.stringify(asked) };
    return;
  }
  if (await hasLink(tx, row, 'sent')) {
    await changeLinks(tx, row, {}, (link) => (link.sent === null ? link : endDoubt(link, version)));
  }
  const { observed, desired } = toGroupState(row);
  const differing: Field[] = observed ? listGroupDifferences(desired, observed, cells) : [];
  const asked = sent.filter((field) => isEntityField(field) || differing.includes(field));
  const entities = sent.some(isEntityField) ? null : row.entities;
  r.row = { ...row, ...over, entities, cells: JSON.stringify(askAgain(known, asked, version)) };
}

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
function isLostLook({ row, step: { state } }: Recording): boolean {
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
async function recordLostLook(r: Recording): Promise<Recorded> {
  const { row, step } = r;
  const left = { ...row, ...toSuccessColumns(r), failing_since: null };
  if (row.unsure_until === null || step.at >= row.unsure_until) {
    const cells = JSON.stringify(onlyWaiting(parseCells(row), []));
    r.row = { ...left, cells, sent_creates: '[]' };
    return finish(r);
  }
  r.row = { ...left, due_at: row.unsure_until };
  await save(r);
  if (row.deleted_at !== null) await leave(r);
  return toProgress(r.row);
}

async function recordRefused(
  r: Recording,
  { parts: refused, problem }: { readonly parts: readonly Part[]; readonly problem: Problem },
): Promise<Recorded> {
  if (isLostLook(r)) return recordLostLook(r);
  const { tx } = r;
  const parts = await listStillPlanned(r, refused);
  const isCreated = parts.length === 0 || (await refuse(r, parts, problem));
  const { row, step } = r;
  if (isCreated) {
    // A refused look stays planned, unless nothing waits for the resource itself any more.
    const isNeeded = !step.state.mustLook || isExistenceOf(row) || r.isStale;
    if (!isNeeded) r.row = { ...row, must_look: 0 };
    return finish(r);
  }
  if (row.type === 'group') {
    r.reverted.push(...(await listLinkedUsers(tx, row)));
    await deleteAllLinks(tx, row);
  }
  if (row.sent_creates !== '[]') {
    r.row = hideNotCreated(row, r.now);
    return finish(r);
  }
  await deleteRow(tx, row);
  return GONE;
}
