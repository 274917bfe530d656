import { sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { DriftRow } from '../drifts.ts';
import { readInChunks, select } from '../engine/dialect.ts';
import { listCalledNames } from '../resources/find.ts';
import { listRows } from '../resources/rows.ts';
import type { Db } from '../store.ts';
import { listWhere, type Row } from '../tables.ts';

/**
 * Form in which a text of an event is kept, and a user or group asked for by it. A number is one of users or one of groups;
 * the capitals keep it apart from every folded text.
 */
export function toNameKey(type: 'user' | 'group', text: string): string {
  return /^\d+$/.test(text) ? `${type.toUpperCase()} ${text}` : foldCase(text);
}

/** An event, with who made it and what it names. What the log does not show is null. */
export interface EventView {
  readonly id: string;
  /** Time of the event, by the clock of the service. */
  readonly createdAt: number;
  /** Time of the event, as near to our own clock as is known. */
  readonly at: number;
  readonly action: string;
  readonly message: string | null;
  readonly origin: Row<'audit_events'>['origin'];
  readonly authorId: number | null;
  readonly username: string | null;
  readonly address: string | null;
  /** The users and groups, by their SCIM ids, as far as they were known when it was read. */
  readonly named: readonly { readonly type: 'user' | 'group'; readonly id: string }[];
}

interface EventsQuery {
  /** SCIM ids, and keys of `toNameKey`. */
  readonly subjects: readonly string[];
  readonly from: number;
  readonly until: number;
  /** Number of events of each subject, the newest. */
  readonly limit: number;
}

/** Lists the events of each subject that has any, the newest first. */
export async function listEventsAbout(
  db: Db,
  { subjects: sought, from, until, limit }: EventsQuery,
): Promise<Map<string, EventView[]>> {
  const found = await readInChunks(
    sought,
    (some) =>
      select<Omit<EventView, 'named'> & { readonly subject: string }>(db)`select * from (
      select about.subject, event.id, event.created_at as "createdAt", about.at, event.action, event.message,
        event.origin, event.author_id as "authorId", event.author_username as username,
        event.author_address as address,
        row_number() over (partition by about.subject order by about.at desc) as place
      from audit_event_subjects as about join audit_events as event on event.id = about.event_id
      where about.subject in (${sql.join(some)}) and about.at between ${from} and ${until}
    ) as found where place <= ${limit} order by at desc`,
  );
  const named = { event_id: [...new Set(found.map(({ id }) => id))], resource_type: TYPES };
  const subjects = await listWhere(db, 'audit_event_subjects', named);
  const ofEvents = Map.groupBy(subjects, ({ event_id }) => event_id);
  const events = new Map<string, EventView[]>();
  for (const { subject, ...event } of found) {
    const some = ofEvents.get(event.id) ?? [];
    const view = { ...event, named: some.flatMap(toNamed) };
    events.set(subject, [...(events.get(subject) ?? []), view]);
  }
  return events;
}

const TYPES = ['user', 'group'] as const;

function toNamed({ resource_type: type, subject: id }: Row<'audit_event_subjects'>) {
  return type === null ? [] : [{ type, id }];
}

/**
 * Lists the keys under which events may name these users and groups that were read before they were known, by their SCIM
 * ids.
 */
export async function listNameKeys(
  db: Db,
  resources: readonly Pick<DriftRow, 'resource_type' | 'resource_id'>[],
): Promise<Map<string, string[]>> {
  const keys = new Map<string, string[]>();
  for (const type of TYPES) {
    const ids = resources.flatMap((one) => (one.resource_type === type ? [one.resource_id] : []));
    for (const row of await listRows(db, type, { id: ids })) {
      const names = listCalledNames(row).map((name) => toNameKey(type, name));
      keys.set(row.id, names);
    }
  }
  return keys;
}
