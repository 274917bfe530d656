import { sql } from 'kysely';
import { foldCase } from '../../domain/values.ts';
import { readInChunks, select } from '../engine/dialect.ts';
import { listCalledNames } from '../resources/find.ts';
import type { ResourceRow } from '../resources/rows.ts';
import type { Db } from '../store.ts';
import { listWhere, type Row } from '../tables.ts';

/** Key of a text of an event, and of a user or group asked for by it. Capitals keep numbers apart from folded texts. */
export function toNameKey(type: 'user' | 'group', text: string): string {
  return /^\d+$/.test(text) ? `${type.toUpperCase()} ${text}` : foldCase(text);
}

/** The keys under which events may name a user or group that were read before it was known. */
export const listNameKeys = (row: ResourceRow) =>
  listCalledNames(row).map((name) => toNameKey(row.type, name));

type Subject = Row<'audit_event_subjects'>;

/** An event, with its time as near to our own clock as is known, and the users and groups that were known when it was read. */
export type EventView = Row<'audit_events'> &
  Pick<Subject, 'at'> &
  Readonly<Record<'username' | 'address', string | null>> & { readonly named: readonly Subject[] };

/** Lists the events of each subject (a SCIM id, or a key of `toNameKey`) that has any: so many of each, the newest first. */
export async function listEventsAbout(
  db: Db,
  subjects: readonly string[],
  { from, until, limit }: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<Map<string, EventView[]>> {
  const read = (some: readonly string[]) =>
    select<Omit<EventView, 'named'> & Pick<Subject, 'subject'>>(db)`select * from (
      select about.subject, about.at, event.*, author_username as username, author_address as address,
        row_number() over (partition by about.subject order by about.at desc) as place
      from audit_event_subjects as about join audit_events as event on event.id = about.event_id
      where about.subject in (${sql.join(some)}) and about.at between ${from} and ${until}
    ) as found where place <= ${limit} order by at desc`;
  const found = await readInChunks(subjects, read);
  const event_id = [...new Set(found.map(({ id }) => id))];
  const known = { event_id, resource_type: ['user', 'group'] } as const;
  const named = Map.groupBy(
    await listWhere(db, 'audit_event_subjects', known),
    (subject) => subject.event_id,
  );
  const events = found.map((event) => ({ ...event, named: named.get(event.id) ?? [] }));
  return Map.groupBy(events, ({ subject }) => subject);
}
