import { ask, onlyWaiting } from '../domain/cell.ts';
import { defer, withEarlierRefusals } from '../domain/failure.ts';
import type { UserId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { withEarlierWords } from '../domain/refusal.ts';
import { type FieldsOfKind, takeBackWrite } from '../domain/undo.ts';
import { parseCells, parseStored } from '../store/engine/columns.ts';
import {
  deleteLinks,
  type LinkRow,
  type LinkTable,
  type LinkWrite,
  listLinks,
  saveLinks,
} from '../store/links/links.ts';
import { postponeLinks } from '../store/links/work.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { stuckDelayMs } from './backoff.ts';
import type { LinkPart, Part, Problem } from './outcome.ts';
import type { Undone } from './recorded.ts';
import {
  type KindTypes,
  listFields,
  listLinkParts,
  type PlannedState,
  type Recording,
  type RefusedWrite,
  type ResourceKind,
} from './resource-kind.ts';
import type { Waiter } from './waiters.ts';

/** Refusal of parts that still are as planned. */
interface RefusedParts<T extends KindTypes> {
  readonly step: Recording<T>;
  readonly parts: readonly Part[];
  readonly problem: Problem;
}

/** User or group after a refusal. */
interface AfterRefusal<Row> {
  readonly row: Row;
  readonly undone: readonly Undone[];
  /** True when the write that created it was taken back. */
  readonly isNotCreated: boolean;
}

/**
 * Takes back writes that were not answered yet, part by part (RFC 7644 §3.5.2). An acknowledged part stays wanted and rests
 * by itself, so that nothing else waits for it; so does the rest of a write that takes access away, which is never refused
 * for its rest.
 */
export async function refuse<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  { step, parts, problem }: RefusedParts<T>,
): Promise<AfterRefusal<T['row']>> {
  const asked = parseCells<T['field']>(row);
  const undone: Undone[] = [];
  const reverted = new Set<T['field']>();
  let draft = row;
  for (const waiter of step.undos) {
    // Compared with the state at the refusal: an older write that waits again, because a later one was undone, was
    // not refused. A field asked for by a rule belongs to no write.
    const fields = listFields<T['field']>(parts).filter(
      (field) => asked[field]?.pending === waiter.version && !kind.isRuled(draft, field),
    );
    if (takesElse(waiter, fields, parts)) continue;
    const told = withEarlierRefusals(problem, asked, fields);
    if (waiter.undo.before === undefined && fields.includes(kind.existence)) {
      undone.push({ version: waiter.version, problem: told });
      return { row: draft, undone, isNotCreated: true };
    }
    const links = await revertLinks(tx, row, waiter, parts);
    if (fields.length === 0 && links.userIds.length === 0) continue;
    const named = withUsers(told, parts, links.userIds);
    const withEarlier = withEarlierWords(named, links.earlierWords);
    undone.push({ version: waiter.version, problem: withEarlier });
    const isLast = row.version === waiter.version;
    draft = await kind.revert(tx, draft, step, { waiter, fields, links: links.userIds, isLast });
    for (const field of fields) reverted.add(field);
  }
  // Nothing is wanted any more of a write that was taken back as a whole.
  const isTakenBack = draft.origin !== row.origin || draft.deleted_at !== row.deleted_at;
  if (isTakenBack) return { row: draft, undone, isNotCreated: false };
  const acknowledged = listFields<T['field']>(parts).filter((field) => !reverted.has(field));
  const rest = { step, parts, problem, undone, acknowledged };
  return { row: await deferRest(tx, draft, rest), undone, isNotCreated: false };
}

