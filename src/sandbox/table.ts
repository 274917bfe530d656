import type { LinkKind } from './model.ts';

/** Rows in order of their ids, found by id and by other keys. */
export class Table<Row extends { readonly id: number }, Key extends string> {
  readonly #rows = new Map<number, Row>();
  /** Ids by key and value: several rows may have the same value of a key. */
  readonly #ids = new Sets<string>();
  readonly #keys: Readonly<Record<Key, (row: Row) => string>>;
  #all: Row[] | undefined;
  #lastId = 0;

  constructor(keys: Readonly<Record<Key, (row: Row) => string>>) {
    this.#keys = keys;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Id of the next row: larger than every one before, those of removed rows too. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  find(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  /** The row with this value of a key, the oldest where there are several. */
  findBy(key: Key, value: string): Row | undefined {
    const [id] = this.#ids.get(`${key} ${value}`);
    return id === undefined ? undefined : this.find(id);
  }

  /** Inserts or replaces; the id of a new row is `nextId`. */
  put(row: Row): void {
    this.#forgetKeys(row.id);
    this.#rows.set(row.id, row);
    for (const entry of this.#entriesOf(row)) this.#ids.add(entry, row.id);
    this.#lastId = Math.max(this.#lastId, row.id);
    this.#all = undefined;
  }

  delete(id: number): void {
    this.#forgetKeys(id);
    this.#rows.delete(id);
    this.#all = undefined;
  }

  all(order: 'asc' | 'desc' = 'asc'): readonly Row[] {
    this.#all ??= [...this.#rows.values()];
    return order === 'asc' ? this.#all : this.#all.toReversed();
  }

  #forgetKeys(id: number): void {
    const before = this.#rows.get(id);
    if (before) for (const entry of this.#entriesOf(before)) this.#ids.remove(entry, id);
  }

  #entriesOf(row: Row): string[] {
    return Object.entries<(row: Row) => string>(this.#keys).map(
      ([key, toValue]) => `${key} ${toValue(row)}`,
    );
  }
}

/** Users of groups, readable from both ends; adding and removing one costs the same at any size. */
export class GroupLinks {
  readonly #users = new Sets<number>();
  readonly #groups = new Sets<number>();

  has(groupId: number, userId: number): boolean {
    return this.#users.get(groupId).has(userId);
  }

  usersOf(groupId: number): ReadonlySet<number> {
    return this.#users.get(groupId);
  }

  groupsOf(userId: number): ReadonlySet<number> {
    return this.#groups.get(userId);
  }

  set(groupId: number, userId: number, isPresent: boolean): void {
    const change = isPresent ? 'add' : 'remove';
    this.#users[change](groupId, userId);
    this.#groups[change](userId, groupId);
  }

  removeGroup(groupId: number): void {
    for (const userId of [...this.usersOf(groupId)]) this.set(groupId, userId, false);
  }

  removeUser(userId: number): void {
    for (const groupId of [...this.groupsOf(userId)]) this.set(groupId, userId, false);
  }
}

/** Members and admins of all groups. */
export type AllLinks = Readonly<Record<LinkKind, GroupLinks>>;

/** Sets of ids by a key. */
class Sets<Key> {
  readonly #sets = new Map<Key, Set<number>>();

  get(key: Key): ReadonlySet<number> {
    return this.#sets.get(key) ?? EMPTY;
  }

  add(key: Key, id: number): void {
    const ids = this.#sets.get(key) ?? new Set();
    this.#sets.set(key, ids.add(id));
  }

  remove(key: Key, id: number): void {
    const ids = this.#sets.get(key);
    if (ids?.delete(id) && ids.size === 0) this.#sets.delete(key);
  }
}

const EMPTY: ReadonlySet<number> = new Set();
