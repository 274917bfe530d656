import { type RawBuilder, sql } from 'kysely';
import { groupId, type ResourceKey, userId } from '../domain/ids.ts';
import { chunks, storeNow } from './engine/dialect.ts';
import type { DueClass } from './schema.ts';
import type { Db } from './store.ts';

/** Every class of due work, the most urgent first. */
export const DUE_CLASSES: readonly DueClass[] = [0, 1, 2];
/** Lanes of removals that are looked for behind other work of their own; more than one process runs at once. */
const HELD_MAX = 1_000;

/** The right to converge one resource. `token` fences what its holder records. */
export interface Lease {
  readonly token: number;
}

/** Who asks for a lane, when by the clock of the host, and for how long. */
export interface LaneClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/** When a lease that is given or renewed now ends. */
export function leaseEnd(db: Db, { now, leaseMs }: LaneClaim): RawBuilder<number> {
  return sql<number>`${storeNow(db, now)} + ${leaseMs}`;
}

/** Takes the lane of a resource, or undefined when somebody else holds it. One statement on both engines. */
export async function claimLane(
  tx: Db,
  key: ResourceKey,
  claim: LaneClaim,
): Promise<Lease | undefined> {
  const now = storeNow(tx, claim.now);
  return tx
    .updateTable(tableOf(key))
    .set((set) => ({
      // A lease that ran out leaves a call behind whose outcome nobody knows.
      must_look: sql<number>`case when lane_owner is null and must_look = 0 then 0 else 1 end`,
      lane_owner: claim.owner,
      lane_until: leaseEnd(tx, claim),
      lane_token: set('lane_token', '+', 1),
    }))
    .where('id', '=', key.id)
    .where((where) => where.or([where('lane_until', 'is', null), where('lane_until', '<=', now)]))
    .returning('lane_token as token')
    .executeTakeFirst();
}

/** Whether a call for this row may be on its way: also where its holder is gone, until somebody has looked. */
export function isLaneHeld({ lane_owner }: { readonly lane_owner: string | null }): boolean {
  return lane_owner !== null;
}

/** A lane that is still its holder's, and what has become of the resource. */
export interface HeldLane {
  /** Milliseconds until somebody else may take it. */
  readonly leftMs: number;
  readonly version: number;
  readonly must_look: number;
}

/** Who holds a lane, by which lease, and what the host's clock says. */
export interface LaneHolder {
  readonly owner: string;
  readonly lease: Lease;
  readonly now: number;
}

/** The lane as far as this holder still has it; undefined: it is somebody else's, given back, or the resource is gone. */
export async function findHeldLane(
  db: Db,
  key: ResourceKey,
  { owner, lease, now }: LaneHolder,
): Promise<HeldLane | undefined> {
  return db
    .selectFrom(tableOf(key))
    .select(['version', 'must_look', sql<number>`lane_until - ${storeNow(db, now)}`.as('leftMs')])
    .where('id', '=', key.id)
    .where('lane_owner', '=', owner)
    .where('lane_token', '=', lease.token)
    .executeTakeFirst();
}

/** Makes a lease as long again as when it was given, unless the holder has lost it: then undefined. */
export async function renewLane(
  tx: Db,
  key: ResourceKey,
  { lease, ...claim }: LaneClaim & { readonly lease: Lease },
): Promise<HeldLane | undefined> {
  const renewed = await tx
    .updateTable(tableOf(key))
    .set({ lane_until: leaseEnd(tx, claim) })
    .where('id', '=', key.id)
    .where('lane_owner', '=', claim.owner)
    .where('lane_token', '=', lease.token)
    .returning(['version', 'must_look'])
    .executeTakeFirst();
  return renewed && { ...renewed, leftMs: claim.leaseMs };
}

/**
 * Renews the leases of those of these resources whose lanes the owner holds. A row that is just being
 * written is left for the next time, so that nobody waits for anybody.
 */
export async function renewLanes(
  tx: Db,
  keys: readonly ResourceKey[],
  claim: LaneClaim,
): Promise<void> {
  for (const type of ['user', 'group'] as const) {
    const ids = keys.flatMap((key) => (key.type === type ? [key.id] : []));
    const table = type === 'user' ? 'users' : 'groups';
    for (const chunk of chunks(ids)) {
      await tx
        .updateTable(table)
        .set({ lane_until: leaseEnd(tx, claim) })
        .where('id', 'in', (query) =>
          query
            .selectFrom(table)
            .select('id')
            .where('id', 'in', chunk)
            .where('lane_owner', '=', claim.owner)
            .forUpdate()
            .skipLocked(),
        )
        .execute();
    }
  }
}