/** The row with the refused parts whose write was acknowledged: they stay wanted, are shown, and are tried again slowly. */
async function deferRest<T extends KindTypes>(
  tx: Db,
  row: T['row'],
  {
    step: { now, random },
    parts,
    problem,
    undone,
    acknowledged,
  }: RefusedParts<T> & {
    readonly undone: readonly Undone[];
    readonly acknowledged: readonly T['field'][];
  },
): Promise<T['row']> {
  const deferral = { problem, now, retryAt: now + stuckDelayMs(random) };
  const resting = await postponeRefused(tx, row, { ...deferral, parts, undone });
  const cells = defer(parseCells<T['field']>(row), { ...deferral, fields: acknowledged });
  return {
    ...row,
    cells: JSON.stringify(cells),
    stuck_at: resting > 0 ? (row.stuck_at ?? now) : row.stuck_at,
    attempts: row.attempts + (resting + acknowledged.length > 0 ? 1 : 0),
  };
}

/** Fields by which a write takes access away. */
const ACCESS_FIELDS: ReadonlySet<string> = new Set(['active', 'temporarilyInactive']);

/** True when a write takes something away and the service refused something else of it: the removal stays acknowledged. */
function takesElse(
  { version, undo }: Waiter,
  fields: readonly string[],
  parts: readonly Part[],
): boolean {
  const isRemoval = ({ change }: LinkPart) => !change.wanted && change.version === version;
  const isTaken = fields.some((field) => ACCESS_FIELDS.has(field));
  return undo.removes && !isTaken && !listLinkParts(parts).some(isRemoval);
}

/** Refused users that an error names. */
const NAMED_MAX = 10;

/** Adds to a problem the members that were taken back, with their SCIM ids, each with the words of the service. */
function withUsers(problem: Problem, parts: readonly Part[], userIds: readonly UserId[]): Problem {
  const taken = new Set(userIds);
  const links = listLinkParts(parts).filter(({ change }) => taken.has(change.userId));
  const words = groupByProblem(links, problem).map(({ told, same }) => {
    const ids = listLinkParts(same).map(({ change }) => change.userId);
    const named = ids.slice(0, NAMED_MAX).join(', ');
    const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : '';
    return `${told.words} (about ${named}${more})`;
  });
  return words.length === 0 ? problem : { ...problem, words: words.join('; ') };
}

/** Defers the refused users whose write was acknowledged: they stay wanted and are shown. Returns their number. */
async function postponeRefused(
  tx: Db,
  row: ResourceRow,
  {
    parts,
    undone,
    problem,
    ...times
  }: {
    readonly parts: readonly Part[];
    readonly undone: readonly Undone[];
    readonly problem: Problem;
    readonly now: number;
    readonly retryAt: number;
  },
): Promise<number> {
  if (row.type === 'user') return 0;
  let postponed = 0;
  const undoneVersions = new Set(undone.map(({ version }) => version));
  for (const { told, same } of groupByProblem(parts, problem)) {
    for (const { table, changes } of groupLinks(same)) {
      const kept = changes.filter(({ version }) => !undoneVersions.has(version));
      const userIds = kept.map(({ userId }) => userId);
      await postponeLinks(tx, table, row.id, { ...times, userIds, problem: told });
      postponed += userIds.length;
    }
  }
  return postponed;
}

/**
 * Lists the parts that still are as planned: a part that a later write has changed was not refused, because the service was
 * never asked for the new value.
 */
export async function listStillPlanned(
  tx: Db,
  row: ResourceRow,
  { planned, parts }: { readonly planned: PlannedState; readonly parts: readonly Part[] },
): Promise<Part[]> {
  const cells = parseCells<string>(row);
  const waiting = new Map<string, number | null>();
  for (const { kind, table, changes } of groupLinks(parts)) {
    if (row.type === 'user' || changes.length === 0) continue;
    const userIds = changes.map(({ userId }) => userId);
    for (const { user_id, pending } of await listLinks(tx, table, row.id, userIds)) {
      waiting.set(`${kind} ${user_id}`, pending);
    }
  }
  return parts.filter((part) =>
    typeof part === 'string'
      ? cells[part]?.pending === planned.cells[part]?.pending
      : waiting.get(`${part.kind} ${part.change.userId}`) === part.change.version,
  );
}

const TABLES = { member: 'memberships', admin: 'group_admins' } as const;

