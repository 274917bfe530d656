import type { GroupField, GroupState } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { type Pending, settlePending } from '../../domain/pending.ts';
import { type GroupPolicy, planGroup } from '../../plan/plan-group.ts';
import { toChangedColumns } from '../../store/changed-columns.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import { toDueClass } from '../../store/due-class.ts';
import {
  deleteGroup,
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  toGroupState,
  updateGroup,
} from '../../store/groups.ts';
import type { Lease } from '../../store/lanes.ts';
import {
  deleteAllLinks,
  disownLinks,
  hasPutIn,
  observeLinks,
  releaseLinks,
  restartLinks,
} from '../../store/link-observations.ts';
import { readWaiting, settleLinks } from '../../store/link-work.ts';
import { listLinkedUsers, touchMembers, touchUsers } from '../../store/shown-links.ts';
import { stuckDelayMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import { GONE, type Recorded, recordOutcome, toProgress, type Undone } from '../recorded.ts';
import {
  FREE_LANE,
  toFencedColumns,
  toNoTrouble,
  toRetryColumns,
  toStuckColumns,
} from '../retry-columns.ts';
import { isRuled, toRuledGroup } from '../rules/rule-group.ts';
import type { Rules } from '../rules/rules.ts';
import type { Waiter } from '../waiters.ts';
import { followGroupStep, revertAdminsAsked } from './follow-step.ts';
import { handOverGroup } from './heir.ts';
import { linkGroup } from './link-group.ts';
import { listGroupLinks } from './load.ts';
import type { GroupKnown, GroupOutcome, GroupPart } from './outcome.ts';
import { postponeRefused } from './postpone-refused.ts';
import { listStillPlanned } from './still-planned.ts';
import { type GroupUndo, releaseGroup, revertGroup } from './undo.ts';
import { revertLinks, withRefusedPeople } from './undo-links.ts';

/** A step of a group that ended, with all that recording it needs. */
export interface GroupStep {
  /** The state that the step was planned from. */
  readonly planned: GroupState;
  readonly outcome: GroupOutcome;
  readonly lease: Lease;
  readonly policy: GroupPolicy;
  /** True when the service refuses inactive people as members. */
  readonly inactiveWait: boolean;
  /** Writes that nobody has been answered for yet; what the service refuses of them is undone. */
  readonly undos: readonly Waiter<GroupUndo>[];
  readonly rules: Rules;
  readonly now: number;
  readonly random: number;
}

/** A step while it is recorded, with the row as it was read. */
interface Recording extends GroupStep {
  readonly original: GroupRow;
  /** Whose changes were taken back; what rules derived from them follows. */
  readonly reverted: UserId[];
}

/**
 * Records what a step taught about a group, in one transaction with what follows from it. Gives the
 * lane back unless there is a next step.
 */
export async function recordGroupStep(tx: Db, step: GroupStep): Promise<Recorded<GroupState>> {
  const row = await lockGroup(tx, step.planned.id);
  if (row === undefined) return { finished: true, ...GONE, undone: [], woken: [] };
  if (await handOverGroup(tx, row, step)) {
    await updateGroup(tx, row.id, {
      ...FREE_LANE,
      ...toNoTrouble(row),
      pending: '{}',
      due_at: null,
    });
    return { finished: true, ...GONE, undone: [], woken: [] };
  }
  if (row.lane_token !== step.lease.token) {
    // Somebody else holds the lane now: what our call did is not ours to judge, so they look.
    await updateGroup(tx, row.id, toFencedColumns(row, step.now));
    return toFinished(tx, row, []);
  }
  const recording: Recording = { ...step, original: row, reverted: [] };
  const recorded = await recordOutcome(step.outcome, {
    done: (known) => recordDone(tx, row, recording, known),
    refused: (outcome) => recordRefused(tx, row, recording, outcome),
    postponed: (outcome) => recordRetry(tx, row, recording, outcome),
  });
  return followGroupStep(tx, recording, recorded);
}

async function recordDone(
  tx: Db,
  row: GroupRow,
  step: Recording,
  known: GroupKnown,
): Promise<Recorded<GroupState>> {
  if (known.missing) return recordMissing(tx, row, step);
  let next: GroupRow = { ...row, ...toNoTrouble(row) };
  if (known.ids !== undefined) {
    const linked = await linkGroup(tx, row, known, step.now);
    if (linked.kind === 'later') return recordRetry(tx, row, step, linked);
    if (linked.kind === 'refused') {
      const parts: GroupPart[] = [{ kind: 'field', field: 'existence' }];
      return recordRefused(tx, row, step, { parts, problem: linked.problem });
    }
    next = { ...next, ...linked.columns };
  }
  if (known.observed !== undefined) next.observed = JSON.stringify(known.observed);
  const pending = parseStored<Pending<GroupField>>(row.pending);
  // A look at a group that is to go finds it: its removal still waits.
  const settled = (known.settled ?? []).filter((f) => f !== 'existence' || row.deleted_at === null);
  next.pending = JSON.stringify(settlePending(pending, step.planned.pending, settled));
  await recordLinks(tx, next, step, known);
  if (known.refusedMembers) {
    const { changes, problem } = known.refusedMembers;
    const parts = changes.map((change): GroupPart => ({ kind: 'member', change }));
    return recordRefused(tx, next, step, { parts, problem });
  }
  return finish(tx, next, step, []);
}

async function recordLinks(
  tx: Db,
  row: GroupRow,
  { planned, now }: Recording,
  { members, admins, memberIds, adopted }: GroupKnown,
): Promise<void> {
  const plannedVersion = planned.version;
  if (members) {
    await settleLinks(tx, 'memberships', row.id, { changes: members, plannedVersion });
  }
  if (admins) await settleLinks(tx, 'group_admins', row.id, { changes: admins, plannedVersion });
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    await observeLinks(tx, 'memberships', row.id, { upstreamUserIds: memberIds, baseline });
    // In a managed group what is wanted is shown, whatever is seen.
    if (baseline !== 0) await touchMembers(tx, row.id, now);
  }
}

