import { sql } from 'kysely';
import { chunks } from '../engine/dialect.ts';
import type { Db, Store } from '../store.ts';

/** A write that could not be matched to one account or group. */
interface Dispute {
  readonly type: 'user' | 'group';
  readonly nameFolded: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records a dispute once per name, counting repeats: an operator resolves it. True: it is new. */
export async function saveDispute(
  tx: Db,
  { type, nameFolded, reason, now }: Dispute,
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    insert into disputes (resource_type, name_folded, reason, first_seen_at, last_seen_at, count)
    values (${type}, ${nameFolded}, ${reason}, ${now}, ${now}, 1)
    on conflict (resource_type, name_folded) do update set reason = excluded.reason,
      last_seen_at = excluded.last_seen_at, count = disputes.count + 1
    returning count`.execute(tx);
  return rows[0]?.count === 1;
}

/** Forgets what was disputed of these names: an operator resolved it. */
export async function deleteDisputes(
  tx: Db,
  { type, namesFolded }: Pick<Dispute, 'type'> & { readonly namesFolded: readonly string[] },
): Promise<void> {
  const disputes = tx.deleteFrom('disputes').where('resource_type', '=', type);
  await disputes.where('name_folded', 'in', namesFolded).execute();
}

/** Forgets disputes of a reason that is over for all names but these. */
export async function endDisputes(
  store: Store,
  {
    type,
    reason,
    except,
  }: Pick<Dispute, 'type' | 'reason'> & { readonly except: ReadonlySet<string> },
): Promise<void> {
  const disputes = store.read.selectFrom('disputes').select('name_folded');
  const rows = await disputes
    .where('resource_type', '=', type)
    .where('reason', '=', reason)
    .execute();
  const over = rows.map(({ name_folded }) => name_folded).filter((name) => !except.has(name));
  for (const namesFolded of chunks(over)) {
    await store.write((tx) => deleteDisputes(tx, { type, namesFolded }));
  }
}

/** Counts disputes that came up since then (epoch milliseconds): providers ask again until one is resolved. */
export async function countDisputes(db: Db, since: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from disputes where last_seen_at >= ${since}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Write that only an operator can assign to an account or group. */
export interface DisputeView {
  readonly type: 'user' | 'group';
  readonly name: string;
  readonly reason: string;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** Lists disputes, the latest first. */
export async function listDisputes(db: Db, limit: number): Promise<DisputeView[]> {
  const { rows } = await sql<DisputeView>`
    select resource_type as type, name_folded as name, reason, count,
      first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
    from disputes order by last_seen_at desc limit ${limit}`.execute(db);
  return rows;
}