/** The changes of users among these parts, list by list. */
export function groupLinks(parts: readonly Part[]) {
  return (['member', 'admin'] as const).map((kind) => {
    const changes = listLinkParts(parts).flatMap((part) =>
      part.kind === kind ? [part.change] : [],
    );
    return { kind, table: TABLES[kind], changes };
  });
}

/** Groups parts by the words of the service: those of the part, or `problem`. */
export function groupByProblem(parts: readonly Part[], problem: Problem) {
  const toTold = (part: Part) => (typeof part === 'string' ? undefined : part.problem) ?? problem;
  const groups = Map.groupBy(parts, (part) => JSON.stringify(toTold(part)));
  return [...groups].map(([told, same]) => ({ told: parseStored<Problem>(told), same }));
}

/** Puts back the refused users whose last writer is the refused write; the others stay. */
async function revertLinks(tx: Db, row: ResourceRow, waiter: Waiter, parts: readonly Part[]) {
  const reverted: LinkRow[] = [];
  for (const { kind, table, changes } of groupLinks(parts)) {
    const befores = kind === 'member' ? waiter.undo.members : waiter.undo.admins;
    const own = changes.filter(({ version }) => version === waiter.version);
    if (row.type === 'user' || own.length === 0) continue;
    const refused = own.map(({ userId }) => userId);
    const rows = await listLinks(tx, table, row.id, refused);
    const mine = rows.filter(
      (link) => link.pending === waiter.version && befores.has(link.user_id),
    );
    await putBack(tx, { table, groupId: row.id, befores }, mine);
    reverted.push(...mine);
  }
  return {
    userIds: reverted.map((link) => link.user_id),
    earlierWords: reverted.flatMap(({ problem }) =>
      problem === null ? [] : [parseStored<Problem>(problem).words],
    ),
  };
}

/** Links of one list that a write changed, as they were. */
export interface WrittenLinks {
  readonly table: LinkTable;
  readonly groupId: Parameters<typeof saveLinks>[2];
  readonly befores: ReadonlyMap<UserId, LinkWrite | null>;
}

/** Makes these links what they were before the write. */
export async function putBack(
  tx: Db,
  { table, groupId, befores }: WrittenLinks,
  rows: readonly LinkRow[],
): Promise<void> {
  const ids = rows.map(({ user_id }) => user_id);
  const known = ids.flatMap((id) => befores.get(id) ?? []);
  await saveLinks(tx, table, groupId, known);
  await deleteLinks(
    tx,
    table,
    groupId,
    ids.filter((id) => !befores.get(id)),
  );
}

/**
 * Hides a resource whose creation was taken back while the service may hold what a lost create made, which is looked
 * for.
 */
export function hideNotCreated<Row extends ResourceRow>(row: Row, now: number): Row {
  const version = row.version + 1;
  const existence = row.type === 'user' ? 'account' : 'existence';
  const cells = ask(onlyWaiting(parseCells(row), []), [existence], version);
  return { ...row, deleted_at: now, version, cells: JSON.stringify(cells), must_look: 1 };
}

/** The columns after the refused fields were taken back, or all that was written where no other write was stored since. */
export function revertColumns<Field extends KindTypes['field'], Columns>(
  row: ResourceRow,
  { waiter, fields, isLast }: RefusedWrite<Field>,
  kind: FieldsOfKind<Field>,
  toColumns: (attributes: JsonObject) => Columns,
) {
  const { before, after } = waiter.undo;
  const version = row.version + 1;
  const refused = {
    current: parseStored<JsonObject>(row.attributes),
    cells: parseCells<Field>(row),
    written: { before: before?.attributes ?? {}, after: parseStored<JsonObject>(after) },
    cellsBefore: before?.cells ?? {},
    ...{ fields, isLast, version },
  };
  const { attributes, cells } = takeBackWrite(refused, kind);
  return {
    ...toColumns(attributes),
    cells: JSON.stringify(cells),
    version,
    deleted_at: before?.deleted === false ? null : row.deleted_at,
  };
}