/** The service has no such group: one that is wanted is created anew, a deleted one is done with. */
async function recordMissing(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  if (row.deleted_at !== null || row.origin === null) {
    const people = await listLinkedUsers(tx, row.id);
    await deleteAllLinks(tx, row.id);
    await touchUsers(tx, people, step.now);
    return finish(tx, { ...row, ...toNoTrouble(row), observed: null, pending: '{}' }, step, []);
  }
  await restartLinks(tx, row.id, row.version);
  const changed: GroupRow = {
    ...row,
    ...toNoTrouble(row),
    observed: null,
    upstream_scim_id: null,
    upstream_rest_id: null,
    upstream_uid: null,
    pending: JSON.stringify({ existence: row.version }),
  };
  return finish(tx, changed, step, []);
}

async function recordRefused(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { parts: refused, problem }: { parts: readonly GroupPart[]; problem: Problem },
): Promise<Recorded<GroupState>> {
  const { mustLook } = step.planned;
  const parts = await listStillPlanned(tx, row, { planned: step.planned, parts: refused });
  if (parts.length === 0) {
    return finish(tx, { ...row, must_look: mustLook ? 1 : row.must_look }, step, []);
  }
  const undone: Undone[] = [];
  let draft = row;
  for (const waiter of step.undos) {
    const fields = listAsked(draft, parts, waiter.version);
    if (waiter.undo.before === undefined && fields.includes('existence')) {
      const people = await listLinkedUsers(tx, row.id);
      await deleteGroup(tx, row.id);
      await touchUsers(tx, people, step.now);
      step.reverted.push(...people);
      undone.push({ version: waiter.version, problem });
      return { finished: true, ...GONE, undone, woken: [] };
    }
    const links = await revertLinks(tx, row.id, { waiter, parts, now: step.now });
    if (fields.length === 0 && links.length === 0) continue;
    undone.push({ version: waiter.version, problem: withRefusedPeople(problem, links) });
    draft = await revertWrite(tx, draft, step, { undo: waiter.undo, fields, links });
  }
  const isTakenBack = draft.origin !== row.origin || draft.deleted_at !== row.deleted_at;
  if (isTakenBack || draft.display_name !== row.display_name) {
    await save(tx, step, draft);
    await touchMembers(tx, row.id, step.now);
  }
  return isTakenBack
    ? finish(tx, draft, step, undone)
    : recordStuck(tx, draft, step, { parts, problem, undone });
}

/** What of the refused parts this write asked for: what a rule asked for is nobody's refusal. */
function listAsked(row: GroupRow, parts: readonly GroupPart[], version: number): GroupField[] {
  const pending = parseStored<Pending<GroupField>>(row.pending);
  return listFields(parts).filter((field) => pending[field] === version && !isRuled(row, field));
}

/** What was refused of one write: fields, and people who are back already. */
interface RefusedParts {
  readonly undo: GroupUndo;
  readonly fields: readonly GroupField[];
  readonly links: readonly UserId[];
}

