import type { Selectable } from 'kysely';
import type { SessionsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A session as stored: of its secret the digest alone. */
export type SessionRow = Selectable<SessionsTable>;

/** Sessions that are kept at once; the oldest end first. */
const SESSIONS_MAX = 1_000;

/** Adds a session, and deletes those that are over. */
export async function insertSession(tx: Db, session: SessionRow): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
  await tx.insertInto('sessions').values(session).execute();
  const surplus = tx.selectFrom('sessions').select('id').orderBy('created_at', 'desc');
  await tx
    .deleteFrom('sessions')
    .where('id', 'in', surplus.limit(SESSIONS_MAX).offset(SESSIONS_MAX))
    .execute();
}

/** The session with this id, over or not. */
export async function findSessionRow(db: Db, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Place in the list of sessions: several may begin in one moment. */
export type SessionPlace = Pick<SessionRow, 'created_at' | 'id'>;

/** Page of the list of sessions; times are epoch milliseconds. */
export interface SessionQuery {
  readonly usedAfter: number;
  readonly now: number;
  /** Place after which the page begins; undefined: at the newest. */
  readonly after: SessionPlace | undefined;
  readonly limit: number;
}

/** Sessions that were used after `usedAfter` and end after `now`, the newest first. */
export async function listSessions(
  db: Db,
  { usedAfter, now, after, limit }: SessionQuery,
): Promise<SessionRow[]> {
  let sessions = db
    .selectFrom('sessions')
    .selectAll()
    .where('expires_at', '>', now)
    .where('last_used_at', '>', usedAfter);
  if (after !== undefined) {
    sessions = sessions.where(({ and, eb, or }) =>
      or([
        eb('created_at', '<', after.created_at),
        and([eb('created_at', '=', after.created_at), eb('id', '<', after.id)]),
      ]),
    );
  }
  return sessions.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Remembers when a session was last used. */
export async function noteSessionUse(tx: Db, id: string, at: number): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where('last_used_at', '<', at)
    .execute();
}

/** Ends a session; false when there is none. */
export async function deleteSession(tx: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}
