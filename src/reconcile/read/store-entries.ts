import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObservedGroup } from '../../domain/group.ts';
import { confirms, isTheSame } from '../../domain/resource-state.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { type EntryIds, listNamesUnderWay, listRowsOfEntries } from '../../store/resources/find.ts';
import {
  deleteRow,
  insertRows,
  type NewRow,
  type ResourceRow,
  type RowOf,
  updateRow,
} from '../../store/resources/rows.ts';
import { NO_IDS, toObservation } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import type { Reading, ReadRun, ShowingList } from './reading.ts';

type Type = ResourceRow['type'];
type Observation<T extends Type> = T extends 'user' ? ObservedUser : ObservedGroup;

/** A user or group as lists show it. */
export interface Entry<T extends Type> {
  readonly ids: EntryIds;
  /** Those of them that the lists themselves show; the others follow from what is known of ids. */
  readonly shownIds: Partial<Pick<ResourceRow, keyof EntryIds>>;
  /** The lists that show it, and when the first of them was asked for (epoch milliseconds). */
  readonly lists: readonly ShowingList[];
  readonly sentAt: number;
  /** Accounts of the members of a group; absent: no list shows them. */
  readonly memberIds?: readonly number[] | undefined;
  /** Merges it into what is known of the row; `now` is epoch milliseconds. */
  observe(row: RowOf<T> | undefined, now: number): Observation<T>;
  /** True where another one has the ids of the row by now: the service may give them anew. */
  isAnother(row: RowOf<T>): boolean;
}

/** A row, and what lists show of it. */
export interface Listed<T extends Type> {
  readonly entry: Entry<T>;
  readonly row: RowOf<T>;
}

/** The columns that providers see while nobody manages the row. */
type ShownColumns = Pick<ResourceRow, 'attributes' | 'name' | 'name_folded'>;

/** A row that was stored, and its observation. */
export interface Saved<T extends Type> extends Listed<T> {
  readonly observed: Observation<T>;
}

/** An entry that no row stands for yet, with its row. */
export interface Added<T extends Type> {
  readonly entry: Entry<T>;
  readonly row: NewRow<T>;
}

/** How entries of one type are stored, as far as users and groups differ. */
export interface EntryKind<T extends Type> {
  readonly type: T;
  /** Rows that are compared at once, and that one transaction stores: a group may have many members. */
  readonly compared: number;
  readonly saved: number;
  newId(): NewRow<T>['id'];
  /** Order of the rows that stand for one entry: the first is the one that is to show it. */
  rank(row: RowOf<T>): number;
  toSeenColumns(observed: Observation<T>, row?: RowOf<T>): Pick<ResourceRow, 'observed'>;
  toShownColumns(observed: Observation<T>): ShownColumns;
  /** True when the links of the row are as the entry shows them. */
  agrees?(db: Db, listed: Listed<T>, reading: Reading): Promise<boolean>;
  /** Lists managed resources that these new entries may stand for, because they have other ids by now. */
  listElsewhere(tx: Db, added: readonly Added<T>[]): Promise<readonly RowOf<T>[]>;
  /** The folded names by which the service knows it. */
  listNames(row: RowOf<T> | NewRow<T>): string[];
  /** Takes over what an unmanaged row for the same entry has. */
  absorb?(tx: Db, row: RowOf<T>, double: RowOf<T>): Promise<void>;
  /** Stores what follows where lists still show what is deleted. Absent: it is stored as what is live. */
  removeAgain?(tx: Db, listed: Listed<T>, now: number): Promise<void>;
  /** Stores what belongs to the rows: addresses, members. */
  finish(
    tx: Db,
    run: ReadRun,
    saved: readonly Saved<T>[],
    inserted: readonly Listed<T>[],
  ): Promise<void>;
}

