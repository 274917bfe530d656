import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, edit } from '../../domain/cell.ts';
import { defer } from '../../domain/failure.ts';
import type { ObservedGroup, ObservedUser } from '../../domain/kinds.ts';
import { confirms, isTheSame } from '../../domain/kinds.ts';
import type { UserId } from '../../domain/values.ts';
import { groupId, NOT_APPLIED, newId, userId } from '../../domain/values.ts';
import { followUsers } from '../../rules/follow.ts';
import { hasWaiting, isSameJson, toColumns } from '../../store/engine/columns.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { agreesWithLinks } from '../../store/links/links.ts';
import { moveLinks } from '../../store/links/of-users.ts';
import type { EntryIds } from '../../store/resources/find.ts';
import {
  listAccountNames,
  listNamed,
  listNamesUnderWay,
  listRowsOfEntries,
  listServiceNames,
} from '../../store/resources/find.ts';
import type { GroupRow, NewRow, ResourceRow, ResourceType } from '../../store/resources/rows.ts';
import { deleteRow, insertRows, updateRow } from '../../store/resources/rows.ts';
import { NO_IDS } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { decideMerge, toLookAgainColumns, toShown } from '../differences.ts';
import { observeMembers, toSeenMembers } from '../group/apply.ts';
import { toObservedColumns } from '../user/account.ts';
import type { ReadRun, ShowingList } from './reading.ts';

/** A user or group as lists show it. `row`: what is known of it. Times are epoch milliseconds. */
export interface Entry {
  readonly ids: EntryIds;
  /** Those of them that the lists themselves show; the others follow from what is known of ids. */
  readonly shownIds: Partial<Pick<ResourceRow, keyof EntryIds>>;
  /** The lists that show it, and when the first of them was asked for. */
  readonly lists: readonly ShowingList[];
  readonly sentAt: number;
  /** Accounts of the members of a group; absent: no list shows them. */
  readonly memberIds?: readonly number[] | undefined;
  /** Merges it into what was observed before. */
  observe(row: ResourceRow | undefined, now: number): ObservedUser | ObservedGroup;
  /** True where another one has the ids of the row by now: the service may give them anew. */
  isAnother(row: ResourceRow): boolean;
}

/** Entries that are compared at once, and that one transaction stores: a group may have many members. */
const AT_ONCE = { user: 1_000, group: 10 } as const;

type Storing = ReadRun & { readonly type: ResourceType };

/** A row, and what lists show of it. */
interface Listed<Row = ResourceRow> {
  readonly entry: Entry;
  readonly row: Row;
}

const isLive = ({ deleted_at }: ResourceRow) => deleted_at === null;

/** Stores what lists show. Rows that are stored as the lists show them are only noted: mostly all. */
export async function storeEntries(run: Storing, entries: readonly Entry[]): Promise<void> {
  const { type, deps, reading, signal } = run;
  // A page may name one twice.
  const unique = new Map(entries.map((entry) => [toKeys(entry.ids).join(), entry]));
  for (const some of chunks([...unique.values()], AT_ONCE[type])) {
    signal.throwIfAborted();
    const changed: Entry[] = [];
    const toRows = await findRows(deps.store.read, type, some);
    for (const entry of some) {
      const [row, ...others] = toRows(entry);
      const isOne = row !== undefined && !others.some(isLive);
      if (isOne && (await isStored(run, { entry, row }))) {
        for (const list of entry.lists) reading.lists[list].unchanged.add(row.seq);
      } else changed.push(entry);
    }
    if (changed.length > 0) await deps.store.write((tx) => saveEntries(tx, run, changed));
    await nextTurn();
  }
}

/** Reads the rows that stand for entries: of each the one first that is to show it. */
async function findRows(
  db: Db,
  type: ResourceType,
  entries: readonly Entry[],
  choice = { lock: false },
) {
  const ids = entries.map((entry) => entry.ids);
  const rows = await listRowsOfEntries(db, type, ids, choice);
  const keyed = rows.flatMap((row) => toKeys(row).map((key) => ({ key, row })));
  const byKey = Map.groupBy(keyed, ({ key }) => key);
  return (entry: Entry) => {
    const found = toKeys(entry.ids).flatMap((key) => byKey.get(key) ?? []);
    return [...new Set(found.map(({ row }) => row))].sort(
      (one, other) => toRank(one) - toRank(other) || toAge(one) - toAge(other),
    );
  };
}

