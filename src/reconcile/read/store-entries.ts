import { setImmediate as nextTurn } from 'node:timers/promises';
import { confirms, isTheSame, type ObservedGroup, type ObservedUser } from '../../domain/kinds.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { agreesWithLinks } from '../../store/links/links.ts';
import { moveLinks } from '../../store/links/of-users.ts';
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
import { decideMerge, toLookAgainColumns } from '../differences.ts';
import { observeMembers, toSeenMembers } from '../group/observe.ts';
import type { ReadRun, ShowingList } from './reading.ts';

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
export interface Listed<T extends Type, Row = RowOf<T>> {
  readonly entry: Entry<T>;
  readonly row: Row;
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
  /** The columns that providers see while nobody manages the row. */
  toShownColumns(
    observed: Observation<T>,
  ): Pick<ResourceRow, 'attributes' | 'name' | 'name_folded'>;
  /** Lists managed resources that new entries may stand for, because they have other ids by now. */
  listElsewhere(tx: Db, added: readonly Listed<T, NewRow<T>>[]): Promise<readonly RowOf<T>[]>;
  /** The folded names by which the service knows it. */
  listNames(row: RowOf<T> | NewRow<T>): string[];
  /** Stores what follows where lists still show what is deleted. Absent: it is stored as what is live. */
  removeAgain?(tx: Db, listed: Listed<T>, now: number): Promise<void>;
  /** Stores what follows for rows that were changed; they are as they were. */
  finish?(tx: Db, run: ReadRun, saved: readonly Listed<T>[]): Promise<void>;
}

const isLive = ({ deleted_at }: ResourceRow) => deleted_at === null;

/** Stores what lists show of one type. */
export class EntryStore<T extends Type> {
  readonly #run: ReadRun;
  readonly #kind: EntryKind<T>;

  constructor(run: ReadRun, kind: EntryKind<T>) {
    this.#run = run;
    this.#kind = kind;
  }