/** Gives a lane back without a result; the resource is due again at `dueAt` (epoch milliseconds). */
export async function releaseLane(
  tx: Db,
  key: ResourceKey,
  { owner, lease, dueAt }: { owner: string; lease: Lease; dueAt: number },
): Promise<void> {
  await tx
    .updateTable(tableOf(key))
    .set({ lane_owner: null, lane_until: null, must_look: 1, due_at: dueAt })
    .where('id', '=', key.id)
    .where('lane_owner', '=', owner)
    .where('lane_token', '=', lease.token)
    .execute();
}

/** Ends the leases of an owner at that moment (epoch milliseconds, by the store's clock), where they end later. */
export async function shortenLanes(tx: Db, owner: string, until: number): Promise<void> {
  for (const table of ['users', 'groups'] as const) {
    const held = tx.updateTable(table).set({ lane_until: until }).where('lane_owner', '=', owner);
    await held.where('lane_until', '>', until).execute();
  }
}

/**
 * Takes back the lanes of processes that are known to be gone: of all others, where only one process
 * can have the store. Their calls may have had an effect, so each of these resources is looked at first.
 */
export async function recoverLanes(tx: Db, now: number): Promise<number> {
  let recovered = 0;
  for (const table of ['users', 'groups'] as const) {
    const result = await tx
      .updateTable(table)
      .set({ lane_owner: null, lane_until: null, must_look: 1, due_at: now })
      .where('lane_owner', 'is not', null)
      .executeTakeFirst();
    recovered += Number(result.numUpdatedRows);
  }
  return recovered;
}

/** Which due work to list. */
export interface DueQuery {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly classes: readonly DueClass[];
  readonly limit: number;
}

/** Work whose time has come. */
export interface DueWork {
  readonly key: ResourceKey;
  readonly dueClass: DueClass;
}

/** Resources whose time has come and whose lane is free: removal of access first, then the oldest. */
export async function listDue(db: Db, { now, classes, limit }: DueQuery): Promise<DueWork[]> {
  const due: (DueWork & { readonly dueAt: number })[] = [];
  for (const type of ['user', 'group'] as const) {
    const rows = await db
      .selectFrom(type === 'user' ? 'users' : 'groups')
      .select(['id', 'due_class', 'due_at'])
      .where('due_at', '<=', now)
      .where('due_class', 'in', classes)
      .where((where) =>
        where.or([where('lane_until', 'is', null), where('lane_until', '<=', storeNow(db, now))]),
      )
      .orderBy('due_class')
      .orderBy('due_at')
      .limit(limit)
      .execute();
    for (const row of rows) {
      const key: ResourceKey =
        type === 'user' ? { type, id: userId(row.id) } : { type, id: groupId(row.id) };
      due.push({ key, dueClass: row.due_class, dueAt: row.due_at ?? 0 });
    }
  }
  due.sort((a, b) => a.dueClass - b.dueClass || a.dueAt - b.dueAt);
  return due.slice(0, limit);
}

/** Resources that are to lose access now and whose lane this owner holds: what they do first is in the way. */
export async function listHeldRemovals(
  db: Db,
  { owner, now }: { owner: string; now: number },
): Promise<ResourceKey[]> {
  // A process holds few lanes, while thousands of removals may wait: the sign keeps the index of what is due out of it.
  const held = sql`lane_owner = ${owner} and +due_class = 0 and due_at <= ${now}`;
  const { rows } = await sql<{ type: 'user' | 'group'; id: string }>`
    select 'user' as type, id from users where ${held}
    union all
    select 'group' as type, id from groups where ${held}
    limit ${HELD_MAX}`.execute(db);
  return rows.map(({ type, id }) =>
    type === 'user' ? { type, id: userId(id) } : { type, id: groupId(id) },
  );
}

/** How many removals and changes are due now; those beyond `max` are not counted. */
export async function countDueChanges(db: Db, now: number, max: number): Promise<number> {
  const due = (table: 'users' | 'groups') => sql`select * from (select id from ${sql.table(table)}
    where due_class in (0, 1) and due_at <= ${now} limit ${max}) as ${sql.table(table)}`;
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from (${due('users')} union all ${due('groups')}) as due`.execute(db);
  return Math.min(rows[0]?.due ?? 0, max);
}

/** When the next work of these classes is due (epoch milliseconds), or undefined when nothing is. */
export async function findNextDueAt(
  db: Db,
  classes: readonly DueClass[] = DUE_CLASSES,
): Promise<number | undefined> {
  // Class by class, so that each is the first entry of an index and nothing else is read, however much is due.
  const firsts = classes.flatMap((dueClass) =>
    (['users', 'groups'] as const).map(
      (table) => sql`select min(due_at) as due_at from ${sql.table(table)}
        where due_at is not null and due_class = ${dueClass}`,
    ),
  );
  const { rows } = await sql<{ due_at: number | null }>`
    select min(due_at) as due_at from (${sql.join(firsts, sql` union all `)}) as due`.execute(db);
  return rows[0]?.due_at ?? undefined;
}

export function tableOf(key: ResourceKey): 'users' | 'groups' {
  return key.type === 'user' ? 'users' : 'groups';
}
