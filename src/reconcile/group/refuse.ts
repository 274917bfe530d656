import { hasEntityPutIn } from '../../domain/entity.ts';
import { defer, withEarlierRefusals } from '../../domain/failure.ts';
import type { GroupField, GroupState } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { withEarlierWords } from '../../domain/refusal.ts';
import { isRuled, toRuledGroup } from '../../rules/rule-group.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { listLinks } from '../../store/links/links.ts';
import { disownLinks, hasPutIn, releaseLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import { postponeLinks } from '../../store/links/work.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { stuckDelayMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import type { AfterRefusal, Undone } from '../recorded.ts';
import type { Recording } from '../resource-kind.ts';
import { isTakenBack } from '../take-back.ts';
import type { Waiter } from '../waiters.ts';
import { type GroupPart, type GroupTypes, groupByProblem, groupRefusedLinks } from './outcome.ts';
import {
  revertAllLinks,
  revertGroup,
  revertLinks,
  toUnmanagedGroup,
  withRefusedUsers,
} from './undo.ts';

/** Refusal of a step, and the writes that can still be told of it. */
export interface GroupRefusal
  extends Pick<Recording<GroupTypes>, 'undos' | 'rules' | 'reverted' | 'now' | 'random'> {
  /** Fields, members and admins that still are as planned. */
  readonly parts: readonly GroupPart[];
  readonly problem: Problem;
}

/**
 * Takes back writes that were not answered yet, part by part. An acknowledged part stays wanted and rests by itself, so
 * that nothing else of the group waits for it.
 */
export async function refuse(
  tx: Db,
  row: GroupRow,
  refusal: GroupRefusal,
): Promise<AfterRefusal<GroupRow>> {
  const { parts, problem, now, random } = refusal;
  const asked = parseCells<GroupField>(row);
  const undone: Undone[] = [];
  const revertedFields = new Set<GroupField>();
  let draft = row;
  for (const waiter of refusal.undos) {
    // Compared with the state at the refusal: an older write that waits again, because a later one was undone, was
    // not refused.
    const fields = listAsked(row, parts, waiter.version);
    if (removesElse(waiter, parts)) continue;
    const told = withEarlierRefusals(problem, asked, fields);
    if (waiter.undo.before === undefined && fields.includes('existence')) {
      undone.push({ version: waiter.version, problem: told });
      return { row: draft, undone, isNotCreated: true };
    }
    const links = await revertLinks(tx, row.id, { waiter, parts });
    if (fields.length === 0 && links.userIds.length === 0) continue;
    const named = withUsers(told, parts, links.userIds);
    const withEarlier = withEarlierWords(named, links.earlierWords);
    undone.push({ version: waiter.version, problem: withEarlier });
    const taken = { waiter, fields, links: links.userIds, isLast: row.version === waiter.version };
    draft = await revertWrite(tx, draft, refusal, taken);
    for (const field of fields) revertedFields.add(field);
  }
  // Nothing is wanted any more of a write that was taken back as a whole.
  if (isTakenBack(row, draft)) return { row: draft, undone, isNotCreated: false };
  const acknowledged = listFields(parts).filter((field) => !revertedFields.has(field));
  const deferral = { problem, now, retryAt: now + stuckDelayMs(random) };
  const resting = await postponeRefused(tx, row.id, { ...deferral, parts, undone });
  const next = defer(parseCells<GroupField>(draft), { ...deferral, fields: acknowledged });
  const stuck_at = resting > 0 ? (row.stuck_at ?? now) : row.stuck_at;
  const attempts = draft.attempts + (resting + acknowledged.length > 0 ? 1 : 0);
  const left: GroupRow = { ...draft, cells: JSON.stringify(next), stuck_at, attempts };
  return { row: left, undone, isNotCreated: false };
}

/** True when a write removes members or admins and the service refused something else of it: the removal stays acknowledged. */
function removesElse({ version, undo }: Waiter<GroupUndo>, parts: readonly GroupPart[]): boolean {
  const isRemoval = (part: GroupPart) =>
    part.kind !== 'field' && !part.change.wanted && part.change.version === version;
  return undo.removes === true && !parts.some(isRemoval);
}

/** Adds to a problem the members that were taken back, each with the words of the service. */
function withUsers(
  problem: Problem,
  parts: readonly GroupPart[],
  userIds: readonly UserId[],
): Problem {
  const taken = new Set(userIds);
  const isTaken = (part: GroupPart) => part.kind !== 'field' && taken.has(part.change.userId);
  const words = groupByProblem(parts.filter(isTaken), problem).map(({ told, same }) => {
    const ids = same.flatMap((part) => (part.kind === 'field' ? [] : [part.change.userId]));
    return withRefusedUsers(told, ids).words;
  });
  return words.length === 0 ? problem : { ...problem, words: words.join('; ') };
}

/** Lists the refused fields that this write asked for; a field asked for by a rule belongs to no write. */
function listAsked(row: GroupRow, parts: readonly GroupPart[], version: number): GroupField[] {
  const cells = parseCells<GroupField>(row);
  const isAsked = (field: GroupField) => cells[field]?.pending === version;
  return listFields(parts).filter((field) => isAsked(field) && !isRuled(row, field));
}

/** Refused parts of one write: fields, and members that are put back already. */
interface RefusedParts {
  readonly waiter: Waiter<GroupUndo>;
  readonly fields: readonly GroupField[];
  readonly links: readonly UserId[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
}

/** Takes the refused parts of one write back, and applies the rules to the result. */
async function revertWrite(
  tx: Db,
  row: GroupRow,
  { rules, reverted, now }: GroupRefusal,
  { waiter, fields, links: refused, isLast }: RefusedParts,
): Promise<GroupRow> {
  const { undo } = waiter;
  const isUnchanged = row.attributes === undo.after;
  const isWhole = isUnchanged && (undo.before?.deleted !== false || undo.before.origin === null);
  const version = row.version + 1;
  const except = new Set(refused);
  const links =
    isLast && !isWhole
      ? [...refused, ...(await revertAllLinks(tx, row.id, { waiter, except, version }))]
      : refused;
  reverted.push(...links, ...(isWhole ? await listLinkedUsers(tx, row.id) : []));
  const without = revertGroup(row, { undo, fields, isLast, now });
  const kept = await takeBack(tx, without, { undo, isUnchanged });
  const draft = revertAdminsAsked(kept, links, undo);
  return (await toRuledGroup(tx, rules, { row: draft, now })) ?? draft;
}

/** Follows up for the members of the group when a whole write was taken back. */
async function takeBack(
  tx: Db,
  row: GroupRow,
  { undo, isUnchanged }: { readonly undo: GroupUndo; readonly isUnchanged: boolean },
): Promise<GroupRow> {
  if (!isUnchanged) return row;
  if (row.deleted_at !== null && row.origin === 'adopted') {
    await releaseLinks(tx, row.id, row.version);
  }
  // Members that the write added stay, and then the group stays managed.
  const isPutIn = hasEntityPutIn(parseCells(row)) || (await hasPutIn(tx, row.id));
  if (undo.before?.origin !== null || isPutIn) return row;
  await disownLinks(tx, row.id);
  return toUnmanagedGroup(row);
}

function listFields(parts: readonly GroupPart[]): GroupField[] {
  return parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []));
}

