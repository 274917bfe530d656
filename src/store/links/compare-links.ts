import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { isPostgres, readInChunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { type LinkTable, readLinks } from './links.ts';

/** Complete list of the members or admins of a group. */
export interface SeenLinks {
  readonly upstreamUserIds: readonly number[];
  /** Desired state of users whom no provider named: 1 at adoption, 0 in a managed group, null in others. */
  readonly baseline: number | null;
  /** `unknown`: the list may be cut short, so a user it lacks may still be in. By default such users are out. */
  readonly absent?: 'out' | 'unknown';
  /**
   * Newest version of a waiting change that is taken to hold where it is seen: a call that was planned from it may still
   * take effect. 0: none is, because the list may be older than a call. Default: any.
   */
  readonly doneUpTo?: number;
}

/** Differences of a list from the stored links. */
export interface ListDifferences {
  /** Accounts of users who are in no row of the group yet. */
  readonly added: readonly number[];
  /** Users whose rows are to show something else, by what that is. */
  readonly changed: ReadonlyMap<number | null, readonly UserId[]>;
  /** Number of rows of users who came or went. */
  readonly moved: number;
  /** True when a waiting change is over or to be tried again, or a row is to be forgotten. */
  readonly isStale: boolean;
}

/** Differences of the stored links, as they are found. */
interface StoredDifferences {
  readonly changed: Map<number | null, UserId[]>;
  moved: number;
  isStale: boolean;
}

/** Compares a list with the stored links, a part at a time. Mostly they agree. */
export async function compareLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { upstreamUserIds, absent = 'out' }: SeenLinks,
): Promise<ListDifferences> {
  const listed = await readListed(tx, upstreamUserIds);
  const linked = new Set<UserId>();
  const differences: StoredDifferences = { changed: new Map(), moved: 0, isStale: false };
  for await (const part of readStored(tx, table, groupId)) {
    for (const link of part) {
      const isThere = listed.has(link.user_id);
      if (isThere) linked.add(link.user_id);
      note(differences, link, isThere ? 1 : toAbsent(absent, link));
    }
  }
  return { ...differences, added: listAdded(listed, linked) };
}

/** User whose account a list names. */
interface ListedUser {
  readonly account: number;
  readonly isLive: boolean;
}

async function readListed(tx: Db, accounts: readonly number[]): Promise<Map<UserId, ListedUser>> {
  const listed = new Map<UserId, ListedUser>();
  const rows = await readInChunks(accounts, async (some) => {
    const found = await sql<{ id: UserId; upstream_id: number; deleted_at: number | null }>`
      select id, upstream_id, deleted_at from resources
      where type = 'user' and upstream_id in (${selectAccounts(tx, some)})`.execute(tx);
    return found.rows;
  });
  for (const { id, upstream_id, deleted_at } of rows) {
    listed.set(id, { account: upstream_id, isLive: deleted_at === null });
  }
  return listed;
}

/** Accounts for `in (…)`. */
export function selectAccounts(tx: Db, accounts: readonly number[]): RawBuilder<unknown> {
  const list = JSON.stringify(accounts);
  return isPostgres(tx)
    ? sql`select value::bigint from json_array_elements_text(${list}::json)`
    : sql`select value from json_each(${list})`;
}

/** Parts of a link that a list may change. */
interface StoredLink {
  readonly seq: number;
  readonly user_id: UserId;
  readonly desired: number | null;
  readonly observed: number | null;
  readonly pending: number | null;
  readonly retry_at: number | null;
  readonly attempts: number;
}

function readStored(tx: Db, table: LinkTable, groupId: GroupId): AsyncGenerator<StoredLink[]> {
  // Written as SQL, which costs kysely least.
  return readLinks(async ({ afterSeq, limit }) => {
    const { rows } = await sql<StoredLink>`
      select seq, user_id, desired, observed, pending, retry_at, attempts from ${sql.table(table)}
      where group_id = ${groupId} and seq > ${afterSeq} order by seq limit ${limit}`.execute(tx);
    return rows;
  });
}

/** Notes what is different of a link of which the list shows `observed`. */
function note(differences: StoredDifferences, link: StoredLink, observed: number | null): void {
  if ((observed === 1) !== (link.observed === 1)) differences.moved += 1;
  if (observed !== link.observed) {
    const same = differences.changed.get(observed);
    if (same === undefined) differences.changed.set(observed, [link.user_id]);
    else same.push(link.user_id);
  }
  differences.isStale ||= isOver(link) || isAnswered(link, observed);
}

/** Tells what is to be shown of a user who is not in the list. */
function toAbsent(absent: 'out' | 'unknown', { observed }: StoredLink): number | null {
  return absent === 'out' || observed === 0 ? 0 : null;
}

/** True for a link that is neither wanted nor there, and that nothing waits for. */
function isOver({ desired, observed, pending }: StoredLink): boolean {
  return pending === null && observed === 0 && (desired ?? 0) === 0;
}

/** True for a waiting change that holds once `observed` is seen, or that was refused and may be tried again. */
function isAnswered(
  { desired, pending, retry_at, attempts }: StoredLink,
  observed: number | null,
): boolean {
  if (pending === null) return false;
  return (retry_at !== null && attempts === 0) || (desired !== null && desired === observed);
}

/** Lists the accounts of users who come. A deleted user who is still seen has to leave, and does not come. */
function listAdded(listed: ReadonlyMap<UserId, ListedUser>, linked: ReadonlySet<UserId>): number[] {
  const added: number[] = [];
  for (const [id, { account, isLive }] of listed) {
    if (isLive && !linked.has(id)) added.push(account);
  }
  return added;
}