/** A deleted user may keep the account that an unmanaged row stands for. */
function toRank(row: ResourceRow): number {
  if (isLive(row)) return row.origin === null ? 2 : 0;
  return row.type === 'user' ? 1 : 3;
}

/** Of several that are live the oldest comes first, of several that were deleted the newest. */
const toAge = (row: ResourceRow) => (isLive(row) ? row.seq : -row.seq);

function toKeys(ids: EntryIds): string[] {
  const columns = ['upstream_id', 'upstream_scim_id', 'upstream_uid'] as const;
  return columns.flatMap((column) => (ids[column] == null ? [] : [`${column} ${ids[column]}`]));
}

/** True when the store holds a user or group as the lists show it. */
async function isStored({ deps, reading }: ReadRun, { entry, row }: Listed): Promise<boolean> {
  if (row.observed === null || (!isLive(row) && row.type === 'group')) return false;
  const stored = toKeys(row);
  if (!toKeys(entry.shownIds).every((key) => stored.includes(key))) return false;
  if (!isTheSame(entry.observe(row, deps.clock.now()), row.observed)) return false;
  const { memberIds } = entry;
  if (memberIds === undefined || row.type === 'user') return true;
  // Many members take long to compare, and others go on meanwhile.
  await nextTurn();
  const seen = { memberIds, isFirst: reading.isFirst, from: 'list' } as const;
  return agreesWithLinks(deps.store.read, row, toSeenMembers(row, seen));
}

/** A repeated page adds none. What may have other ids by now is looked at, and until then lists say nothing of it. */
async function saveEntries(tx: Db, run: Storing, entries: readonly Entry[]): Promise<void> {
  const { type, deps, reading } = run;
  const now = deps.clock.now();
  const toRows = await findRows(tx, type, entries, { lock: true });
  const known: Listed[] = [];
  const added: Listed<NewRow>[] = [];
  for (const entry of entries) {
    const rows = toRows(entry);
    if (rows.length === 0) added.push({ entry, row: toNewRow(type, entry, now) });
    else known.push(...(await chooseRow(tx, { entry, rows, now })));
  }
  const moved = new Map<string, ResourceRow>();
  // No user has had another account before the first read.
  if (type === 'group' || !reading.isFirst) {
    const strangers = known.filter(({ entry, row }) => row.origin && entry.isAnother(row));
    const elsewhere = await listElsewhere(tx, type, added);
    for (const row of [...strangers.map((one) => one.row), ...elsewhere]) moved.set(row.id, row);
  }
  for (const [id, row] of moved) {
    reading.moved.add(id);
    await updateRow(tx, row, toLookAgainColumns(row, now));
  }
  const users: UserId[] = [];
  for (const listed of known.filter(({ row }) => !moved.has(row.id))) {
    const { row } = listed;
    if ((await saveKnown(tx, run, listed)) && row.type === 'user') users.push(row.id);
  }
  await insertNew(tx, run, added, new Set([...moved.values()].flatMap(listServiceNames)));
  // Rules might have taken a licence that was not known before from a protected user.
  const { rules } = deps;
  if (users.length > 0 && !rules.book.isEmpty) await followUsers(tx, rules, users, now);
}

function toNewRow(type: ResourceType, entry: Entry, now: number): NewRow {
  const observed = entry.observe(undefined, now);
  const shown = toColumns(type, toShown(observed));
  const ids = { ...NO_IDS, ...entry.shownIds };
  const columns = { ...ids, ...toSeen(observed), ...shown, created_at: now, modified_at: now };
  const id = newId();
  return type === 'user'
    ? { ...columns, type, id: userId(id) }
    : { ...columns, type, id: groupId(id) };
}

/** Finds the one row that is to show an entry, and removes unmanaged ones beside it. None: nothing is to be stored. */
async function chooseRow(
  tx: Db,
  { entry, rows, now }: { entry: Entry; rows: readonly ResourceRow[]; now: number },
): Promise<Listed[]> {
  const [row, ...others] = rows;
  if (row === undefined) return [];
  if (row.type === 'group' && !isLive(row)) {
    for (const one of rows) {
      if (one.type === 'group') await removeAgain(tx, one, { sentAt: entry.sentAt, now });
    }
    return [];
  }
  const doubles = others.filter(isLive);
  if (doubles.some(({ origin }) => origin !== null)) return [];
  for (const double of doubles) {
    await moveLinks(tx, row.type, double, row);
    await deleteRow(tx, double, now);
  }
  return [{ entry, row }];
}

