import sql, { join } from 'sql-template-tag';
import { listWaiting } from '../domain/cell.ts';
import type { ChangeClass } from '../domain/change.ts';
import { CHANGE_CLASSES } from '../domain/change.ts';
import { endRest } from '../domain/failure.ts';
import { LINK_LISTS } from '../domain/link.ts';
import type { GivenKey, ResourceKey } from '../domain/values.ts';
import { toResourceKey } from '../domain/values.ts';
import { readInChunks, readOne, select } from './engine/dialect.ts';
import { IS_SEEN_WORKING } from './resources/backlog.ts';
import type { ResourceRow } from './resources/rows.ts';
import { lockRow, updateRow } from './resources/rows.ts';
import type { DueClass } from './schema.ts';
import type { Db, Store } from './store.ts';
import { updateWhere } from './tables.ts';

/** Every class of due work, the most urgent first. */
export const DUE_CLASSES: readonly DueClass[] = [0, 1, 2];

/** Work whose time has come. */
export type DueWork = { readonly key: ResourceKey; readonly dueClass: DueClass };

/** Resources whose time has come (epoch milliseconds), but for these: removal of access first, then the oldest. */
export async function listDue(
  db: Db,
  which: { now: number; classes: readonly DueClass[]; limit: number; except: readonly string[] },
): Promise<DueWork[]> {
  const { now, classes, limit, except } = which;
  // No id is empty, and a list in SQL may not be.
  const rows = await select<GivenKey & Pick<ResourceRow, 'due_class'>>(db)`
    select type, id, due_class from resources
    where due_at <= ${now} and due_class in (${join(classes)})
      and id not in (${join(['', ...except])})
    order by due_class, due_at limit ${limit}`;
  return rows.map((row) => ({ key: toResourceKey(row), dueClass: row.due_class }));
}

/** How many removals and changes are due now; those beyond `max` are not counted. */
export async function countDueChanges(db: Db, now: number, max: number): Promise<number> {
  const due = await select(db)`
    select 1 from resources where due_class in (0, 1) and due_at <= ${now} limit ${max}`;
  return due.length;
}

/** When the next work of these classes is due (epoch milliseconds), or undefined when nothing is. */
export async function findNextDueAt(
  db: Db,
  classes: readonly DueClass[] = DUE_CLASSES,
): Promise<number | undefined> {
  // Class by class, so that each is the first entry of an index and nothing else is read, however much is due.
  const firsts = classes.map(
    (dueClass) => sql`select min(due_at) as due_at from resources
      where due_at is not null and due_class = ${dueClass}`,
  );
  const first = await readOne<{ due_at: number | null }>(db)`
    select min(due_at) as due_at from (${join(firsts, ' union all ')}) as due`;
  return first.due_at ?? undefined;
}

/** Progress of the service with a resource, as of one reading of it. */
export interface Progress {
  /** Version that was read: nothing is said of later writes. */
  readonly version: number;
  /** Oldest version that still waits; undefined when everything holds. */
  readonly oldestPending: number | undefined;
}

/** Progress of a missing resource: nothing waits. */
export const GONE: Progress = { version: Number.POSITIVE_INFINITY, oldestPending: undefined };

/** Makes the progress of a stored resource. @param oldestLink oldest version that waits among members and admins */
export function toProgress(
  row: Pick<ResourceRow, 'version' | 'cells'>,
  oldestLink?: number | null,
): Progress {
  const versions = [
    ...listWaiting(row.cells).map((field) => row.cells[field]?.pending),
    oldestLink,
  ];
  const waiting = versions.filter((one) => typeof one === 'number');
  const oldestPending = waiting.length === 0 ? undefined : Math.min(...waiting);
  return { version: row.version, oldestPending };
}

/** Lists the progress of resources and their next attempts, in one statement, so that both halves of a group are of one moment. */
export async function listProgress(db: Db, keys: readonly ResourceKey[]) {
  type Found = GivenKey &
    Pick<ResourceRow, 'version' | 'cells' | 'due_at'> & { readonly oldestLink: number | null };
  const read = (ids: readonly string[]) =>
    select<Found>(db)`select type, id, version, cells, due_at,
      (select min(pending) from links where group_id = resources.seq and pending is not null) as "oldestLink"
      from resources where id in (${join(ids)})`;
  const ids = keys.map(({ id }) => id);
  return (await readInChunks(ids, read)).map((row) => ({
    key: toResourceKey(row),
    dueAt: row.due_at,
    ...toProgress(row, row.oldestLink),
  }));
}

/** Rows that one transaction changes, so that no write waits for long. */
const CHUNK = 500;
/** The same of a retry, which locks each row. */
const RETRIED_AT_ONCE = 100;

/** Condition of a row with work to do. A deleted row whose create was lost keeps its time: the create may still come. */
const HAS_WORK = sql`(sent_creates = '[]' or deleted_at is null)`;