/** Refusal of members and admins, with the writes that were taken back because of it. */
export interface DeferredLinks {
  readonly parts: readonly GroupPart[];
  readonly undone: readonly Undone[];
  readonly problem: Problem;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/**
 * Defers the refused members and admins whose write was acknowledged: they stay wanted and are shown. Returns their
 * number.
 */
async function postponeRefused(
  tx: Db,
  groupId: GroupId,
  { parts, undone, problem, now, retryAt }: DeferredLinks,
): Promise<number> {
  let postponed = 0;
  const undoneVersions = new Set(undone.map(({ version }) => version));
  for (const { told, same } of groupByProblem(parts, problem)) {
    for (const { table, changes } of groupRefusedLinks(same)) {
      const userIds = changes
        .filter(({ version }) => !undoneVersions.has(version))
        .map(({ userId }) => userId);
      await postponeLinks(tx, table, groupId, { userIds, problem: told, now, retryAt });
      postponed += userIds.length;
    }
  }
  return postponed;
}

const NO_LINKS: ReadonlyMap<UserId, number | null> = new Map();

/**
 * Lists the refused parts that still are as planned: a part that a later write has changed was not refused, because the
 * service was never asked for the new value.
 */
export async function listStillPlanned(
  tx: Db,
  row: GroupRow,
  { planned, parts }: { planned: GroupState; parts: readonly GroupPart[] },
): Promise<GroupPart[]> {
  const cells = parseCells<GroupField>(row);
  const waiting = { member: NO_LINKS, admin: NO_LINKS };
  for (const { kind, table, changes } of groupRefusedLinks(parts)) {
    const userIds = changes.map(({ userId }) => userId);
    const links = await listLinks(tx, table, row.id, userIds);
    waiting[kind] = new Map(links.map(({ user_id, pending: version }) => [user_id, version]));
  }
  return parts.filter((part) =>
    part.kind === 'field'
      ? cells[part.field]?.pending === planned.cells[part.field]?.pending
      : waiting[part.kind].get(part.change.userId) === part.change.version,
  );
}

/** Gives the admin list back to the rules where all that the provider asked of it was refused. */
function revertAdminsAsked(row: GroupRow, links: readonly UserId[], undo: GroupUndo): GroupRow {
  const wanted = [...undo.admins.keys()];
  if (wanted.length === 0 || wanted.some((userId) => !links.includes(userId))) return row;
  return { ...row, admins_asked: undo.before?.adminsAsked ?? 0 };
}