/** Stores what lists show. Rows that are stored as they show them are only noted: mostly all. */
export async function storeEntries<T extends Type>(
  run: ReadRun,
  kind: EntryKind<T>,
  entries: readonly Entry<T>[],
): Promise<void> {
  const { deps, reading, signal } = run;
  const { store } = deps;
  // A page may name one twice.
  const unique = new Map(entries.map((entry) => [toKeys(entry.ids).join(), entry]));
  for (const some of chunks([...unique.values()], kind.compared)) {
    signal.throwIfAborted();
    const changed: Entry<T>[] = [];
    const toRows = await findRows(store.read, kind, some);
    for (const entry of some) {
      const [row, ...others] = toRows(entry);
      const isOne = row !== undefined && !others.some(isLive);
      if (isOne && (await isStored(run, kind, { entry, row }))) {
        for (const list of entry.lists) reading.unchanged[list].add(row.seq);
      } else changed.push(entry);
    }
    for (const part of chunks(changed, kind.saved)) {
      await store.write((tx) => saveEntries(tx, run, kind, part));
    }
    await nextTurn();
  }
}

const isLive = ({ deleted_at }: ResourceRow) => deleted_at === null;

/** Reads the rows that stand for entries, those of each in the order of their ranks. */
async function findRows<T extends Type>(
  db: Db,
  { type, rank }: EntryKind<T>,
  entries: readonly Entry<T>[],
  choice: { readonly lock?: boolean } = {},
): Promise<(entry: Entry<T>) => RowOf<T>[]> {
  const ids = entries.map((entry) => entry.ids);
  const byKey = new Map<string, Set<RowOf<T>>>();
  for (const row of await listRowsOfEntries(db, type, ids, choice)) {
    for (const key of toKeys(row)) byKey.set(key, (byKey.get(key) ?? new Set()).add(row));
  }
  return (entry) => {
    const rows = new Set(toKeys(entry.ids).flatMap((key) => [...(byKey.get(key) ?? [])]));
    // Of several that are live the oldest, of several that were deleted the newest.
    const age = (row: RowOf<T>) => (isLive(row) ? row.seq : -row.seq);
    return [...rows].sort((one, other) => rank(one) - rank(other) || age(one) - age(other));
  };
}

function toKeys(ids: EntryIds): string[] {
  const columns = ['upstream_id', 'upstream_scim_id', 'upstream_uid'] as const;
  return columns.flatMap((column) => (ids[column] == null ? [] : [`${column} ${ids[column]}`]));
}

/** True when the store holds a user or group as the lists show it. */
async function isStored<T extends Type>(
  { deps: { store, clock }, reading }: ReadRun,
  kind: EntryKind<T>,
  listed: Listed<T>,
): Promise<boolean> {
  const { entry, row } = listed;
  const before = toObservation(row);
  const isGone = row.deleted_at !== null && kind.removeAgain !== undefined;
  if (before === undefined || isGone) return false;
  const stored = toKeys(row);
  if (!toKeys(entry.shownIds).every((key) => stored.includes(key))) return false;
  if (!isTheSame(entry.observe(row, clock.now()), before)) return false;
  return kind.agrees === undefined || kind.agrees(store.read, listed, reading);
}

/**
 * Stores entries, so that a repeated page adds none. What was written since the list was asked for keeps the newer state.
 * What may have other ids by now is looked at, and until then the lists say nothing of it.
 */
async function saveEntries<T extends Type>(
  tx: Db,
  run: ReadRun,
  kind: EntryKind<T>,
  entries: readonly Entry<T>[],
): Promise<void> {
  const { reading } = run;
  const now = run.deps.clock.now();
  const toRows = await findRows(tx, kind, entries, { lock: true });
  const known: Listed<T>[] = [];
  const added: Added<T>[] = [];
  for (const entry of entries) {
    const rows = toRows(entry);
    if (rows.length === 0) added.push({ entry, row: toNewRow(kind, entry, now) });
    else known.push(...(await settleRows(tx, kind, { entry, rows, now })));
  }
  const strangers = known.flatMap(({ entry, row }) =>
    row.origin !== null && entry.isAnother(row) ? [row] : [],
  );
  // Nobody has had another account before the first read.
  const isNew = reading.isFirst && kind.type === 'user';
  const moved = isNew ? [] : [...strangers, ...(await kind.listElsewhere(tx, added))];
  const movedIds = new Set<string>(moved.map(({ id }) => id));
  for (const row of moved) {
    reading.moved.add(row.id);
    await updateRow(tx, row, toLookAgainColumns(row, now));
  }
  const saved: Saved<T>[] = [];
  for (const listed of known.filter(({ row }) => !movedIds.has(row.id))) {
    saved.push(...(await saveKnown(tx, kind, listed, now)));
  }
  const inserted = await insertAdded(tx, kind, added, moved.flatMap(kind.listNames));
  await kind.finish(tx, run, saved, inserted);
}