/** Makes due what waits for the service to answer again; what is stuck keeps its time. `now` is epoch milliseconds. */
export async function prioritiseWaiting(store: Pick<Store, 'write'>, now: number): Promise<void> {
  const some = sql`select id from resources where due_class in (${join(DUE_CLASSES)})
    and due_at > ${now} and ${HAS_WORK} limit ${CHUNK}`;
  const update = sql`update resources set due_at = ${now} where id in (${some})`;
  let changed = CHUNK;
  while (changed === CHUNK) changed = (await store.write((tx) => tx.run(update))).changes;
}

/** User or group that is tried now, with the fields and lists of it that wait; none: a look at it. */
export type Retried = GivenKey & { readonly name: string; readonly waits: readonly string[] };

/** Makes due what waits for an attempt; what is stuck or waits for a seat, only beyond these times. `tried` gets some at a time. Epoch milliseconds. */
export async function retryResting(
  store: Pick<Store, 'read' | 'write'>,
  { now, stuck, seat }: Readonly<Record<'now' | 'stuck' | 'seat', number>>,
  tried: (some: readonly Retried[]) => void = () => undefined,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    // By a text that has no index: SQLite would walk everybody in the order of the ids, of whom few rest.
    const rows: GivenKey[] = await select<GivenKey>(store.read)`
      select type, id from resources where due_at > ${now}
        and (stuck_at is null or due_at > ${stuck}) and (seat_since is null or due_at > ${seat})
        and ${HAS_WORK} and id || '' > ${after} order by id || '' limit ${RETRIED_AT_ONCE}`;
    if (rows.length > 0) tried(await store.write((tx) => retryEach(tx, rows, now)));
    after = rows.length < RETRIED_AT_ONCE ? undefined : rows.at(-1)?.id;
  }
}

/** Makes these due now as far as something of them waits, stuck or not, and returns those. `now` is epoch milliseconds. */
export async function retryEach(tx: Db, keys: readonly GivenKey[], now: number) {
  const tried: Retried[] = [];
  for (const key of keys) {
    const row = await lockRow(tx, key);
    // A deleted row with a lost create is looked for.
    const isLost = row !== undefined && row.deleted_at !== null && row.sent_creates.length > 0;
    if (row?.due_at == null || isLost) continue;
    await updateRow(tx, row, {
      cells: endRest(row.cells, now, 'all'),
      // Another time than before shows a run that this was asked for while an attempt was under way.
      due_at: now,
    });
    const { seq, type, id, name } = row;
    const links = { group_id: seq, pending: { '<>': null } } as const;
    const ended = type === 'group' ? await updateWhere(tx, 'links', links, { retry_at: null }) : [];
    const lists = LINK_LISTS.filter((list) => ended.some((link) => link.list === list));
    const waits = [...listWaiting<string>(row.cells), ...lists.map((list) => `${list}s`)];
    tried.push({ type, id, name, waits });
  }
  return tried;
}

/** Groups in which a change of this user waits for its next attempt. */
export const listRestingGroupsOf = (db: Db, id: string, now: number) =>
  select<GivenKey>(db)`select distinct home.type, home.id
    from resources as person join links as link on link.target = person.seq
      join resources as home on home.seq = link.group_id
    where person.id = ${id} and link.pending is not null and link.retry_at > ${now}`;

/** Change of a provider until the service holds it, with the time of its acceptance (epoch milliseconds) and its version. */
export type AskedChange = Readonly<{ kind: ChangeClass; at: number; version: number }>;

/** Remembers an accepted change until the service holds it: of several the most urgent, and of equal ones the first. `trace`: of its request (W3C Trace Context). */
export async function keepChange(
  tx: Db,
  row: ResourceRow,
  { kind, at, version, trace }: AskedChange & { readonly trace: string | null },
): Promise<void> {
  const { asked_kind: known } = row;
  const isUrgent = known === null || CHANGE_CLASSES.indexOf(kind) < CHANGE_CLASSES.indexOf(known);
  const isBack = known === 'leaver' && kind === 'joiner';
  if (!isUrgent && !isBack) return;
  const asked = { asked_kind: kind, asked_at: at, asked_version: version, asked_trace: trace };
  await updateWhere(tx, 'resources', { id: row.id }, asked);
}

/** Condition of a row whose change the service does not hold: a user who is to be out and still works counts also while that is held. */
const WAITS = sql`(due_at is not null or (type = 'user' and asked_kind = 'leaver'
  and origin is not null and (active = 0 or deleted_at is not null) and ${IS_SEEN_WORKING}))`;

/** Counts the users and groups with a change that the service does not hold yet, by its kind. */
export const countWaitingChanges = (db: Db) =>
  select<{ kind: string; oldestAt: number; count: number }>(db)`
    select asked_kind as kind, min(asked_at) as "oldestAt", count(*) as count
    from resources where asked_kind is not null and ${WAITS} group by asked_kind`;
