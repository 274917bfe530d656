import { sql } from 'kysely';
import type { UpstreamGroupIds } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import { chunks, readInChunks } from '../engine/dialect.ts';
import { selectRows, toValues } from '../engine/row-sql.ts';
import { readBySeq } from '../resources/rows.ts';
import type { Origin } from '../schema.ts';
import type { Db } from '../store.ts';
import { type GroupRow, type NewGroupRow, toObservedGroup, toUpstreamIds } from './groups.ts';

/** Ids of the service, of many groups. */
export interface UpstreamGroupIdLists {
  readonly scimIds?: readonly string[];
  readonly restIds?: readonly number[];
  readonly uids?: readonly string[];
}

/** The rows, live or deleted, that carry any of these ids; `lock`: locked in their order until the transaction ends. */
export async function findRowsOfGroups(
  db: Db,
  ids: UpstreamGroupIdLists,
  { lock }: { readonly lock: boolean },
): Promise<GroupRow[]> {
  return readBySeq(db, 'groups', { seqs: await findSeqs(db, ids), lock });
}

async function findSeqs(
  db: Db,
  { scimIds = [], restIds = [], uids = [] }: UpstreamGroupIdLists,
): Promise<number[]> {
  const lists = [
    ['upstream_scim_id', scimIds],
    ['upstream_rest_id', restIds],
    ['upstream_uid', uids],
  ] as const;
  const seqs = new Set<number>();
  for (const [column, ids] of lists) {
    const named = db.selectFrom('groups').select('seq');
    const found = await readInChunks<string | number, { readonly seq: number }>(ids, (some) =>
      named.where(column, 'in', some).execute(),
    );
    for (const { seq } of found) seqs.add(seq);
  }
  return [...seqs].toSorted((a, b) => a - b);
}

/** Adds groups as the service shows them. @throws StoreError `store-conflict` when one is known by now. */
export async function insertObservedGroups(tx: Db, rows: readonly NewGroupRow[]): Promise<void> {
  for (const some of chunks(rows)) await sql`insert into groups ${toValues(some)}`.execute(tx);
}

/** A live group as a list of the service showed it, without who is in it. */
export interface SeenGroup extends UpstreamGroupIds {
  readonly id: GroupId;
  readonly seq: number;
  readonly origin: Origin | null;
  /** Name in the service, which for a managed group may differ from what is desired. */
  readonly name: string;
  /** Time when SCIM showed it last (epoch milliseconds). */
  readonly shownAt: number | undefined;
}

/** Finds those of these groups, by their uids, that were deleted through SCIM. */
export async function findDeletedGroups(db: Db, uids: readonly string[]): Promise<Set<string>> {
  const rows = await readInChunks(uids, (some) =>
    selectRows<GroupRow>(
      db,
      'groups',
      sql`deleted_at is not null and upstream_uid in (${sql.join(some)})`,
    ),
  );
  return new Set(rows.flatMap(({ upstream_uid }) => upstream_uid ?? []));
}

/** Every live group that the service was seen to hold, in order of creation. */
export async function listSeenGroups(db: Db): Promise<SeenGroup[]> {
  const rows = await selectRows<GroupRow>(
    db,
    'groups',
    sql`deleted_at is null and observed is not null order by seq`,
  );
  return rows.flatMap((row) => {
    const observed = toObservedGroup(row);
    if (observed === undefined) return [];
    const { id, seq, origin } = row;
    const { displayName: name, shownAt } = observed;
    return [{ id, seq, origin, ...toUpstreamIds(row), name, shownAt }];
  });
}

/** Counts of a group's observed members. */
export interface SeenMembersCount {
  readonly seen: number;
  /** Members that a possibly incomplete list did not show any more. */
  readonly unknown: number;
}

/** Counts the observed members of several groups; a group that is not in the result has none. */
export async function countSeenMembers(
  db: Db,
  groupIds: readonly GroupId[],
): Promise<Map<GroupId, SeenMembersCount>> {
  const { rows } = await sql<SeenMembersCount & { readonly group_id: GroupId }>`
    select group_id, count(case when observed = 1 then 1 end) as seen,
      count(case when observed is null and pending is null then 1 end) as unknown
    from memberships where group_id in (${sql.join(groupIds)}) group by group_id`.execute(db);
  return new Map(rows.map(({ group_id, seen, unknown }) => [group_id, { seen, unknown }]));
}
