import { type RawBuilder, sql } from 'kysely';
import { parseStored } from '../engine/columns.ts';
import { isPostgres } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { type EventView, selectView, toNameKey } from './events.ts';

/** A user or group, or one user in the list of a group, and a time (epoch milliseconds, by our own clock). */
interface EventQuestion {
  readonly type: 'user' | 'group';
  readonly resourceId: string;
  /** The SCIM id of the user in a list of the group; empty: it is about the resource itself. */
  readonly memberId: string;
  /** 0 when left out. */
  readonly from?: number;
  readonly until: number;
  /** Actions that do not matter. */
  readonly except: readonly string[];
  /** True: events count too that show one of its ids or names, and were read before it was known. */
  readonly isBefore: boolean;
}

/** One question as a row inside a statement. */
interface Asked {
  readonly place: number;
  readonly resource: string;
  readonly member: string;
  readonly since: number;
  readonly until: number;
  /** JSON lists of text. */
  readonly except: string;
  readonly names: string;
}

/**
 * Lists events that name the resource of each question, the newest first and at most `limit`, in the order of the
 * questions, with one statement for all. For one member of a group: events that name both, and events that name the
 * group and no user.
 */
export async function listEventsAbout(
  db: Db,
  questions: readonly EventQuestion[],
  limit: number,
): Promise<EventView[][]> {
  if (questions.length === 0) return [];
  const names = await listNames(db, questions);
  const asked = questions.map((question, place): Asked => {
    const { resourceId, memberId, from: since = 0, until, except } = question;
    const texts = names.get(resourceId) ?? [];
    const lists = { except: JSON.stringify(except), names: JSON.stringify(texts) };
    return { place, resource: resourceId, member: memberId, since, until, ...lists };
  });
  const found = questions.map((): EventView[] => []);
  const { rows } = await toStatement(db, asked, limit).execute(db);
  for (const { place, events } of rows) {
    const all = parseStored<EventView[]>(events).toSorted((a, b) => b.at - a.at);
    found[place] = all.slice(0, limit);
  }
  return found;
}

/** The moment since which the last complete sweep before `before` compared, for each; 0: there was none. */
export async function listComparedSince(
  db: Db,
  questions: readonly { readonly before: number; readonly admins: boolean }[],
): Promise<number[]> {
  // All changes of one plan ask about the same moment.
  const toKey = ({ before, admins }: { before: number; admins: boolean }) => `${before} ${admins}`;
  const asked = [...new Map(questions.map((one) => [toKey(one), one]))].map(
    ([key, { before, admins }]) => ({ key, before, admins: admins ? 1 : 0 }),
  );
  const columns = { key: 'text', before: 'bigint', admins: 'bigint' };
  const { rows } = await sql<{ key: string; since: number | null }>`
    select question.key, (select started_at from sweeps
      where status not in ('running', 'incomplete') and ended_at < question.before
        and reads_admins >= question.admins order by seq desc limit 1) as since
    from ${toTable(db, asked, columns)} as question`.execute(db);
  const since = new Map(rows.map((row) => [row.key, row.since ?? 0]));
  return questions.map((one) => since.get(toKey(one)) ?? 0);
}

function toStatement(db: Db, asked: readonly Asked[], limit: number) {
  const types = { resource: 'text', member: 'text', except: 'text', names: 'text' };
  const table = toTable(db, asked, { place: 'bigint', since: 'bigint', until: 'bigint', ...types });
  const isMatter = sql`event.action not in ${toList(db, sql.ref('question.except'))}`;
  const pick = (from: RawBuilder<unknown>, isAbout: RawBuilder<unknown>) => sql`
    select * from (select ${selectView(db)} from ${from} as about join audit_events as event on event.id = about.event_id
    where ${isAbout} and about.at between question.since and question.until and ${isMatter} order by about.at desc limit ${limit}) as picked`;
  const named = sql.table('audit_event_resources');
  const parts = [
    pick(
      named,
      sql`about.resource_id = question.resource and (question.member = '' or about.user_count = 0)`,
    ),
    pick(
      named,
      sql`about.resource_id = question.member and about.resource_type = 'user' and question.member <> ''
        and exists (select 1 from audit_event_resources as named_group where named_group.event_id = about.event_id
          and named_group.resource_id = question.resource)`,
    ),
    pick(
      sql`(select distinct event_id, at from audit_event_names
        where name_folded in ${toList(db, sql.ref('question.names'))})`,
      sql`question.names <> '[]'`,
    ),
  ];
  return sql<{ place: number; events: string }>`
    select question.place, (select ${toJsonList(db)} from (${sql.join(parts, sql` union all `)}) as event) as events
    from ${table} as question`;
}

/** Rows that a statement is given as one parameter. */
function toTable(
  db: Db,
  rows: readonly object[],
  columns: Readonly<Record<string, string>>,
): RawBuilder<unknown> {
  const list = JSON.stringify(rows);
  const entries = Object.entries(columns);
  if (isPostgres(db)) {
    const types = entries.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
    return sql`(select * from json_to_recordset(${list}::json) as entry(${sql.join(types)}))`;
  }
  const values = entries.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(values)} from json_each(${list}))`;
}

function toList(db: Db, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db)
    ? sql`(select json_array_elements_text(${column}::json))`
    : sql`(select value from json_each(${column}))`;
}

const FIELDS = [
  ...(['id', 'createdAt', 'at', 'category', 'action', 'message'] as const),
  ...(['origin', 'authorId', 'username', 'address'] as const),
];

function toJsonList(db: Db): RawBuilder<unknown> {
  const pairs = sql.join(FIELDS.map((name) => sql`${sql.lit(name)}, ${sql.ref(`event.${name}`)}`));
  return isPostgres(db)
    ? sql`coalesce(json_agg(json_build_object(${pairs})), '[]'::json)::text`
    : sql`json_group_array(json_object(${pairs}))`;
}

/** Names by which the service may call the resources, as they are kept, for those questions that ask for it. */
async function listNames(
  db: Db,
  questions: readonly EventQuestion[],
): Promise<Map<string, string[]>> {
  const asked = questions.filter(({ isBefore }) => isBefore);
  const idsOf = (wanted: 'user' | 'group') =>
    asked.flatMap(({ type, resourceId }) => (type === wanted ? [resourceId] : []));
  const [users, groups] = [idsOf('user'), idsOf('group')];
  type Named = Record<string, string | number | null>;
  const found = new Map<string, string[]>();
  const add = (type: 'user' | 'group', { id, ...names }: Named) => {
    const texts = Object.values(names).flatMap((name) => (name === null ? [] : String(name)));
    found.set(
      String(id),
      texts.map((text) => toNameKey(type, text)),
    );
  };
  if (users.length > 0) {
    const namedUsers = sql<Named>`select id, upstream_id, observed_user_name_folded, observed_email_folded
      from users where id in (${sql.join(users)})`;
    for (const row of (await namedUsers.execute(db)).rows) add('user', row);
  }
  if (groups.length > 0) {
    const namedGroups = sql<Named>`select id, upstream_scim_id, upstream_rest_id, upstream_uid, display_name_folded
      from groups where id in (${sql.join(groups)})`;
    for (const row of (await namedGroups.execute(db)).rows) add('group', row);
  }
  return found;
}
