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
  type RowChange,
  type RowOf,
  updateRow,
} from '../../store/resources/rows.ts';
import { toObservation } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import type { Reading, ReadRun, ShowingList } from './reading.ts';

type Type = ResourceRow['type'];

/** A user or group as lists show it. */
export interface Entry {
  readonly ids: EntryIds;
  /** Those of them that the lists themselves show; the others follow from what is known of ids. */
  readonly shownIds: Partial<Pick<ResourceRow, keyof EntryIds>>;
  /** The lists that show it, and when the first of them was asked for (epoch milliseconds). */
  readonly lists: readonly ShowingList[];
  readonly sentAt: number;
}

/** A row, and what lists show of it. */
export interface Listed<T extends Type, E extends Entry> {
  readonly entry: E;
  readonly row: RowOf<T>;
}

type Observation<T extends Type> = T extends 'user' ? ObservedUser : ObservedGroup;

/** Columns of a row by an entry: the observation, and the row as providers see it while nobody manages it. */
interface Columns {
  readonly seen: RowChange;
  readonly shown: { readonly attributes: string };
}

/** A row that was stored, and its observation. */
export interface Saved<T extends Type, E extends Entry> extends Listed<T, E> {
  readonly observed: Observation<T>;
  readonly shown: Columns['shown'];
}

/** How entries of one type are stored, as far as users and groups differ. */
export interface EntryKind<T extends Type, E extends Entry> {
  readonly type: T;
  /** Rows that are compared at once, and that one transaction stores: a group may have many members. */
  readonly compared: number;
  readonly saved: number;
  /** Order of the rows that stand for one entry: the first is the one that is to show it. */
  rank(row: RowOf<T>): number;
  /** Merges the entry into what is known of the row. */
  observe(entry: E, row: RowOf<T> | undefined, now: number): Observation<T>;
  toColumns(observed: Observation<T>, row?: RowOf<T>): Columns;
  toNewRow(entry: E, now: number): NewRow<T>;
  /** True when the links of the row are as the entry shows them. */
  agrees?(db: Db, listed: Listed<T, E>, reading: Reading): Promise<boolean>;
  /** Lists managed resources that may have other ids by now. */
  listMoved(
    tx: Db,
    reading: Reading,
    known: readonly Listed<T, E>[],
    added: readonly (readonly [entry: E, row: NewRow<T>])[],
  ): Promise<readonly RowOf<T>[]>;
  /** The folded names by which the service knows it. */
  listNames(row: RowOf<T> | NewRow<T>): string[];
  /** Takes over what an unmanaged row for the same entry has. */
  absorb?(tx: Db, row: RowOf<T>, double: RowOf<T>): Promise<void>;
  /** Stores what follows where lists still show what is deleted. Absent: it is stored as what is live. */
  removeAgain?(tx: Db, listed: Listed<T, E>, now: number): Promise<void>;
  /** Stores what belongs to the rows: addresses, members. */
  finish(
    tx: Db,
    run: ReadRun,
    saved: readonly Saved<T, E>[],
    inserted: readonly Listed<T, E>[],
  ): Promise<void>;
}

