import { ask, onlyWaiting } from '../domain/cell.ts';
import { defer, withEarlierRefusals } from '../domain/failure.ts';
import type { JsonObject } from '../domain/json.ts';
import { type Link, type LinkKey, refuseLink, toLinkText } from '../domain/link.ts';
import { withEarlierWords } from '../domain/refusal.ts';
import { type FieldsOfKind, takeBackWrite } from '../domain/undo.ts';
import { parseCells, parseStored } from '../store/engine/columns.ts';
import { changeNamed, listNamed } from '../store/links/links.ts';
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
    const said = withEarlierRefusals(problem, asked, fields);
    if (waiter.undo.before === undefined && fields.includes(kind.existence)) {
      undone.push({ version: waiter.version, problem: said });
      return { row: draft, undone, isNotCreated: true };
    }
    const links = await revertLinks(tx, row, waiter, parts);
    if (fields.length === 0 && links.length === 0) continue;
    const withEarlier = withEarlierWords(withUsers(said, parts, links), listWords(links));
    undone.push({ version: waiter.version, problem: withEarlier });
    const isLast = row.version === waiter.version;
    draft = await kind.revert(tx, draft, step, { waiter, fields, links, isLast });
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
  const isRemoval = (part: LinkPart) => !part.wanted && part.version === version;
  const isTaken = fields.some((field) => ACCESS_FIELDS.has(field));
  return undo.removes && !isTaken && !listLinkParts(parts).some(isRemoval);
}

/** Refused users that an error names. */
const NAMED_MAX = 10;

/** Adds to a problem the users who were put back, with their SCIM ids, each with the words of the service. */
function withUsers(problem: Problem, parts: readonly Part[], links: readonly LinkKey[]): Problem {
  const taken = new Set(links.map(toLinkText));
  const named = listLinkParts(parts).filter((part) => taken.has(toLinkText(part)));
  const byWords = Map.groupBy(named, (part) => (part.problem ?? problem).words);
  const words = [...byWords].map(([said, same]) => {
    const ids = same.slice(0, NAMED_MAX).map(({ userId }) => userId);
    const more = same.length > NAMED_MAX ? ` and ${same.length - NAMED_MAX} more` : '';
    return `${said} (about ${ids.join(', ')}${more})`;
  });
  return words.length === 0 ? problem : { ...problem, words: words.join('; ') };
}

/** The service's words about earlier changes of these links. */
function listWords(links: readonly Link[]): string[] {
  return links.flatMap(({ problem }) =>
    problem === null ? [] : [parseStored<Problem>(problem).words],
  );
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
  const undoneVersions = new Set(undone.map(({ version }) => version));
  const kept = listLinkParts(parts).filter(({ version }) => !undoneVersions.has(version));
  await changeNamed(tx, row, kept, (link, part) =>
    refuseLink(link, { ...times, problem: part.problem ?? problem }),
  );
  return kept.length;
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
  const stored = row.type === 'user' ? [] : await listNamed(tx, row, listLinkParts(parts));
  const waiting = new Map(stored.map((link) => [toLinkText(link), link.pending]));
  return parts.filter((part) =>
    typeof part === 'string'
      ? cells[part]?.pending === planned.cells[part]?.pending
      : waiting.get(toLinkText(part)) === part.version,
  );
}

/** Puts back the refused users whose last writer is the refused write; the others stay. */
async function revertLinks(tx: Db, row: ResourceRow, waiter: Waiter, parts: readonly Part[]) {
  const { version, undo } = waiter;
  const refused = new Set(listLinkParts(parts).map(toLinkText));
  const written = undo.links.filter((link) => refused.has(toLinkText(link)));
  return changeNamed(tx, row, written, (link, { before }) =>
    link.pending === version ? (before ?? undefined) : link,
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
