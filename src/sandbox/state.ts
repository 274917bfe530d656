import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  AuditEvent,
  Change,
  LinkKind,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';

/** Number of audit events that are kept; the oldest go first. */
const EVENTS_MAX = 100_000;

/**
 * All data of the sandbox, in memory. It decides nothing: `SandboxService` has the rules. All changes go through
 * `commit`, which is atomic because nothing in it waits. A file has one row of JSON a commit, on the disk before its
 * answer leaves.
 */
export class State {
  readonly users = new Table<SandboxUser>();
  readonly groups = new Table<SandboxGroup>();
  readonly spaces = new Table<SandboxSpace>();
  /** Oldest first. */
  readonly events: AuditEvent[] = [];
  /** The company, and the token of its owner. */
  company = { uid: randomUUID().toString(), token: randomUUID().toString() };
  /** Ids of users by `toKeys`. */
  readonly #userIds = new Map<string, number>();
  readonly #links = {
    member: new Map<number, Set<number>>(),
    admin: new Map<number, Set<number>>(),
  };
  readonly #file: DatabaseSync | undefined;

  /** @throws Error when the file is in use, not writable, or no database */
  constructor(path?: string) {
    this.#file = path === undefined ? undefined : openFile(path);
    const rows = this.#file?.prepare('SELECT changes FROM commits ORDER BY id').iterate() ?? [];
    for (const { changes } of rows) {
      for (const change of parseChanges(String(changes))) this.#apply(change);
    }
    if (this.users.nextId === 1) this.commit([{ kind: 'company', ...this.company }]);
  }

  close(): void {
    this.#file?.close();
  }

  /** The user of this address or name. */
  findUser(by: 'email' | 'userName', text: string): SandboxUser | undefined {
    return this.users.find(this.#userIds.get(`${by} ${text.toLowerCase()}`) ?? 0);
  }

  /** Ids of the users of a group. */
  usersOf(link: LinkKind, groupId: number): ReadonlySet<number> {
    return this.#links[link].get(groupId) ?? new Set();
  }

  /** The groups that a user is a member or admin of. */
  groupsOf(link: LinkKind, userId: number): SandboxGroup[] {
    return this.groups.all().filter(({ id }) => this.usersOf(link, id).has(userId));
  }

  /** Stores the changes in the file, then shows them. When the file fails, nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const insert = this.#file?.prepare('INSERT INTO commits (changes) VALUES (?)');
    insert?.run(JSON.stringify(changes));
    for (const change of changes) this.#apply(change);
  }

  #apply(change: Change): void {
    const { member, admin } = this.#links;
    switch (change.kind) {
      case 'company':
        this.company = change;
        break;
      case 'user':
        this.#forgetKeys(change.user.id);
        this.users.put(change.user);
        for (const key of toKeys(change.user)) this.#userIds.set(key, change.user.id);
        break;
      case 'user-removed':
        this.#forgetKeys(change.userId);
        this.users.delete(change.userId);
        for (const users of [...member.values(), ...admin.values()]) users.delete(change.userId);
        break;
      case 'group':
        this.groups.put(change.group);
        break;
      case 'group-removed':
        this.groups.delete(change.groupId);
        for (const links of [member, admin]) links.delete(change.groupId);
        break;
      case 'space':
        this.spaces.put(change.space);
        break;
      case 'link': {
        const users = this.#links[change.link].get(change.groupId) ?? new Set();
        this.#links[change.link].set(change.groupId, users);
        if (change.present) users.add(change.userId);
        else users.delete(change.userId);
        break;
      }
      case 'event':
        this.events.push(change.event);
        // A tenth more than the limit, so that the shift of a long array is rare.
        if (this.events.length > EVENTS_MAX * 1.1) this.events.splice(0, EVENTS_MAX / 10);
        break;
      case 'cleared':
        for (const { id: userId } of this.users.all().slice(1)) {
          this.#apply({ kind: 'user-removed', userId });
        }
        for (const { id } of this.groups.all()) this.groups.delete(id);
        for (const links of [member, admin]) links.clear();
        this.events.length = 0;
    }
  }

  #forgetKeys(id: number): void {
    for (const key of toKeys(this.users.find(id))) this.#userIds.delete(key);
  }
}

/** What nobody else may have: the address, and the name in lower case. */
function toKeys(user: SandboxUser | undefined): string[] {
  return user ? [`email ${user.email}`, `userName ${user.userName.toLowerCase()}`] : [];
}

// The transaction takes the lock, so that a second sandbox fails here: two never share a file.
const SCHEMA = `
  PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS commits (id INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT;
  COMMIT;
`;

/** Opens the file, or creates it with its folder, readable for its owner only. */
function openFile(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: 500 });
  try {
    db.exec(SCHEMA);
    return db;
  } catch (cause) {
    db.close();
    // SQLITE_BUSY, https://sqlite.org/rescode.html
    if (!(cause instanceof Error && 'errcode' in cause && cause.errcode === 5)) throw cause;
    const words = `another process has the file ${path}: end it, or name another file in SANDBOX_FILE`;
    throw new Error(words, { cause });
  }
}

/** Only `commit` fills the file, so this repeats what it wrote. */
function parseChanges(text: string): readonly Change[] {
  return JSON.parse(text) as readonly Change[];
}

/** Rows in order of their creation. */
class Table<Row extends { readonly id: number }> {
  readonly #rows = new Map<number, Row>();
  #all: readonly Row[] | undefined;
  /** Id of the next row: larger than every one before, those of removed rows too. */
  nextId = 1;

  find(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  put(row: Row): void {
    this.#rows.set(row.id, row);
    this.nextId = Math.max(this.nextId, row.id + 1);
    this.#all = undefined;
  }

  delete(id: number): void {
    this.#rows.delete(id);
    this.#all = undefined;
  }

  all(): readonly Row[] {
    this.#all ??= [...this.#rows.values()];
    return this.#all;
  }
}
