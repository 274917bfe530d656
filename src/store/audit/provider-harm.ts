import { type RawBuilder, sql } from 'kysely';
import { assertNever } from '../../domain/errors.ts';
import { CALLS_OF_HARM, findHarmOf, type HarmKind } from '../../domain/harm.ts';
import type { OwnChange } from '../../domain/own-call.ts';
import type { Db } from '../store.ts';

/** Selection of the harm to count. */
export interface HarmQuery {
  readonly harm: HarmKind;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Counting ends here. */
  readonly max: number;
}

/** A change that is about to be made. */
interface HarmChange extends OwnChange {
  /** The SCIM id of the user or group. */
  readonly resourceId: string;
}

/**
 * Counts the users, places in a group, or groups that providers took something away from: each counts once, however
 * many calls that took. Calls that the service refused took nothing away; one whose outcome is unknown may have.
 * Changes by repair plans are left out.
 * @param also counted with them, whether or not they are in the ledger
 */
export async function countProviderHarm(
  db: Db,
  { harm, since, max }: HarmQuery,
  also: readonly HarmChange[] = [],
): Promise<number> {
  const kinds = CALLS_OF_HARM[harm];
  if (kinds.length === 0) return 0;
  const added = also
    .filter(({ kind }) => kinds.includes(kind))
    .map((change) => sql`union select ${toAdded(harm, change)}`);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select * from (
      select distinct ${toSubject(harm)} from own_calls
      where kind in (${sql.join([...kinds])}) and at > ${since} and is_repair = 0
      and (outcome is null or outcome in ('done', 'unknown')) limit ${max}) as done
      ${sql.join(added, sql` `)}) as subjects`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Unit that is counted: an account, a member of one group, or a group. */
function toSubject(harm: HarmKind): RawBuilder<unknown> {
  switch (harm) {
    case 'deactivate':
      return sql`coalesce(upstream_id, resource_id) as subject, '' as place`;
    case 'removeMember':
    case 'demoteAdmin':
      return sql`member_id as subject, resource_id as place`;
    case 'cutAccess':
    case 'deleteGroup':
      return sql`resource_id as subject, '' as place`;
    default:
      return assertNever(harm);
  }
}

/** Counts the harm of a change that is not in the ledger. */
function toAdded(harm: HarmKind, change: HarmChange): RawBuilder<unknown> {
  const { resourceId, upstreamId, memberId = '' } = change;
  const text = (value: string) => sql`cast(${value} as text)`;
  const rows = sql`select ${text(upstreamId ?? resourceId)} as upstream_id,
    ${text(resourceId)} as resource_id, ${text(memberId)} as member_id`;
  return sql`${toSubject(harm)} from (${rows}) as change`;
}

/** Changes of a user or group with whether a plan of repairs asked for each. */
export async function markRepairs(
  db: Db,
  resourceId: string,
  changes: readonly OwnChange[],
): Promise<(OwnChange & { readonly isRepair: boolean })[]> {
  const isHarm = changes.some(({ kind }) => findHarmOf(kind) !== undefined);
  const repaired = isHarm ? await listRepaired(db, resourceId, changes) : new Set();
  return changes.map((change) => {
    const harm = findHarmOf(change.kind);
    return { ...change, isRepair: repaired.has(`${harm} ${change.memberId ?? ''}`) };
  });
}

/** Lists what repair plans remove from a user or group now, as a kind and, in a group, the account. */
async function listRepaired(
  db: Db,
  resourceId: string,
  changes: readonly OwnChange[],
): Promise<Set<string>> {
  const accounts = changes.flatMap(({ memberId }) => toAccounts(memberId));
  const { rows } = await sql<{ harm: HarmKind; account: number | null }>`
    select action.harm, member.upstream_id as account from plan_actions as action
    left join users as member on member.id = action.member_id
    where action.resource_id = ${resourceId} and action.status = 'released' and action.harm is not null
    and (action.member_id = '' or member.upstream_id in (${sql.join([-1, ...accounts])}))`.execute(
    db,
  );
  return new Set(rows.map(({ harm, account }) => `${harm} ${account ?? ''}`));
}

function toAccounts(memberId: string | undefined): number[] {
  return memberId !== undefined && /^\d{1,15}$/.test(memberId) ? [Number(memberId)] : [];
}

/** Makes changes that a limit held due now. `now` is epoch milliseconds. */
export async function prioritiseHeldByLimit(tx: Db, words: string, now: number): Promise<void> {
  for (const table of ['users', 'groups'] as const) {
    const held = tx.updateTable(table).set({ due_at: now }).where('due_at', '>', now);
    await held.where('last_error', 'like', `%${words}%`).execute();
  }
}