  /** Rows that are stored as the lists show them are only noted: mostly all. */
  async store(entries: readonly Entry<T>[]): Promise<void> {
    const { deps, reading, signal } = this.#run;
    // A page may name one twice.
    const unique = new Map(entries.map((entry) => [toKeys(entry.ids).join(), entry]));
    for (const some of chunks([...unique.values()], this.#kind.compared)) {
      signal.throwIfAborted();
      const changed: Entry<T>[] = [];
      const toRows = await this.#findRows(deps.store.read, some);
      for (const entry of some) {
        const [row, ...others] = toRows(entry);
        const isOne = row !== undefined && !others.some(isLive);
        if (isOne && (await this.#isStored({ entry, row }))) {
          for (const list of entry.lists) reading.unchanged[list].add(row.seq);
        } else changed.push(entry);
      }
      for (const part of chunks(changed, this.#kind.saved)) {
        await deps.store.write((tx) => this.#save(tx, part));
      }
      await nextTurn();
    }
  }

  /** Reads the rows that stand for entries, those of each in the order of their ranks. */
  async #findRows(db: Db, entries: readonly Entry<T>[], choice = { lock: false }) {
    const { type, rank } = this.#kind;
    const ids = entries.map((entry) => entry.ids);
    const byKey = new Map<string, Set<RowOf<T>>>();
    for (const row of await listRowsOfEntries(db, type, ids, choice)) {
      for (const key of toKeys(row)) byKey.set(key, (byKey.get(key) ?? new Set()).add(row));
    }
    return (entry: Entry<T>) => {
      const rows = new Set(toKeys(entry.ids).flatMap((key) => [...(byKey.get(key) ?? [])]));
      // Of several that are live the oldest, of several that were deleted the newest.
      const age = (row: RowOf<T>) => (isLive(row) ? row.seq : -row.seq);
      return [...rows].sort((one, other) => rank(one) - rank(other) || age(one) - age(other));
    };
  }

  /** True when the store holds a user or group as the lists show it. */
  async #isStored({ entry, row }: Listed<T>): Promise<boolean> {
    const { deps, reading } = this.#run;
    const known: ResourceRow = row;
    const before = toObservation(known);
    const isGone = !isLive(known) && this.#kind.removeAgain !== undefined;
    if (before === undefined || isGone) return false;
    const stored = toKeys(known);
    if (!toKeys(entry.shownIds).every((key) => stored.includes(key))) return false;
    if (!isTheSame(entry.observe(row, deps.clock.now()), before)) return false;
    const { memberIds } = entry;
    if (memberIds === undefined || known.type === 'user') return true;
    // Many members take long to compare, and others go on meanwhile.
    await nextTurn();
    const seen = { memberIds, isFirst: reading.isFirst, from: 'list' } as const;
    return agreesWithLinks(deps.store.read, known, toSeenMembers(known, seen));
  }

  /** A repeated page adds none. What may have other ids by now is looked at, and until then lists say nothing of it. */
  async #save(tx: Db, entries: readonly Entry<T>[]): Promise<void> {
    const { deps, reading } = this.#run;
    const { type, listElsewhere, listNames, finish } = this.#kind;
    const now = deps.clock.now();
    const toRows = await this.#findRows(tx, entries, { lock: true });
    const known: Listed<T>[] = [];
    const added: Listed<T, NewRow<T>>[] = [];
    for (const entry of entries) {
      const rows = toRows(entry);
      if (rows.length === 0) added.push({ entry, row: this.#toNewRow(entry, now) });
      else known.push(...(await this.#chooseRow(tx, { entry, rows, now })));
    }
    const moved = new Map<string, RowOf<T>>();
    // No user has had another account before the first read.
    if (type === 'group' || !reading.isFirst) {
      const strangers = known.filter(({ entry, row }) => row.origin && entry.isAnother(row));
      for (const { row } of strangers) moved.set(row.id, row);
      for (const row of await listElsewhere(tx, added)) moved.set(row.id, row);
    }
    for (const [id, row] of moved) {
      reading.moved.add(id);
      await updateRow(tx, row, toLookAgainColumns(row, now));
    }
    const saved: Listed<T>[] = [];
    for (const listed of known.filter(({ row }) => !moved.has(row.id))) {
      if (await this.#saveKnown(tx, listed, now)) saved.push(listed);
    }
    await this.#insert(tx, added, new Set([...moved.values()].flatMap(listNames)));
    await finish?.(tx, this.#run, saved);
  }

  #toNewRow(entry: Entry<T>, now: number): NewRow<T> {
    const { type, newId, toSeenColumns, toShownColumns } = this.#kind;
    const observed = entry.observe(undefined, now);
    const ids = { ...NO_IDS, ...entry.shownIds };
    const columns = { ...toSeenColumns(observed), ...toShownColumns(observed) };
    return { ...ids, ...columns, created_at: now, modified_at: now, type, id: newId() };
  }

  /** Finds the one row that is to show an entry, and removes unmanaged ones beside it. None: nothing is to be stored. */
  async #chooseRow(
    tx: Db,
    { entry, rows, now }: { entry: Entry<T>; rows: readonly RowOf<T>[]; now: number },
  ): Promise<Listed<T>[]> {
    const { type, removeAgain } = this.#kind;
    const [row, ...others] = rows;
    if (row === undefined) return [];
    if (!isLive(row) && removeAgain) {
      for (const one of rows) await removeAgain(tx, { entry, row: one }, now);
      return [];
    }
    const doubles = others.filter(isLive);
    if (doubles.some(({ origin }) => origin !== null)) return [];
    for (const double of doubles) {
      await moveLinks(tx, type, double, row);
      await deleteRow(tx, double, now);
    }
    return [{ entry, row }];
  }

  /** Stores what lists show of a known row. What may be older than a call is looked at instead. False: nothing was stored. */
  async #saveKnown(tx: Db, listed: Listed<T>, now: number): Promise<boolean> {
    const { type, toSeenColumns, toShownColumns } = this.#kind;
    const { entry, row } = listed;
    const decision = decideMerge(row, entry.sentAt);
    if (decision === 'drop') return false;
    const observed = entry.observe(row, now);
    const before = toObservation(row);
    // Mostly one who was created while the list was read.
    const isConfirmed = type === 'user' && before && confirms(observed, before);
    if (decision === 'look-again' && !isConfirmed) {
      await updateRow(tx, row, toLookAgainColumns(row, now));
      return false;
    }
    const shown = toShownColumns(observed);
    const isShown = row.origin === null && shown.attributes !== row.attributes;
    const changed = isShown ? { ...shown, version: row.version + 1, modified_at: now } : {};
    const seen = { ...entry.shownIds, ...toSeenColumns(observed, row) };
    await updateRow(tx, row, { ...seen, ...changed });
    await this.#saveMembers(tx, listed, now);
    return true;
  }

  /** Adds rows, but for what a create of ours may have made, or what may have moved: the look at that one tells. */
  async #insert(
    tx: Db,
    added: readonly Listed<T, NewRow<T>>[],
    movedNames: ReadonlySet<string>,
  ): Promise<void> {
    if (added.length === 0) return;
    const { type, listNames } = this.#kind;
    // Under another id it would be lost to a provider that writes it meanwhile.
    const taken = (await listNamesUnderWay(tx, type)).union(movedNames);
    const free = added.filter(({ row }) => !listNames(row).some((name) => taken.has(name)));
    const entryOf = new Map(free.map(({ entry, row }) => [row.id, entry]));
    const rows = free.map(({ row }) => row);
    for (const row of await insertRows(tx, rows)) {
      const entry = entryOf.get(row.id);
      if (entry) await this.#saveMembers(tx, { entry, row }, row.created_at);
    }
  }

  async #saveMembers(tx: Db, { entry, row }: Listed<T>, now: number): Promise<void> {
    const { memberIds } = entry;
    const stored: ResourceRow = row;
    if (memberIds === undefined || stored.type === 'user') return;
    const { isFirst } = this.#run.reading;
    await observeMembers(tx, stored, { memberIds, now, isFirst, from: 'list' });
  }
}

function toKeys(ids: EntryIds): string[] {
  const columns = ['upstream_id', 'upstream_scim_id', 'upstream_uid'] as const;
  return columns.flatMap((column) => (ids[column] == null ? [] : [`${column} ${ids[column]}`]));
}
