import type { GroupField } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { addPending, type Pending } from '../../domain/pending.ts';
import { addStuck, withEarlierRefusals, withEarlierWords } from '../../domain/stuck.ts';
import { isRuled, toRuledGroup } from '../../rules/rule-group.ts';
import type { Rules } from '../../rules/rules.ts';
import { parseStored, parseStuck } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { disownLinks, hasPutIn, releaseLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { stuckDelayMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import type { Undone } from '../recorded.ts';
import type { Waiter } from '../waiters.ts';
import { revertAdminsAsked } from './follow-step.ts';
import type { GroupPart } from './outcome.ts';
import { postponeRefused } from './postpone-refused.ts';
import { groupByProblem } from './refused-links.ts';
import { releaseGroup, revertGroup } from './undo.ts';
import { revertLinks, withRefusedPeople } from './undo-links.ts';

/** What the service refused, and whom it can still be told. */
export interface GroupRefusal {
  /** Fields and people that still are what was planned. */
  readonly parts: readonly GroupPart[];
  readonly problem: Problem;
  readonly undos: readonly Waiter<GroupUndo>[];
  readonly rules: Rules;
  /** Whose changes were taken back; what rules derived from them follows. */
  readonly reverted: UserId[];
  readonly now: number;
  readonly random: number;
}

/** What a refusal leaves of a group. */
export interface RefusedGroup {
  readonly row: GroupRow;
  readonly undone: readonly Undone[];
  /** True: the write that created the group was taken back. */
  readonly isUncreated: boolean;
}

/**
 * Takes back writes that nobody was answered for, field by field and person by person; what was
 * acknowledged stays wanted and is put off by itself, so that nothing else of the group waits for it.
 */
export async function refuse(tx: Db, row: GroupRow, refusal: GroupRefusal): Promise<RefusedGroup> {
  const { parts, problem, now, random } = refusal;
  const stuck = parseStuck<GroupField>(row);
  const undone: Undone[] = [];
  const revertedFields = new Set<GroupField>();
  let draft = row;
  for (const waiter of refusal.undos) {
    // As it was refused: an older write that waits again, because a later one was undone, was not.
    const fields = listAsked(row, parts, waiter.version);
    const told = withEarlierRefusals(problem, stuck, fields);
    if (waiter.undo.before === undefined && fields.includes('existence')) {
      undone.push({ version: waiter.version, problem: told });
      return { row: draft, undone, isUncreated: true };
    }
    const links = await revertLinks(tx, row.id, { waiter, parts, now });
    if (fields.length === 0 && links.userIds.length === 0) continue;
    const people = withPeople(told, parts, links.userIds);
    const withEarlier = withEarlierWords(people, links.earlierWords);
    undone.push({ version: waiter.version, problem: withEarlier });
    const taken = { undo: waiter.undo, fields, links: links.userIds };
    draft = await revertWrite(tx, draft, refusal, taken);
    for (const field of fields) revertedFields.add(field);
  }
  // Of a write that was taken back as a whole nothing is wanted any more.
  if (isTakenBack(row, draft)) return { row: draft, undone, isUncreated: false };
  const acknowledged = listFields(parts).filter((field) => !revertedFields.has(field));
  const putOff = { problem, now, retryAt: now + stuckDelayMs(random) };
  const resting = await postponeRefused(tx, row.id, { ...putOff, parts, undone });
  const pending = parseStored<Pending<GroupField>>(draft.pending);
  const next = addStuck(stuck, pending, { ...putOff, fields: acknowledged });
  const stuck_at = resting > 0 ? (row.stuck_at ?? now) : row.stuck_at;
  const attempts = draft.attempts + (resting + acknowledged.length > 0 ? 1 : 0);
  const left: GroupRow = { ...draft, stuck: JSON.stringify(next), stuck_at, attempts };
  return { row: left, undone, isUncreated: false };
}

/** What is told of the people who were taken back, each with what the service said of them. */
function withPeople(
  problem: Problem,
  parts: readonly GroupPart[],
  userIds: readonly UserId[],
): Problem {
  const taken = new Set(userIds);
  const isTaken = (part: GroupPart) => part.kind !== 'field' && taken.has(part.change.userId);
  const words = groupByProblem(parts.filter(isTaken), problem).map(({ told, same }) => {
    const ids = same.flatMap((part) => (part.kind === 'field' ? [] : [part.change.userId]));
    return withRefusedPeople(told, ids).words;
  });
  return words.length === 0 ? problem : { ...problem, words: words.join('; ') };
}

/** A group that never came to be, while the service may hold what a lost create left: hidden, and looked for. */
export function hideUncreated(row: GroupRow, now: number): GroupRow {
  return {
    ...row,
    deleted_at: now,
    version: row.version + 1,
    pending: JSON.stringify(addPending({}, ['existence'], row.version + 1)),
    stuck: '{}',
    must_look: 1,
  };
}

/** Whether a refused write was taken back as a whole: the group is managed, or there, as it was before. */
export function isTakenBack(before: GroupRow, after: GroupRow): boolean {
  return after.origin !== before.origin || after.deleted_at !== before.deleted_at;
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
  { rules, reverted, now }: GroupRefusal,
  { undo, fields, links }: RefusedParts,
): Promise<GroupRow> {
  const isUnchanged = row.attributes === undo.after;
  const isWhole = isUnchanged && (undo.before?.deleted !== false || undo.before.origin === null);
  reverted.push(...links, ...(isWhole ? await listLinkedUsers(tx, row.id) : []));
  const without = revertGroup(row, { undo, fields, now });
  const kept = await takeBack(tx, without, { undo, isUnchanged });
  const draft = revertAdminsAsked(kept, links, undo);
  return (await toRuledGroup(tx, rules, { row: draft, now })) ?? draft;
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

function listFields(parts: readonly GroupPart[]): GroupField[] {
  return parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []));
}