function toNewRow<T extends Type>(kind: EntryKind<T>, entry: Entry<T>, now: number): NewRow<T> {
  const observed = entry.observe(undefined, now);
  return {
    ...NO_IDS,
    ...entry.shownIds,
    ...kind.toSeenColumns(observed),
    ...kind.toShownColumns(observed),
    created_at: now,
    modified_at: now,
    type: kind.type,
    id: kind.newId(),
  };
}

/**
 * Finds the one row that is to show an entry, and removes unmanaged ones beside it. None: a deleted one waits for its
 * removal again, or two that a provider wrote stay as they are.
 */
async function settleRows<T extends Type>(
  tx: Db,
  kind: EntryKind<T>,
  {
    entry,
    rows,
    now,
  }: { readonly rows: readonly RowOf<T>[]; readonly now: number } & Pick<Listed<T>, 'entry'>,
): Promise<Listed<T>[]> {
  const [row, ...others] = rows;
  if (row === undefined) return [];
  if (row.deleted_at !== null && kind.removeAgain) {
    for (const one of rows) await kind.removeAgain(tx, { entry, row: one }, now);
    return [];
  }
  const doubles = others.filter(isLive);
  if (doubles.some(({ origin }) => origin !== null)) return [];
  for (const double of doubles) {
    await kind.absorb?.(tx, row, double);
    await deleteRow(tx, double);
  }
  return [{ entry, row }];
}

/**
 * Stores what lists show of a known row: an unmanaged one is shown as observed, a managed one as desired. An entry that may
 * be older than a call makes a look due, but for a user of whom it shows what the call showed: mostly one who was created
 * while the list was read. None: nothing was stored.
 */
async function saveKnown<T extends Type>(
  tx: Db,
  kind: EntryKind<T>,
  { entry, row }: Listed<T>,
  now: number,
): Promise<Saved<T>[]> {
  const decision = decideMerge(row, entry.sentAt);
  if (decision === 'drop') return [];
  const observed = entry.observe(row, now);
  const before = toObservation(row);
  const isConfirmed = kind.type === 'user' && before && confirms(observed, before);
  if (decision === 'look-again' && !isConfirmed) {
    await updateRow(tx, row, toLookAgainColumns(row, now));
    return [];
  }
  const shown = kind.toShownColumns(observed);
  const seen = { ...entry.shownIds, ...kind.toSeenColumns(observed, row) };
  const isShown = row.origin === null && shown.attributes !== row.attributes;
  const changed = isShown ? { ...shown, version: row.version + 1, modified_at: now } : {};
  await updateRow(tx, row, { ...seen, ...changed });
  return [{ entry, row, observed }];
}

/**
 * Adds unmanaged rows, but for what a create of ours may have made, or what may have moved: the look of the one that waits
 * for it tells. Under another id it would be lost to a provider that writes it meanwhile.
 */
async function insertAdded<T extends Type>(
  tx: Db,
  kind: EntryKind<T>,
  added: readonly Added<T>[],
  movedNames: readonly string[],
): Promise<Listed<T>[]> {
  if (added.length === 0) return [];
  const taken = (await listNamesUnderWay(tx, kind.type)).union(new Set(movedNames));
  const free = added.filter(({ row }) => !kind.listNames(row).some((name) => taken.has(name)));
  const entryOf = new Map(free.map(({ entry, row }) => [row.id, entry]));
  const rows = await insertRows(
    tx,
    free.map(({ row }) => row),
  );
  return rows.flatMap((row) => {
    const entry = entryOf.get(row.id);
    return entry === undefined ? [] : [{ entry, row }];
  });
}
