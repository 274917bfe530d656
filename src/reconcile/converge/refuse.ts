import type { Cells } from '../../domain/cell.ts';
import { ask, onlyWaiting } from '../../domain/cell.ts';
import { hasEntityPutIn } from '../../domain/entity.ts';
import { refuse as refuseFact } from '../../domain/failure.ts';
import type { LinkKey } from '../../domain/link.ts';
import { disownLink, releaseLink, revertLink, toLinkText } from '../../domain/link.ts';
import type { Refusal } from '../../domain/values.ts';
import { takeBackWrite, toCellsAfterDeletion } from '../../domain/write.ts';
import type { Field, Part } from '../../plan/step.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import { isRuled, toRuled } from '../../rules/fields.ts';
import { isSameJson, toColumns } from '../../store/engine/columns.ts';
import { changeLinks, changeNamed, listLinkedUsers } from '../../store/links/links.ts';
import { hasLink } from '../../store/links/waiting.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import { toGroupState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
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
  if (!isTakenBack && left.size > 0) await defer(r, [...left], problem);
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

/** Defers the refused parts whose write was acknowledged: they stay wanted, are shown, and are tried again slowly. */
async function defer(r: Recording, parts: readonly Part[], problem: Refusal): Promise<void> {
  const { isRetried, now, random } = r;
  const deferral = { problem, now, retryAt: isRetried ? now : now + stuckDelayMs(random) };
  await changeFacts(r, parts, (fact) => refuseFact(fact, deferral));
  r.row = { ...r.row, attempts: r.row.attempts + 1 };
}

interface RefusedWrite {
  readonly waiter: Waiter;
  /** Its parts that the service refused. */
  readonly refused: readonly Part[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
}

/** The row after a refused write: a new one is deleted, an adopted one unmanaged again, a deleted one back. */
function takeBack(r: Recording, write: RefusedWrite): Promise<ResourceRow> | ResourceRow {
  const { row, now } = r;
  if (row.type === 'group') return takeBackGroup(r, row, write);
  const { before, after } = write.waiter.undo;
  if (isSameJson(row.attributes, after)) {
    // A new user who was given an existing account, which is not ours to deactivate.
    const isTakenOver = before === undefined && row.origin === 'adopted';
    if (before?.origin === null || isTakenOver) return toUnmanaged(row);
    if (before === undefined || before.deleted) {
      const nothing = onlyWaiting(row.cells, []);
      return markDeleted(row, ask(nothing, ['active'], row.version + 1), now);
    }
  }
  return withoutWrite(row, write);
}

/** The row as deleted. @param cells what is to be done before it is over */
export function markDeleted<Row extends ResourceRow>(
  row: Row,
  cells: Cells<Field>,
  now: number,
): Row {
  return { ...row, cells, version: row.version + 1, deleted_at: now };
}

/** Takes a write of a group back, with the members and admins that it changed, and applies the rules to the result. */
async function takeBackGroup(
  { tx, deps: { rules }, reverted, now }: Recording,
  row: GroupRow,
  write: RefusedWrite,
): Promise<GroupRow> {
  const { waiter, isLast } = write;
  const { before, after, links: written } = waiter.undo;
  const isUnchanged = isSameJson(row.attributes, after);
  const isDeleted = isUnchanged && before?.deleted !== false;
  const isWhole = isDeleted || (isUnchanged && before?.origin === null);
  const versions = { version: waiter.version, next: row.version + 1 };
  const refused = new Set(listLinks(write.refused).map(toLinkText));
  const back = isLast && !isWhole ? written : written.filter((one) => refused.has(toLinkText(one)));
  await changeNamed(tx, row, back, (link, one) => revertLink(link, one.before, versions));
  reverted.push(...(isWhole ? await listLinkedUsers(tx, row) : back.map(({ userId }) => userId)));
  // One that the bridge created is removed, a released one loses the members the bridge added.
  const without = isDeleted
    ? markDeleted(row, toCellsAfterDeletion(toGroupState(row), versions.next), now)
    : withoutWrite(row, write);
  const kept = isUnchanged ? await followMembers(tx, without, waiter.undo) : without;
  // The people of inner groups are looked at when this is followed.
  const inner_groups = (isLast ? before?.innerGroups : undefined) ?? row.inner_groups;
  // The admin list is the rules' again where all that the provider asked of it was refused.
  const admins = written.filter(({ list }) => list === 'admin');
  const isReturned = admins.length > 0 && admins.every((one) => back.includes(one));
  const admins_asked = isReturned ? (before?.adminsAsked ?? 0) : kept.admins_asked;
  const draft = { ...kept, admins_asked, inner_groups };
  return (await toRuled(tx, rules, { row: draft, now })) ?? draft;
}

async function followMembers(tx: Db, row: GroupRow, undo: Undo): Promise<GroupRow> {
  if (row.deleted_at !== null && row.origin === 'adopted') {
    await changeLinks(tx, row, {}, (link) => releaseLink(link, row.version));
  }
  // Members that the write added stay, and then the group stays managed.
  const isPutIn = hasEntityPutIn(row.cells) || (await hasLink(tx, row, 'ours'));
  if (undo.before?.origin !== null || isPutIn) return row;
  await changeLinks(tx, row, {}, disownLink);
  return toUnmanaged(row);
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
