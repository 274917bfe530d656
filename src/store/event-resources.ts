import { type Insertable, type RawBuilder, sql } from 'kysely';
import { foldCase } from '../domain/fold.ts';
import { chunks } from './chunks.ts';
import type { AuditEventNamesTable, AuditEventResourcesTable, AuditEventsTable } from './schema.ts';
import type { Db } from './store.ts';

/** One person or group that an event names. */
export type EventResourceRow = Insertable<AuditEventResourcesTable>;

/** One text of an event that names nobody yet. */
export type EventNameRow = Insertable<AuditEventNamesTable>;

/** Stores whom new events name. */
export async function insertEventResources(
  tx: Db,
  rows: readonly EventResourceRow[],
): Promise<void> {
  for (const some of chunks(rows)) {
    await tx.insertInto('audit_event_resources').values(some).execute();
  }
}

/** Stores what new events show that name nobody yet. */
export async function insertEventNames(tx: Db, rows: readonly EventNameRow[]): Promise<void> {
  for (const some of chunks(rows)) await tx.insertInto('audit_event_names').values(some).execute();
}

/** Forgets whom events name, and what they show. */
export async function forgetNamed(tx: Db, eventIds: readonly string[]): Promise<void> {
  for (const some of chunks(eventIds)) {
    await tx.deleteFrom('audit_event_resources').where('event_id', 'in', some).execute();
    await tx.deleteFrom('audit_event_names').where('event_id', 'in', some).execute();
  }
}

/** A person or group, or one person in the list of a group, and a time (epoch milliseconds, by our own clock). */
export interface EventQuestion {
  readonly type: 'user' | 'group';
  readonly resourceId: string;
  /** The SCIM id of the person in a list of the group; empty: it is about the resource itself. */
  readonly memberId: string;
  readonly from: number;
  readonly until: number;
  /** Actions that do not matter. */
  readonly except: readonly string[];
  readonly limit: number;
}

/** An event, with who made it. What the log does not show is null. */
export interface EventView {
  readonly id: string;
  /** When it happened, by the clock of the service. */
  readonly createdAt: number;
  /** The same, as near to our own clock as is known. */
  readonly at: number;
  readonly category: string;
  readonly action: string;
  readonly message: string | null;
  readonly origin: AuditEventsTable['origin'];
  readonly authorId: number | null;
  readonly username: string | null;
  readonly address: string | null;
}

/**
 * The events that name the resource, the newest first. About one person of a group: those that name both, and those
 * that name the group and nobody.
 */
export async function listEventsAbout(db: Db, question: EventQuestion): Promise<EventView[]> {
  const { resourceId, memberId, limit } = question;
  const about =
    memberId === ''
      ? [select(sql`about.resource_id = ${resourceId}`, question)]
      : [
          select(sql`about.resource_id = ${resourceId} and about.people = 0`, question),
          select(
            sql`about.resource_id = ${memberId} and about.resource_type = 'user'
              and exists (select 1 from audit_event_resources as team where team.event_id = about.event_id
                and team.resource_id = ${resourceId})`,
            question,
          ),
        ];
  const rows: EventView[] = [];
  for (const query of about) rows.push(...(await query.execute(db)).rows);
  return rows.toSorted((a, b) => b.at - a.at).slice(0, limit);
}

/** The events that show one of the ids or names of the resource, and were read before it was known; the newest first. */
export async function listEventsBefore(db: Db, question: EventQuestion): Promise<EventView[]> {
  const names = await listNames(db, question);
  if (names.length === 0) return [];
  const query = sql<EventView>`
    select ${COLUMNS} from (select distinct event_id, at from audit_event_names
      where name_folded in (${sql.join(names)}) and at >= ${question.from} and at <= ${question.until}) as about
    join audit_events as event on event.id = about.event_id
    where ${isNoneOf(question.except)} order by about.at desc limit ${question.limit}`;
  return (await query.execute(db)).rows;
}

const COLUMNS = sql`event.id, event.created_at as "createdAt", about.at, event.category, event.action, event.message,
  event.origin, event.author_id as "authorId", event.author_username as username,
  event.author_address as address`;

function select(
  isAbout: RawBuilder<unknown>,
  { from, until, limit, except }: EventQuestion,
): RawBuilder<EventView> {
  return sql<EventView>`
    select ${COLUMNS} from audit_event_resources as about
    join audit_events as event on event.id = about.event_id
    where ${isAbout} and about.at >= ${from} and about.at <= ${until}
      and ${isNoneOf(except)}
    order by about.at desc limit ${limit}`;
}

function isNoneOf(actions: readonly string[]): RawBuilder<unknown> {
  return actions.length === 0 ? sql`1 = 1` : sql`event.action not in (${sql.join([...actions])})`;
}

/** Everything that the service may call the resource by, folded. */
async function listNames(
  db: Db,
  { type, resourceId }: Pick<EventQuestion, 'type' | 'resourceId'>,
): Promise<string[]> {
  const { rows } =
    type === 'user'
      ? await sql<Record<string, string | number | null>>`
          select upstream_id, observed_user_name_folded, observed_email_folded from users
          where id = ${resourceId}`.execute(db)
      : await sql<Record<string, string | number | null>>`
          select upstream_scim_id, upstream_rest_id, upstream_uid, display_name_folded from groups
          where id = ${resourceId}`.execute(db);
  const names = rows.flatMap((row) => Object.values(row));
  return names.flatMap((name) => (name === null ? [] : [foldCase(String(name))]));
}
