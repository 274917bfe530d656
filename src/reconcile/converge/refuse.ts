import { hasEntityPutIn } from '../../domain/entity.ts';
import { refuse as refuseFact } from '../../domain/failure.ts';
import type { LinkKey } from '../../domain/link.ts';
import { disownLink, releaseLink, revertLink, toLinkText } from '../../domain/link.ts';
import type { Refusal } from '../../domain/values.ts';
import { takeBackWrite, toCellsAfterDeletion } from '../../domain/write.ts';
import type { Part } from '../../plan/step.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import { isRuled, toRuled } from '../../rules/fields.ts';
import { isSameJson, toColumns } from '../../store/engine/columns.ts';
import { changeLinks, changeNamed, listLinkedUsers } from '../../store/links/links.ts';
import { hasLink } from '../../store/links/waiting.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import { toState } from '../../store/resources/state.ts';
import { toUnmanaged } from '../differences.ts';
import { stuckDelayMs } from '../outcome.ts';
import type { Waiter } from '../waiters.ts';
import type { Recording } from './finish.ts';
import { changeFacts } from './finish.ts';
import { EXISTENCE } from './step.ts';

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
        : part.version === version && written.has(toLinkText(part)),
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
  const { isRetried, now, random } = r;
  const deferral = { problem, now, retryAt: isRetried ? now : now + stuckDelayMs(random) };
  await changeFacts(r, [...left], (fact) => refuseFact(fact, deferral));
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
  return (await toRuled(tx, rules, { row: draft, now })) ?? draft;
}

/** The row without the refused fields of a write, or without all that was written where no other write was stored since. */
function withoutWrite<Row extends ResourceRow>(
  row: Row,
  { waiter: { undo }, refused, isLast }: RefusedWrite,
): Row {
  const { before = { attributes: {}, cells: {}, deleted: undefined } } = undo;
  const version = row.version + 1;
  const { attributes, cells } = takeBackWrite(row.type, {
    attributes: row.attributes,
    cells: row.cells,
    before,
    fields: listFields(refused),
    isLast,
    version,
  });
  return {
    ...row,
    ...toColumns(row.type, attributes),
    cells,
    version,
    deleted_at: before.deleted === false ? null : row.deleted_at,
  };
}