/** Stores what lists show of a known row. What may be older than a call is looked at instead. False: nothing was stored. */
async function saveKnown(tx: Db, run: ReadRun, listed: Listed): Promise<boolean> {
  const now = run.deps.clock.now();
  const { entry, row } = listed;
  const decision = decideMerge(row, entry.sentAt);
  if (decision === 'drop') return false;
  const [before, observed] = [row.observed, entry.observe(row, now)];
  // Mostly one who was created while the list was read.
  const isConfirmed = row.type === 'user' && before && confirms(observed, before);
  if (decision === 'look-again' && !isConfirmed) {
    await updateRow(tx, row, toLookAgainColumns(row, now));
    return false;
  }
  const shown = row.origin === null ? toColumns(row.type, toShown(observed)) : row;
  const isNew = !isSameJson(shown.attributes, row.attributes);
  const changed = isNew ? { ...shown, version: row.version + 1, modified_at: now } : {};
  await updateRow(tx, row, { ...entry.shownIds, ...toSeen(observed, row), ...changed });
  await saveMembers(tx, run, listed);
  return true;
}

function toSeen(observed: ReturnType<Entry['observe']>, row?: ResourceRow) {
  if ('displayName' in observed) return { observed };
  return toObservedColumns(row, observed);
}

/** Adds rows, but for what a create of ours may have made, or what may have moved: the look at that one tells. */
async function insertNew(
  tx: Db,
  run: Storing,
  added: readonly Listed<NewRow>[],
  movedNames: ReadonlySet<string>,
): Promise<void> {
  if (added.length === 0) return;
  // Under another id it would be lost to a provider that writes it meanwhile.
  const taken = (await listNamesUnderWay(tx, run.type)).union(movedNames);
  const free = added.filter(({ row }) => !listServiceNames(row).some((name) => taken.has(name)));
  const entryOf = new Map<string, Entry>(free.map(({ entry, row }) => [row.id, entry]));
  const rows = free.map(({ row }) => row);
  for (const row of await insertRows(tx, rows)) {
    const entry = entryOf.get(row.id);
    if (entry) await saveMembers(tx, run, { entry, row });
  }
}

async function saveMembers(tx: Db, run: ReadRun, { entry, row }: Listed): Promise<void> {
  const { memberIds } = entry;
  if (memberIds === undefined || row.type === 'user') return;
  const { isFirst } = run.reading;
  const now = run.deps.clock.now();
  await observeMembers(tx, row, { memberIds, now, isFirst, from: 'list' });
}

/** Lists managed users and groups that new rows may stand for, because they have other ids by now. */
async function listElsewhere(
  tx: Db,
  type: ResourceType,
  added: readonly Listed<NewRow>[],
): Promise<readonly ResourceRow[]> {
  const names = added.flatMap(({ row }) => listServiceNames(row));
  const created = new Map(
    added.map(({ entry, row }) => [row.name_folded, entry.observe(undefined, 0).created]),
  );
  const named: readonly ResourceRow[] = await listNamed(tx, type, names, { lock: true });
  return named.filter((row) => {
    if (row.origin === null || row.deleted_at !== null) return false;
    if (row.type === 'group') {
      const before = row.observed?.created;
      return before !== undefined && before === created.get(row.name_folded);
    }
    const held = row.upstream_id === null ? listAccountNames(row) : listServiceNames(row);
    return held.some((name) => names.includes(name));
  });
}

/** A group that was removed and is in a later list was not: its removal waits again, with one failed attempt. */
async function removeAgain(
  tx: Db,
  row: GroupRow,
  { sentAt, now }: { readonly sentAt: number; readonly now: number },
): Promise<void> {
  const isReleased = row.origin !== 'created' || row.observed !== null;
  const isUnderWay = hasWaiting(row) || row.due_at !== null;
  if (isReleased || isUnderWay || row.modified_at >= sentAt) return;
  const asked = ask(row.cells, ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, retryAt: now, attemptsMax: 2, now };
  const cells = edit(asked, ['existence'], (cell) => defer(cell, failing));
  await updateRow(tx, row, { cells, due_at: now, due_class: 0 });
}