/** Stores what lists show. Rows that are stored as they show them are only noted: mostly all. */
export async function storeEntries<T extends Type, E extends Entry>(
  run: ReadRun,
  kind: EntryKind<T, E>,
  entries: readonly E[],
): Promise<void> {
  const { deps, reading, signal } = run;
  const { store } = deps;
  // A page may name one twice.
  const unique = new Map(entries.map((entry) => [toKeys(entry.ids).join(), entry]));
  for (const some of chunks([...unique.values()], kind.compared)) {
    signal.throwIfAborted();
    const changed: E[] = [];
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

function isLive({ deleted_at }: ResourceRow): boolean {
  return deleted_at === null;
}

/** Reads the rows that stand for entries, those of each in the order of their ranks. */
async function findRows<T extends Type, E extends Entry>(
  db: Db,
  { type, rank }: EntryKind<T, E>,
  entries: readonly E[],
  choice: { readonly lock?: boolean } = {},
): Promise<(entry: E) => RowOf<T>[]> {
  const ids = entries.map((entry) => entry.ids);
  const byKey = new Map<string, Set<RowOf<T>>>();
  for (const row of await listRowsOfEntries(db, type, ids, choice)) {
    for (const key of toKeys(row)) {
      byKey.set(key, (byKey.get(key) ?? new Set()).add(row));
    }
  }
  return (entry) => {
    const rows = new Set(toKeys(entry.ids).flatMap((key) => [...(byKey.get(key) ?? [])]));
    // Of several that are live the oldest, of several that were deleted the newest.
    const age = (row: RowOf<T>) => (isLive(row) ? row.seq : -row.seq);
    return [...rows].sort((one, other) => rank(one) - rank(other) || age(one) - age(other));
  };
}

function toKeys({ upstream_id, upstream_scim_id, upstream_uid }: EntryIds): string[] {
  const keys: string[] = [];
  if (upstream_id != null) keys.push(`id ${upstream_id}`);
  if (upstream_scim_id != null) keys.push(`scim ${upstream_scim_id}`);
  if (upstream_uid != null) keys.push(`uid ${upstream_uid}`);
  return keys;
}

/** True when the store holds a user or group as the lists show it. */
async function isStored<T extends Type, E extends Entry>(
  { deps: { store, clock }, reading }: ReadRun,
  kind: EntryKind<T, E>,
  listed: Listed<T, E>,
): Promise<boolean> {
  const { entry, row } = listed;
  const before = toObservation(row);
  const isGone = row.deleted_at !== null && kind.removeAgain !== undefined;
  if (before === undefined || isGone) return false;
  const stored = toKeys(row);
  if (!toKeys(entry.shownIds).every((key) => stored.includes(key))) return false;
  if (!isTheSame(kind.observe(entry, row, clock.now()), before)) return false;
  return kind.agrees === undefined || kind.agrees(store.read, listed, reading);
}

/**
 * Stores entries, so that a repeated page adds none. What was written since the list was asked for keeps the newer state.
 * What may have other ids by now is looked at, and until then the lists say nothing of it.
 */
async function saveEntries<T extends Type, E extends Entry>(
  tx: Db,
  run: ReadRun,
  kind: EntryKind<T, E>,
  entries: readonly E[],
): Promise<void> {
  const { reading } = run;
  const now = run.deps.clock.now();
  const toRows = await findRows(tx, kind, entries, { lock: true });
  const known: Listed<T, E>[] = [];
  const added: (readonly [entry: E, row: NewRow<T>])[] = [];
  for (const entry of entries) {
    const rows = toRows(entry);
    if (rows.length === 0) added.push([entry, kind.toNewRow(entry, now)]);
    else known.push(...(await settleRows(tx, kind, { entry, rows, now })));
  }
  const moved = await kind.listMoved(tx, reading, known, added);
  for (const row of moved) {
    reading.moved.add(row.id);
    await updateRow(tx, row, toLookAgainColumns(row, now));
  }
  const movedIds = new Set<string>(moved.map(({ id }) => id));
  const saved: Saved<T, E>[] = [];
  for (const listed of known.filter(({ row }) => !movedIds.has(row.id))) {
    saved.push(...(await saveKnown(tx, kind, listed, now)));
  }
  const inserted = await insertAdded(tx, kind, added, moved.flatMap(kind.listNames));
  await kind.finish(tx, run, saved, inserted);
}

/**
 * Finds the one row that is to show an entry, and removes unmanaged ones beside it. None: a deleted one waits for its
 * removal again, or two that a provider wrote stay as they are.
 */
async function settleRows<T extends Type, E extends Entry>(
  tx: Db,
  kind: EntryKind<T, E>,
  {
    entry,
    rows,
    now,
  }: { readonly entry: E; readonly rows: readonly RowOf<T>[]; readonly now: number },
): Promise<Listed<T, E>[]> {
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
async function saveKnown<T extends Type, E extends Entry>(
  tx: Db,
  kind: EntryKind<T, E>,
  { entry, row }: Listed<T, E>,
  now: number,
): Promise<Saved<T, E>[]> {
  const decision = decideMerge(row, entry.sentAt);
  if (decision === 'drop') return [];
  const observed = kind.observe(entry, row, now);
  const before = toObservation(row);
  const isConfirmed = kind.type === 'user' && before && confirms(observed, before);
  if (decision === 'look-again' && !isConfirmed) {
    await updateRow(tx, row, toLookAgainColumns(row, now));
    return [];
  }
  const { seen, shown } = kind.toColumns(observed, row);
  const isShown = row.origin === null && shown.attributes !== row.attributes;
  const changed = isShown ? { ...shown, version: row.version + 1, modified_at: now } : {};
  await updateRow(tx, row, { ...entry.shownIds, ...seen, ...changed }, row);
  return [{ entry, row, observed, shown }];
}

/**
 * Adds unmanaged rows, but for what a create of ours may have made, or what may have moved: the look of the one that waits
 * for it tells. Under another id it would be lost to a provider that writes it meanwhile.
 */
async function insertAdded<T extends Type, E extends Entry>(
  tx: Db,
  kind: EntryKind<T, E>,
  added: readonly (readonly [entry: E, row: NewRow<T>])[],
  movedNames: readonly string[],
): Promise<Listed<T, E>[]> {
  if (added.length === 0) return [];
  const taken = (await listNamesUnderWay(tx, kind.type)).union(new Set(movedNames));
  const free = added.filter(([, row]) => !kind.listNames(row).some((name) => taken.has(name)));
  const entryOf = new Map(free.map(([entry, { id }]) => [id, entry]));
  const rows = await insertRows(
    tx,
    free.map(([, row]) => row),
  );
  return rows.flatMap((row) => {
    const entry = entryOf.get(row.id);
    return entry === undefined ? [] : [{ entry, row }];
  });
}
