import { sql } from 'kysely';
import type { LinkList } from '../../domain/link.ts';
import { isPostgres, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** Users that one statement reads of a group, so that it does not hold the event loop for long. */
const USERS_AT_ONCE = 2_000;

/** Some of the users that a list of a group shows, as JSON text, joined by commas. */
export interface ShownUsers {
  readonly items: string;
  /** Place behind which the next part begins; undefined: this is the last one. */
  readonly next: number | undefined;
}

interface ShownPart {
  readonly list: LinkList;
  readonly after: number;
  /** Where users are: what `$ref` is before a slash and the id. */
  readonly usersUrl: string;
}

/**
 * Reads a list of several groups behind a place, some thousands of users of each, so that no group is too large for the
 * memory. Written by the database, which is quickest: a page of a list has thousands of them. A user is shown when that
 * is wanted or, where no provider named the user, seen; a member whom only inner groups want is not. The links are
 * counted before they are looked at, and names are looked up one by one: PostgreSQL would guess how many of the links
 * are shown, mostly far too few, and sort the whole group, or join all users, for each part.
 * @returns the parts in the order of the groups' numbers
 */
export async function readShown(
  db: Db,
  seqs: readonly number[],
  { list, after, usersUrl }: ShownPart,
): Promise<Map<number, ShownUsers>> {
  if (seqs.length === 0) return new Map();
  // Ids are digits of ours, so only the name needs quoting.
  const name = isPostgres(db) ? sql`to_json(u.name)::text` : sql`json_quote(u.name)`;
  const ref = sql.lit(`","$ref":"${usersUrl}/`);
  const entry = sql`'{"value":"' || u.id || ${ref} || u.id || '","display":' || ${name} || ',"type":"User"}'`;
  const isShown = sql`coalesce(m.desired, m.observed) = 1 and (m.by_rule = 0 or m.list = 'admin')`;
  const rows = await select<{ seq: number; part: string }>(db)`
    select home.seq, (
      select count(*) || ' ' || coalesce(max(p.target), 0) || ' ' ||
        coalesce(string_agg(p.entry, ',' order by p.target) filter (where p.entry is not null), '')
      from (select m.target, case when ${isShown} then
          (select ${entry} from resources as u where u.seq = m.target and u.deleted_at is null) end as entry
        from links as m where m.group_id = home.seq and m.list = ${list} and m.target > ${after}
        order by m.target limit ${USERS_AT_ONCE}) as p) as part
    from resources as home where home.seq in (${sql.join(seqs)})`;
  return new Map(rows.map(({ seq, part }) => [seq, toShownUsers(part)]));
}

function toShownUsers(part: string): ShownUsers {
  const [count = '', last = ''] = part.split(' ', 2);
  const items = part.slice(count.length + last.length + 2);
  return { items, next: Number(count) < USERS_AT_ONCE ? undefined : Number(last) };
}

/** Reads a list of one group, part by part. @param first what was read already */
export async function* streamShown(
  db: Db,
  seq: number,
  shown: Omit<ShownPart, 'after'>,
  first?: ShownUsers,
): AsyncGenerator<string> {
  let part = first ?? (await readShown(db, [seq], { ...shown, after: 0 })).get(seq);
  while (part !== undefined) {
    if (part.items !== '') yield part.items;
    if (part.next === undefined) return;
    part = (await readShown(db, [seq], { ...shown, after: part.next })).get(seq);
  }
}
