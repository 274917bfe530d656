import { type Insertable, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { SeenEntities } from '../../domain/entity.ts';
import {
  type GroupState,
  isInService,
  type ObservedGroup,
  toDesiredGroup,
  type UpstreamGroupIds,
} from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { parseCells, parseStored, waits } from '../engine/columns.ts';
import { forUpdate } from '../engine/dialect.ts';
import { createPrune } from '../engine/prune.ts';
import { insertRow, selectRows, toAssignments } from '../engine/row-sql.ts';
import { NO_LINKS } from '../links/waiting.ts';
import { keepFormerNames } from '../resources/former-names.ts';
import type { GroupsTable, Schema } from '../schema.ts';
import type { Db } from '../store.ts';

/** Group as stored, without its members. */
export type GroupRow = Selectable<GroupsTable>;
/** The columns of a new group. */
export type NewGroupRow = Insertable<GroupsTable>;
/** The columns of a change. */
export type GroupChange = UpdateObject<Schema, 'groups'>;

/** Rows of groups that a condition selects. */
function select(db: Db, which: RawBuilder<unknown>): Promise<GroupRow[]> {
  return selectRows<GroupRow>(db, 'groups', which);
}

/** The live group with this SCIM id, or undefined: unknown or deleted. */
export async function findGroup(db: Db, id: string): Promise<GroupRow | undefined> {
  return (await select(db, sql`id = ${id} and deleted_at is null`))[0];
}

/** The row with this SCIM id, deleted or not. */
export async function findGroupRow(db: Db, id: string): Promise<GroupRow | undefined> {
  return (await select(db, sql`id = ${id}`))[0];
}

/** The row with this SCIM id, which the caller knows to be there. @throws Error when it is not */
export async function getGroupRow(db: Db, id: GroupId): Promise<GroupRow> {
  return db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The row with this SCIM id, deleted or not, locked until the transaction ends. */
export async function lockGroup(tx: Db, id: GroupId): Promise<GroupRow | undefined> {
  return (await select(tx, sql`id = ${id} ${forUpdate(tx)}`))[0];
}

/** Live groups shown under this name, compared without case; at most one of them is managed. */
export async function listGroupsByName(db: Db, nameFolded: string): Promise<GroupRow[]> {
  return select(db, sql`display_name_folded = ${nameFolded} and deleted_at is null`);
}

/** The same, locked until the transaction ends: of two requests at the same time one takes the group over. */
export async function lockGroupsByName(tx: Db, nameFolded: string): Promise<GroupRow[]> {
  const isNamed = sql`display_name_folded = ${nameFolded} and deleted_at is null`;
  return select(tx, sql`${isNamed} order by seq ${forUpdate(tx)}`);
}

/** Lists tombstones of this name that still stand for a group of the service, newest first. */
export async function listGroupTombstones(db: Db, nameFolded: string): Promise<GroupRow[]> {
  const isNamed = sql`display_name_folded = ${nameFolded} and deleted_at is not null`;
  return select(db, sql`${isNamed} order by deleted_at desc`);
}

/** Lists groups whose name in the service is about to change or to go: their removal or renaming still waits. */
export async function listLeavingGroups(db: Db): Promise<GroupRow[]> {
  const isLeaving = sql`(deleted_at is not null or ${waits('cells', 'displayName')})`;
  return select(db, sql`${waits('cells')} and observed is not null and ${isLeaving}`);
}

/** The group, live or deleted, that stands for a group of the service; the live one first. */
export async function findGroupByUpstream(
  db: Db,
  { scimId, restId, uid }: Partial<UpstreamGroupIds>,
): Promise<GroupRow | undefined> {
  const named = [
    ...(scimId === undefined ? [] : [sql`upstream_scim_id = ${scimId}`]),
    ...(restId === undefined ? [] : [sql`upstream_rest_id = ${restId}`]),
    ...(uid === undefined ? [] : [sql`upstream_uid = ${uid}`]),
  ];
  if (named.length === 0) return undefined;
  const carrying = async (state: RawBuilder<unknown>) => {
    // The condition of the indexes stands beside each id, without which SQLite reads the whole table.
    const conditions = named.map((is) => sql`(${state} and ${is})`);
    const isAny = sql.join(conditions, sql` or `);
    return (await select(db, sql`(${isAny}) order by deleted_at, seq limit 1`))[0];
  };
  return (await carrying(sql`deleted_at is null`)) ?? (await carrying(sql`deleted_at is not null`));
}

/** Adds a group. @throws StoreError when another live managed group has the name. */
export async function insertGroup(tx: Db, row: NewGroupRow): Promise<GroupRow> {
  return insertRow(tx, 'groups', row);
}

/** Changes a group, and remembers a name that it loses. The caller has read the row in the same transaction. */
export async function updateGroup(tx: Db, id: GroupId, change: GroupChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { display_name_folded: name } = change;
  if (typeof name === 'string') {
    const row = await findGroupRow(tx, id);
    const old = row === undefined ? [] : [row.display_name_folded];
    await keepFormerNames(tx, { type: 'group', id }, { old, names: [name] });
  }
  await sql`update groups set ${toAssignments(change)} where id = ${id}`.execute(tx);
}

/** Removes a group with its links: after the undo of a refused create, or once it is gone upstream. */
export async function deleteGroup(tx: Db, id: GroupId): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

/** Input of the plan for a group, with the waiting changes of members and admins; none where only the group itself matters. */
export function toGroupState(
  row: GroupRow,
  links: Pick<GroupState, 'members' | 'admins'> = NO_LINKS,
): GroupState {
  return {
    id: row.id,
    ids: toUpstreamIds(row),
    desired: toDesiredGroup(parseStored<JsonObject>(row.attributes)),
    observed: toObservedGroup(row),
    entities: toSeenEntities(row),
    cells: parseCells(row),
    version: row.version,
    deleted: row.deleted_at !== null,
    created: row.origin === 'created',
    mustLook: row.must_look !== 0,
    ...(row.unsure_since !== null && { unsureSince: row.unsure_since }),
    sentCreates: parseStored<SentCreate[]>(row.sent_creates),
    ...links,
  };
}

type IdColumns = Pick<GroupRow, 'upstream_uid' | 'upstream_rest_id' | 'upstream_scim_id'>;

/** Ids by which the service knows the group. */
export function toUpstreamIds(row: IdColumns): UpstreamGroupIds {
  return {
    scimId: row.upstream_scim_id ?? undefined,
    restId: row.upstream_rest_id ?? undefined,
    uid: row.upstream_uid ?? undefined,
  };
}

/** True when the service has the group, or had it at the last look. */
export function hasUpstreamIds(row: IdColumns): boolean {
  return isInService(toUpstreamIds(row));
}

/** Parses the last observation of the group; undefined: there was none. */
export function toObservedGroup(row: Pick<GroupRow, 'observed'>): ObservedGroup | undefined {
  return row.observed === null ? undefined : parseStored<ObservedGroup>(row.observed);
}

/** Parses the entities as they were listed last; undefined: they were not, or may have changed since. */
export function toSeenEntities({ entities }: Pick<GroupRow, 'entities'>): SeenEntities | undefined {
  return entities === null ? undefined : parseStored<SeenEntities>(entities);
}

/** Forgets groups that were deleted, of which nothing waits and that are not in the service: any other row keeps one hidden. */
export const pruneDeletedGroups = createPrune({
  ...({ table: 'groups', key: 'id', at: 'deleted_at', oldest: 'seq' } as const),
  isOver: sql`due_at is null and sent_creates = '[]' and upstream_scim_id is null
    and upstream_rest_id is null and upstream_uid is null`,
});
