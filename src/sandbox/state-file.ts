import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type {
  AuditEvent,
  Change,
  LinkKind,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';
import { auditEventsMax, type Journal, type Remembered } from './state.ts';

/** Keeps a sandbox in one SQLite file: a commit is on the disk before its answer leaves. */
export interface StateFile extends Journal {
  /** The state of earlier processes. Read lazily; use it before the first write. */
  readonly remembered: Remembered;
  /** A value stored beside the state: `make` creates it the first time, and it never changes. */
  keep(name: 'token' | 'company-uid', make: () => string): string;
  close(): void;
}

// AUTOINCREMENT keeps the largest id ever given in sqlite_sequence, so that no id is used twice.
const schema = `
  CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY AUTOINCREMENT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS groups (id INTEGER PRIMARY KEY AUTOINCREMENT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS spaces (id INTEGER PRIMARY KEY AUTOINCREMENT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS links (
    group_id INTEGER NOT NULL, link TEXT NOT NULL, user_id INTEGER NOT NULL,
    PRIMARY KEY (group_id, link, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS links_by_user ON links (user_id);
`;

/**
 * Opens `path`, creating it, readable for its owner only, and its folder. It stays locked: two sandboxes never share one.
 * @throws Error of SQLite when the file is in use, not writable, or not a database.
 */
export function openStateFile(path: string): StateFile {
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  const statements = prepare(db);
  return {
    remembered: {
      changes: readChanges(db),
      lastUserId: lastId(db, 'users'),
      lastGroupId: lastId(db, 'groups'),
    },
    write: (changes) =>
      inTransaction(db, () => {
        for (const change of changes) save(statements, change);
      }),
    keep: (name, make) => {
      statements.keep.run(name, make());
      return String(statements.kept.get(name)?.value);
    },
    close: () => db.close(),
  };
}

function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: 500 });
  try {
    db.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    inTransaction(db, () => db.exec(schema)); // Takes the lock, so that a second sandbox fails here.
    return db;
  } catch (error) {
    db.close();
    throw isLocked(error) ? new Error(toInUse(path), { cause: error }) : error;
  }
}

/** True for SQLITE_BUSY: another process has the file. @see https://sqlite.org/rescode.html */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function toInUse(path: string): string {
  return `another process has the file ${path}: end it, or name another file in SANDBOX_FILE`;
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  const upsert = (table: string) =>
    db.prepare(
      `INSERT INTO ${table} (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc`,
    );
  return {
    keep: db.prepare('INSERT INTO kept (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING'),
    kept: db.prepare('SELECT value FROM kept WHERE name = ?'),
    user: upsert('users'),
    userRemoved: db.prepare('DELETE FROM users WHERE id = ?'),
    userLinksRemoved: db.prepare('DELETE FROM links WHERE user_id = ?'),
    group: upsert('groups'),
    space: upsert('spaces'),
    groupRemoved: db.prepare('DELETE FROM groups WHERE id = ?'),
    groupLinksRemoved: db.prepare('DELETE FROM links WHERE group_id = ?'),
    linked: db.prepare(
      'INSERT INTO links (group_id, link, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    unlinked: db.prepare('DELETE FROM links WHERE group_id = ? AND link = ? AND user_id = ?'),
    event: db.prepare('INSERT INTO events (doc) VALUES (?)'),
    eventsCleared: db.prepare('DELETE FROM events'),
    eventsPruned: db.prepare('DELETE FROM events WHERE id <= ?'),
  } satisfies Record<string, StatementSync>;
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function save(statements: Statements, change: Change): void {
  switch (change.kind) {
    case 'user':
      statements.user.run(change.user.id, JSON.stringify(change.user));
      return;
    case 'user-removed':
      statements.userLinksRemoved.run(change.userId);
      statements.userRemoved.run(change.userId);
      return;
    case 'group':
      statements.group.run(change.group.id, JSON.stringify(change.group));
      return;
    case 'space':
      statements.space.run(change.space.id, JSON.stringify(change.space));
      return;
    case 'group-removed':
      statements.groupLinksRemoved.run(change.groupId);
      statements.groupRemoved.run(change.groupId);
      return;
    case 'link': {
      const statement = change.present ? statements.linked : statements.unlinked;
      statement.run(change.groupId, change.link, change.userId);
      return;
    }
    case 'event':
      saveEvent(statements, change.event);
      return;
    case 'events-cleared':
      statements.eventsCleared.run();
  }
}

function saveEvent(statements: Statements, event: AuditEvent): void {
  const eventId = Number(statements.event.run(JSON.stringify(event)).lastInsertRowid);
  if (eventId % 1_000 === 0) statements.eventsPruned.run(eventId - auditEventsMax);
}

function* readChanges(db: DatabaseSync): Generator<Change> {
  for (const row of db.prepare('SELECT doc FROM users ORDER BY id').iterate()) {
    yield { kind: 'user', user: parseUser(row.doc) };
  }
  for (const row of db.prepare('SELECT doc FROM groups ORDER BY id').iterate()) {
    yield { kind: 'group', group: parseGroup(row.doc) };
  }
  for (const row of db.prepare('SELECT doc FROM spaces ORDER BY id').iterate()) {
    yield { kind: 'space', space: parseSpace(row.doc) };
  }
  for (const row of db.prepare('SELECT group_id, link, user_id FROM links').iterate()) {
    const link: LinkKind = row.link === 'admin' ? 'admin' : 'member';
    const [groupId, userId] = [Number(row.group_id), Number(row.user_id)];
    yield { kind: 'link', link, groupId, userId, present: true };
  }
  for (const row of db.prepare('SELECT doc FROM events ORDER BY id').iterate()) {
    yield { kind: 'event', event: parseEvent(row.doc) };
  }
}

// Only `save` writes the file, so the casts below repeat what it wrote.
function parseUser(doc: SQLOutputValue | undefined): SandboxUser {
  return JSON.parse(String(doc)) as SandboxUser;
}

function parseGroup(doc: SQLOutputValue | undefined): SandboxGroup {
  return JSON.parse(String(doc)) as SandboxGroup;
}

function parseSpace(doc: SQLOutputValue | undefined): SandboxSpace {
  return JSON.parse(String(doc)) as SandboxSpace;
}

function parseEvent(doc: SQLOutputValue | undefined): AuditEvent {
  return JSON.parse(String(doc)) as AuditEvent;
}

function lastId(db: DatabaseSync, table: 'users' | 'groups'): number {
  const row = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
  return Number(row?.seq ?? 0);
}
