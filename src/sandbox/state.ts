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
const EVENTS_MAX = 100_000;

/** Keeps commits beyond this process. */
export interface Journal {
  /** The commits of earlier processes, the oldest first. */
  read(): Iterable<readonly Change[]>;
  /** Stores all of `changes` or none, durably, before it returns. */
  write(changes: readonly Change[]): void;
  close(): void;
}

/**
 * All data of the sandbox, in memory. It decides nothing: `SandboxService` has the rules. All changes go through
 * `commit`, which is atomic because nothing in it waits.
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
  company: SandboxCompany = { uid: randomUUID(), token: randomUUID() };
  readonly #journal: Journal | undefined;

  constructor(journal?: Journal) {
    this.#journal = journal;
    for (const changes of journal?.read() ?? []) this.#apply(changes);
    if (this.users.size === 0) this.commit([{ kind: 'company', company: this.company }]);
  }

  /** Stores the changes in the journal, then shows them. When the journal fails, nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#journal?.write(changes);
    this.#apply(changes);
  }

  #apply(changes: readonly Change[]): void {
    for (const change of changes) this.#applyOne(change);
  }

  #applyOne(change: Change): void {
    const { member, admin } = this.links;
    switch (change.kind) {
      case 'company':
        this.company = change.company;
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
        // A tenth more than the limit, so that the shift of a long array is rare.
        if (this.events.length > EVENTS_MAX * 1.1) {
          this.events.splice(0, this.events.length - EVENTS_MAX);
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
  readonly #ids = new Map<string, Set<number>>();
  readonly #keys: [name: string, toValue: (row: Row) => string][];
  #all: readonly Row[] | undefined;
  #lastId = 0;

  constructor(keys: Readonly<Record<Key, (row: Row) => string>>) {
    this.#keys = Object.entries(keys);
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
    const [id] = this.#ids.get(`${key} ${value}`) ?? [];
    return id === undefined ? undefined : this.find(id);
  }

  /** Inserts or replaces; the id of a new row is `nextId`. */
  put(row: Row): void {
    const before = this.find(row.id);
    this.#rows.set(row.id, row);
    for (const [key, toValue] of this.#keys) {
      if (before) this.#ids.get(`${key} ${toValue(before)}`)?.delete(row.id);
      const ids = this.#ids.get(`${key} ${toValue(row)}`) ?? new Set();
      this.#ids.set(`${key} ${toValue(row)}`, ids.add(row.id));
    }
    this.#lastId = Math.max(this.#lastId, row.id);
    this.#all = undefined;
  }

  delete(id: number): void {
    const row = this.find(id);
    this.#rows.delete(id);
    for (const [key, toValue] of this.#keys) {
      if (row) this.#ids.get(`${key} ${toValue(row)}`)?.delete(id);
    }
    this.#all = undefined;
  }

  all(order: 'asc' | 'desc' = 'asc'): readonly Row[] {
    this.#all ??= [...this.#rows.values()];
    return order === 'asc' ? this.#all : this.#all.toReversed();
  }
}

/** Users of groups. */
class GroupLinks {
  readonly #users = new Map<number, Set<number>>();

  has(groupId: number, userId: number): boolean {
    return this.usersOf(groupId).has(userId);
  }

  usersOf(groupId: number): ReadonlySet<number> {
    return this.#users.get(groupId) ?? NOBODY;
  }

  groupsOf(userId: number): number[] {
    return [...this.#users].flatMap(([groupId, users]) => (users.has(userId) ? [groupId] : []));
  }

  set(groupId: number, userId: number, isPresent: boolean): void {
    const users = this.#users.get(groupId) ?? new Set();
    this.#users.set(groupId, users);
    if (isPresent) users.add(userId);
    else users.delete(userId);
  }

  removeGroup(groupId: number): void {
    this.#users.delete(groupId);
  }

  removeUser(userId: number): void {
    for (const users of this.#users.values()) users.delete(userId);
  }
}

const NOBODY: ReadonlySet<number> = new Set();
