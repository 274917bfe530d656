import sql, { raw } from 'sql-template-tag';
import { listFoldedEmails } from '../../domain/address.ts';
import { onlyPending } from '../../domain/cell.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Deactivation } from '../../domain/kinds.ts';
import { ERASED, isGone, isWorking, withoutPersonalData } from '../../domain/kinds.ts';
import type { JsonObject } from '../../domain/values.ts';
import { foldCase, isJsonObject, parseFields } from '../../domain/values.ts';
import { ACTIVE } from '../drifts.ts';
import { toColumns } from '../engine/columns.ts';
import { execute, lockUntilCommit, readOne, select } from '../engine/dialect.ts';
import { listNameKeys } from '../logs.ts';
import type { Db, Store } from '../store.ts';
import { deleteWhere, updateWhere } from '../tables.ts';
import type { UserRow } from './rows.ts';
import { deleteRow, lockRow, readRows, updateRow } from './rows.ts';
import { isAtWork } from './state.ts';

interface ErasureDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: { readonly deactivation: Deactivation };
}

/** Erases everything personal about a user, and has the engine overwrite it; with obstacles, or in a dry run, nothing. Undefined: unknown id. */
export async function eraseUser(deps: ErasureDeps, id: string, dryRun = false) {
  const { store } = deps;
  const erasure = await store.write((tx) => erase(tx, deps, id, dryRun));
  if (typeof erasure?.rows === 'number') await store.scrub();
  return erasure;
}

const PART = 50;

/** Erases users whose deletion ended before `before` (epoch milliseconds), until `signal` is aborted. */
export async function forgetTombstones(
  deps: ErasureDeps,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const { read, write } = deps.store;
  const old = { deleted_at: { '<': before }, erased_at: null, due_at: null };
  for await (const rows of readRows(read, 'user', { limit: PART, where: old })) {
    for (const { id } of rows) {
      if (signal.aborted) return;
      await write((tx) => erase(tx, deps, id, false));
    }
  }
}

async function erase(tx: Db, deps: ErasureDeps, id: string, dryRun: boolean) {
  await lockUntilCommit(tx, 'former-ids');
  const row = await lockRow(tx, { type: 'user', id });
  if (row === undefined) return undefined;
  const obstacles = await listObstacles(tx, deps, row);
  let rows: number | null = null;
  if (obstacles.length === 0 && !dryRun) {
    rows = await eraseTraces(tx, row, listPersonalNames(row.attributes, row.observed));
    await eraseRow(tx, row, deps.clock.now());
  }
  return {
    id: row.id,
    userName: row.name,
    account: row.upstream_id,
    deleted: row.deleted_at !== null,
    /** True when a tombstone stays, of ids alone. */
    staysHidden: row.upstream_id !== null && row.origin !== null,
    /** Reasons against erasing now; with any of them nothing is erased. */
    obstacles,
    /** Rows beside the user's own that said something of them; null: nothing was erased. */
    rows,
  };
}

/** Time in which the audit log may still tell of a call of the bridge, in milliseconds: events come minutes late. */
const LOGGED_WITHIN_MS = 10 * 60_000;

/** Lists the reasons why a user is not erased yet. */
async function listObstacles(db: Db, { clock, rules }: ErasureDeps, row: UserRow) {
  if (row.erased_at !== null) return ['erased'] as const;
  const isDeleted = row.deleted_at !== null;
  if (!isDeleted && row.origin !== null) return ['managed'] as const;
  const now = clock.now();
  const { observed } = row;
  const { links, held, drifts, calledAt } = await findErasureFacts(db, row);
  // A comparison that misses an unmanaged account looks for it, and forgets one that is gone.
  const isShown = !isDeleted && !isGone(observed);
  const works = observed !== null && isWorking(observed, rules.deactivation);
  const found = {
    'in-service': isShown,
    active: isDeleted && works,
    pending: isAtWork(row) || row.sent_creates.length > 0 || links > 0,
    held: held > 0,
    drifting: drifts > 0,
    recent: now - (calledAt ?? 0) < LOGGED_WITHIN_MS,
  };
  return parseFields<keyof typeof found>(found).filter((obstacle) => found[obstacle]);
}

/** Erases the user's own row. A tombstone of its id stays where a list could bring the user back. */
async function eraseRow(tx: Db, row: UserRow, now: number): Promise<void> {
  if (row.upstream_id === null || row.origin === null) return deleteRow(tx, row, now);
  const attributes = { userName: ERASED, active: false };
  await updateRow(tx, row, {
    ...toColumns('user', attributes),
    // Text that cannot be a name.
    name_folded: '',
    observed: row.observed && withoutPersonalData(row.observed),
    observed_user_name_folded: null,
    observed_email_folded: null,
    cells: onlyPending(row.cells),
    sent_creates: [],
    last_error: null,
    version: row.version + 1,
    modified_at: now,
    erased_at: now,
  });
}

/**
 * Erases what other tables say of the user, and returns the number of rows. Logs and plans keep ids, which name nobody:
 * limits and a recovery count them. What events say that name somebody else goes with them.
 */
