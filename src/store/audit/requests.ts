import { type Insertable, sql } from 'kysely';
import type { ChangeKind } from '../../domain/change.ts';
import { chunks, select, toValues } from '../engine/dialect.ts';
import { createFact } from '../facts.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import type { Row } from '../tables.ts';

/** A request as stored. */
export type RequestRow = Row<'requests'>;

/** A request to be stored. */
export type NewRequestRow = Omit<Insertable<Schema['requests']>, 'seq'>;

/** Stores requests. One that is there already is completed, once. */
export async function saveRequests(tx: Db, rows: readonly NewRequestRow[]): Promise<void> {
  for (const some of chunks(rows)) {
    await sql`insert into requests ${toValues(some)} on conflict (entry) do update set
      method = excluded.method, resource_type = excluded.resource_type,
      resource_id = excluded.resource_id, written = excluded.written, status = excluded.status,
      scim_type = excluded.scim_type, refusal = excluded.refusal, duration_ms = excluded.duration_ms
      where requests.status = 0`.execute(tx);
  }
}

/** Last request for a change. */
export interface ChangeAsker {
  /** Id of its credential. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly requestId: string;
}

/**
 * Finds the credentials and times (epoch milliseconds) of the last requests for these changes before they were known,
 * in their order; undefined: none is kept, or a rule of the configuration asked.
 */
export async function listAskers(
  db: Db,
  changes: readonly Pick<Row<'plan_actions'>, 'kind' | 'resource_id' | 'planned_at'>[],
): Promise<(ChangeAsker | undefined)[]> {
  const askers: (ChangeAsker | undefined)[] = changes.map(() => undefined);
  for (const some of chunks([...changes.entries()], ASKERS_PART)) {
    const asked = some.map(
      ([place, { kind, resource_id, planned_at }]) => sql`select * from (
        select ${sql.lit(place)} as place, credential, at, request_id from requests
        where resource_id = ${resource_id} and at <= ${planned_at} and status < 400
        and (method = 'DELETE' or written like ${toWritten(kind)})
        order by seq desc limit 1) as asked`,
    );
    const rows = await select<RequestRow & { readonly place: number }>(db)`
      ${sql.join(asked, sql` union all `)}`;
    for (const { place, credential: by, at, request_id: requestId } of rows) {
      askers[place] = { by, at, requestId };
    }
  }
  return askers;
}

/** Changes whose requests are found by one statement. */
const ASKERS_PART = 100;

/** Pattern of the attribute by which a change is asked for. */
function toWritten(kind: ChangeKind): string {
  if (kind.startsWith('member.')) return '%members%';
  if (kind.startsWith('admin.')) return '%admins%';
  return kind.startsWith('user.') ? '%active%' : '%displayName%';
}

/**
 * What operators see of requests:
 * - `left-out`: some took access away and were taken without a part that was refused
 * - `name-recycled`: some gave the account of a deleted person to another one
 */
type RemarkKind = 'left-out' | 'name-recycled';

/** Number of requests with the same remark within a day of each other; times in epoch milliseconds. */
export type Remark = Readonly<Record<'requests' | 'since' | 'last', number>>;

const RECENT_MS = 86_400_000;

/** Keeps a remark about a request. */
export async function keepRemark(tx: Db, kind: RemarkKind, now: number): Promise<void> {
  await createFact<Remark>(kind).change(tx, now, (before) => {
    const { requests, since } = toRecent(before, now) ?? { requests: 0, since: now };
    return { requests: requests + 1, since, last: now };
  });
}

/** Finds such requests of the last day. */
export const findRemark = async (db: Db, kind: RemarkKind, now: number) =>
  toRecent(await createFact<Remark>(kind).find(db), now);

const toRecent = (fact: Remark | undefined, now: number) =>
  fact && now - fact.last < RECENT_MS ? fact : undefined;