/** The group without what was refused of one write, and with what the rules say then. */
async function revertWrite(
  tx: Db,
  row: GroupRow,
  { rules, reverted, now }: Recording,
  { undo, fields, links }: RefusedParts,
): Promise<GroupRow> {
  const isUnchanged = row.attributes === undo.after;
  const isWhole = isUnchanged && (undo.before?.deleted !== false || undo.before.origin === null);
  reverted.push(...links, ...(isWhole ? await listLinkedUsers(tx, row.id) : []));
  const without = revertGroup(row, { undo, fields, now });
  const kept = await takeBack(tx, without, { undo, isUnchanged });
  const draft = revertAdminsAsked(kept, links, undo);
  return toRuledGroup(rules, { row: draft, now }) ?? draft;
}

/** What taking a whole write back means for the people of the group. */
async function takeBack(
  tx: Db,
  row: GroupRow,
  { undo, isUnchanged }: { readonly undo: GroupUndo; readonly isUnchanged: boolean },
): Promise<GroupRow> {
  if (!isUnchanged) return row;
  if (row.deleted_at !== null && row.origin === 'adopted') {
    await releaseLinks(tx, row.id, row.version);
  }
  // Whoever the write put in stays with their neighbours, and then the group is the bridge's to keep.
  if (undo.before?.origin !== null || (await hasPutIn(tx, row.id))) return row;
  await disownLinks(tx, row.id);
  return releaseGroup(row);
}

/** What was refused and nobody was refused for stays wanted: visible, and tried again slowly. */
async function recordStuck(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { parts, problem, undone }: { parts: GroupPart[]; problem: Problem; undone: Undone[] },
): Promise<Recorded<GroupState>> {
  const pending = parseStored<Pending<GroupField>>(row.pending);
  const isFieldStuck = listFields(parts).some((field) => pending[field] !== undefined);
  const retryAt = step.now + stuckDelayMs(step.random);
  const stuckLinks = await postponeRefused(tx, row.id, { parts, undone, retryAt });
  const trouble = toStuckColumns(row, problem, step.now);
  // A look that is refused would be refused again at once.
  if (!isFieldStuck && !step.planned.mustLook) {
    return finish(tx, { ...row, ...(stuckLinks > 0 ? trouble : {}) }, step, undone);
  }
  const changed: GroupRow = { ...row, ...FREE_LANE, ...trouble, due_at: retryAt };
  await save(tx, step, changed);
  return toFinished(tx, changed, undone);
}

function listFields(parts: readonly GroupPart[]): GroupField[] {
  return parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []));
}

async function recordRetry(
  tx: Db,
  row: GroupRow,
  step: Recording,
  outcome: Extract<GroupOutcome, { kind: 'later' | 'unknown' }>,
): Promise<Recorded<GroupState>> {
  const changed: GroupRow = { ...row, ...toRetryColumns(row, outcome, step) };
  if (outcome.kind === 'unknown' && outcome.lookNow) {
    await save(tx, step, changed);
    const state = toGroupState(changed, await listGroupLinks(tx, changed.id, step));
    return { finished: false, state, undone: [], woken: [] };
  }
  await save(tx, step, { ...changed, ...FREE_LANE });
  return { ...(await toFinished(tx, changed, [])), retryAt: changed.due_at ?? step.now };
}

/** Plans again from what is now known: settles what holds, and keeps the lane when there is a next step. */
async function finish(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const state = toGroupState(row, await listGroupLinks(tx, row.id, step));
  const { actions, settled } = planGroup(state, step.policy);
  const pending = settlePending(state.pending, state.pending, settled);
  const next: GroupRow = { ...row, pending: JSON.stringify(pending) };
  if (actions.length > 0) {
    await save(tx, step, { ...next, due_at: step.now });
    return { finished: false, state: { ...state, pending }, undone, woken: [] };
  }
  const { oldest, nextRetryAt, removes } = await readWaiting(tx, row.id);
  const due_class = toDueClass(removes || state.deleted);
  await save(tx, step, { ...next, ...FREE_LANE, due_at: nextRetryAt ?? null, due_class });
  // A deleted group that the service does not know has nobody in it.
  if (next.deleted_at !== null && !hasUpstreamIds(next)) await deleteAllLinks(tx, next.id);
  return { finished: true, ...toProgress(next, oldest), undone, woken: [] };
}

async function toFinished(
  tx: Db,
  row: GroupRow,
  undone: readonly Undone[],
): Promise<Extract<Recorded<GroupState>, { finished: true }>> {
  const { oldest } = await readWaiting(tx, row.id);
  return { finished: true, ...toProgress(row, oldest), undone, woken: [] };
}

async function save(tx: Db, { original }: Recording, row: GroupRow): Promise<void> {
  await updateGroup(tx, row.id, toChangedColumns(original, row));
}