async function eraseTraces(tx: Db, row: UserRow, names: readonly string[]): Promise<number> {
  const { id, seq, upstream_id: account } = row;
  const keys = [...names.map(foldCase), ...listNameKeys(row)];
  const naming = await deleteWhere(tx, 'audit_event_subjects', { subject: [id, ...keys] });
  const eventIds = naming.map(({ event_id }) => event_id);
  const traced = { resource_id: id, exchange: { '<>': null } } as const;
  // An event is reduced to its time and its kind.
  const reduced = { message: null, author_id: null, author_username: null, author_address: null };
  const changed = [
    naming,
    await deleteWhere(tx, 'audit_event_subjects', { event_id: eventIds, resource_type: null }),
    await updateWhere(tx, 'audit_events', { id: eventIds }, reduced),
    await updateWhere(tx, 'audit_events', { author_id: account ?? -1 }, reduced),
    await updateWhere(tx, 'audit_events', { author_username: [...names] }, reduced),
    await deleteWhere(tx, 'disputes', { resource_type: 'user', name_folded: names.map(foldCase) }),
    await deleteWhere(tx, 'names', { resource: id }),
    await deleteWhere(tx, 'former_ids', { resource_type: 'user', resource_id: id }),
    await deleteWhere(tx, 'links', { target: seq }),
    await deleteWhere(tx, 'notices', { key: { like: `leaver:${id}:%` } }),
    await updateWhere(tx, 'requests', traced, { exchange: null }),
    await deleteWhere(tx, 'drifts', { resource_id: id }),
    await deleteWhere(tx, 'drifts', { member_id: id }),
    await updateWhere(tx, 'plan_actions', { resource_id: id }, { desired: null, observed: null }),
    await updateWhere(tx, 'plan_actions', { member_id: id }, { desired: null, observed: null }),
  ];
  await silenceWords(tx, names);
  return changed.flat().length;
}

const FAILS = sql`(due_at is not null or stuck_at is not null)`;
const WORDS = [
  { table: 'resources', column: 'last_error', fails: FAILS },
  { table: 'resources', column: 'cells', fails: FAILS },
  { table: 'links', column: 'failure', fails: sql`pending is not null` },
] as const;

/** Takes the service's words out of the failures of others that mention one of these names. */
async function silenceWords(tx: Db, names: readonly string[]): Promise<void> {
  const isMentioned = createMention(names);
  for (const { table, column, fails } of WORDS) {
    const rows = await select<{ text: string }>(tx)`
      select distinct ${raw(column)} as text from ${raw(table)}
      where ${fails} and ${raw(column)} like '%"words"%'`;
    for (const { text } of rows.filter((one) => isMentioned(one.text))) {
      const silent = text.replaceAll(/"words":"(?:[^"\\]|\\.)*"/g, `"words":"${ERASED}"`);
      await execute(tx)`update ${raw(table)} set ${raw(column)} = ${silent}
        where ${fails} and ${raw(column)} = ${text}`;
    }
  }
}

/** Counts what of a user is under way: places in groups, actions, active drifts. `calledAt`: the last change by the bridge; null: none. */
async function findErasureFacts(db: Db, { id, upstream_id }: Pick<UserRow, 'id' | 'upstream_id'>) {
  const about = sql`(resource_id = ${id} or member_id = ${id})`;
  const number = String(upstream_id ?? '');
  type Facts = Record<'links' | 'held' | 'drifts', number> & { calledAt: number | null };
  return readOne<Facts>(db)`select
    (select count(*) from links where target = (select seq from resources where id = ${id})
      and (desired = 1 or pending is not null or retry_at is not null or stuck_at is not null)) as links,
    (select count(*) from plan_actions where ${about} and plan_id in (
        select id from plans where ended_at is null)) as held,
    (select count(*) from drifts where ${about} and status in (${ACTIVE})
      and kind not like '%.unmanaged') as drifts,
    (select max(at) from own_calls where resource_id = ${id}
      or (member_id = ${number} and member_id <> '')) as "calledAt"`;
}

/** Lists the names under which words of the service may mention a user: names and addresses. */
export function listPersonalNames(
  attributes: JsonObject,
  observed: Readonly<Partial<Record<'userName' | 'email' | 'fullName', string>>> | null,
): string[] {
  const { name } = attributes;
  const shown = [attributes.userName, attributes.displayName, isJsonObject(name) && name.formatted];
  const seen = [observed?.userName, observed?.email, observed?.fullName];
  const texts = [...shown, ...listFoldedEmails(attributes), ...seen];
  const isText = (text: unknown) => typeof text === 'string';
  // A name of two letters is in too many texts to identify a user.
  return [...new Set(texts.filter(isText))].filter((text) => text.trim().length > 2);
}

/** Checks whether a text has one of these names in it, in any case, and not as a part of a longer word. */
export function createMention(names: readonly string[]): (text: string) => boolean {
  if (names.length === 0) return () => false;
  const any = names.map((name) => RegExp.escape(foldCase(name))).join('|');
  const mention = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => mention.test(foldCase(text));
}
