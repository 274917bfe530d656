import { randomUUID } from 'node:crypto';
import type {
  AuditEvent,
  Change,
  LinkKind,
  SandboxCompany,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';

/** Number of audit events that are kept; the oldest go first. */
const auditEventsMax = 100_000;

/** Keeps commits beyond this process. */
export interface Journal {
  /** The commits of earlier processes, the oldest first. */
  read(): Iterable<readonly Change[]>;
  /** Stores all of `changes` or none, durably, before it returns. */
  write(changes: readonly Change[]): void;
  close(): void;
}

/**
 * All data of the sandbox, in memory, with an index for each look-up. It decides nothing: `SandboxService` has the
 * rules. All changes go through `commit`, which is atomic because nothing in it waits.
 */
export class State {
  readonly users = new Table<SandboxUser, 'email' | 'userName'>({
    email: ({ email }) => email,
    userName: ({ userName }) => userName.toLowerCase(),
  });
  readonly groups = new Table<SandboxGroup, 'uid' | 'scimId' | 'name'>({
    uid: ({ uid }) => uid,
    scimId: ({ scimId }) => scimId,
    name: ({ name }) => name,
  });
  readonly spaces = new Table<SandboxSpace, 'uid'>({ uid: ({ uid }) => uid });
  /** Members and admins of all groups. */
  readonly links: Readonly<Record<LinkKind, GroupLinks>> = {
    member: new GroupLinks(),
    admin: new GroupLinks(),
  };
  /** Oldest first. */
  readonly events: AuditEvent[] = [];
  #company: SandboxCompany = { uid: randomUUID(), token: randomUUID() };
  readonly #journal: Journal | undefined;

  constructor(journal?: Journal) {
    this.#journal = journal;
    let isNew = true;
    for (const changes of journal?.read() ?? []) {
      isNew = false;
      for (const change of changes) this.#apply(change);
    }
    if (isNew) this.commit([{ kind: 'company', company: this.#company }]);
  }

  get company(): SandboxCompany {
    return this.#company;
  }

  /** Stores the changes in the journal, then shows them. When the journal fails, nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#journal?.write(changes);
    for (const change of changes) this.#apply(change);
  }

  #apply(change: Change): void {
    const { member, admin } = this.links;
    switch (change.kind) {
      case 'company':
        this.#company = change.company;
        break;
      case 'user':
        this.users.put(change.user);
        break;
      case 'user-removed':
        this.users.delete(change.userId);
        for (const links of [member, admin]) links.removeUser(change.userId);
        break;
      case 'group':
        this.groups.put(change.group);
        break;
      case 'group-removed':
        this.groups.delete(change.groupId);
        for (const links of [member, admin]) links.removeGroup(change.groupId);
        break;
      case 'space':
        this.spaces.put(change.space);
        break;
      case 'link':
        this.links[change.link].set(change.groupId, change.userId, change.present);
        break;
      case 'event':
        this.events.push(change.event);
        // A tenth more than the limit, so that the shift of a long array is paid rarely.
        if (this.events.length > auditEventsMax * 1.1) {
          this.events.splice(0, this.events.length - auditEventsMax);
        }
        break;
      case 'events-cleared':
        this.events.length = 0;
    }
  }
}

/** Rows in order of their ids, found by id and by other keys. */
class Table<Row extends { readonly id: number }, Key extends string> {
  readonly #rows = new Map<number, Row>();
  /** Ids by key and value: several rows may have the same value of a key. */
  readonly #ids = new Sets<string>();
  readonly #keys: Readonly<Record<Key, (row: Row) => string>>;
  #all: readonly Row[] | undefined;
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
    this.#index(row.id, 'remove');
    this.#rows.set(row.id, row);
    this.#index(row.id, 'add');
    this.#lastId = Math.max(this.#lastId, row.id);
    this.#all = undefined;
  }

  delete(id: number): void {
    this.#index(id, 'remove');
    this.#rows.delete(id);
    this.#all = undefined;
  }

  all(order: 'asc' | 'desc' = 'asc'): readonly Row[] {
    this.#all ??= [...this.#rows.values()];
    return order === 'asc' ? this.#all : this.#all.toReversed();
  }

  #index(id: number, change: 'add' | 'remove'): void {
    const row = this.find(id);
    if (row === undefined) return;
    for (const [key, toValue] of Object.entries<(row: Row) => string>(this.#keys)) {
      this.#ids[change](`${key} ${toValue(row)}`, id);
    }
  }
}

/** Users of groups, readable from both ends; adding and removing one costs the same at any size. */
class GroupLinks {
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
