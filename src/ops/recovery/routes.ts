import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFoldedEmails } from '../../domain/address.ts';
import { isWaiting } from '../../domain/cell.ts';
import { type ChangeKind, listFieldChanges } from '../../domain/change.ts';
import { findWantedRoles, listEntityFields } from '../../domain/entity.ts';
import { listGroupDifferences, toGroupValues } from '../../domain/group.ts';
import {
  type Deactivation,
  listUserDifferences,
  toUserValues,
  type UserField,
} from '../../domain/user.ts';
import type { JsonObject } from '../../domain/values.ts';
import { RECOVERY } from '../../reconcile/repair/recovery-plan.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { findExisting } from '../../store/resources/find.ts';
import { countWaitingLinks, type WaitingCount } from '../../store/resources/lists.ts';
import {
  type GroupRow,
  listRows,
  type ResourceRow,
  type RowOf,
  type UserRow,
} from '../../store/resources/rows.ts';
import { toGroupState, toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere } from '../../store/tables.ts';
import { type Filters, type ListQuery, wrongCursor } from '../http/list-query.ts';
import { ok, route } from '../http/route.ts';
import { FIRST_RUN } from '../lists/tables.ts';
import { type OpsJson, toView } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route(FIRST_RUN, async (sources, { query }) => ok(await readFirstRun(sources, query))),
  route(
    { path: '/recovery', summary: 'Where recovery stands.', answers: { 200: 'Recovery' } },
    async (sources) => ok(await readRecovery(sources)),
  ),
] as const;

/** One page of the preview of the first run. @throws InvalidRequest for a cursor that is none */
async function readFirstRun(sources: OpsSources, { limit, cursor }: ListQuery<Filters>) {
  const items: OpsJson<'FirstRunItem'>[] = [];
  const counts: Record<string, number> = {};
  const kinds: Record<string, number> = {};
  const seats = { needs: 0, frees: 0 };
  let last = BEGINNING;
  let nextCursor: string | null = null;
  for await (const { item, seat, ...walked } of walk(sources, cursor ?? BEGINNING)) {
    for (const { kind, count } of item.changes) add(kinds, kind, count);
    add(counts, `${item.type}.${item.outcome}`, 1);
    if (seat !== undefined) seats[seat] += 1;
    if (items.length < limit) {
      items.push(item);
      last = walked.cursor;
      continue;
    }
    nextCursor = last;
    // The first page counts to the end.
    if (cursor !== undefined) break;
  }
  const { phase, reason, planId, reading } = await readRecovery(sources);
  const isObserving = sources.writes().mode === 'observe';
  const isFirstRun = !isObserving && reason?.code === 'first-run' && phase !== 'requested';
  const usual = { phase: isObserving ? 'observing' : 'none', planId: null } as const;
  const page = { ...(isFirstRun ? { phase, planId } : usual), reading, items, nextCursor };
  if (cursor !== undefined) return { ...page, counts: null, kinds: null, seats: null };
  const { free: has } = await sources.readSeats();
  return { ...page, counts, kinds, seats: { ...seats, has } };
}

function add(sums: Record<string, number>, name: string, count: number): void {
  sums[name] = (sums[name] ?? 0) + count;
}

async function readRecovery({ store, news }: OpsSources): Promise<OpsJson<'Recovery'>> {
  const { detection, reading } = news();
  const state = await RECOVERY.find(store.read);
  const none = { phase: 'none', since: null, reason: null, planId: null } as const;
  const progress = state?.phase === 'reading' ? reading : null;
  return toView('Recovery', { detection, ...(state ?? none), reading: progress }, {});
}

/** Rows that are classified in one turn of the event loop. */
const NEXT = { order: 'seq', limit: 100 } as const;
/** More disputes than operators resolve in a day, the latest first. */
const LATEST = { order: 'last_seen_at desc', limit: 1_000 } as const;

interface Walked {
  readonly item: OpsJson<'FirstRunItem'>;
  /** Change of the seats that are taken; undefined: none. */
  readonly seat?: 'needs' | 'frees' | undefined;
  readonly seq: number;
}

const STAGES = [
  ['users', walkUsers],
  ['groups', walkGroups],
  ['disputes', walkDisputes],
] as const;

const BEGINNING = 'users.0';

/** Walks through users, then groups, then disputed names, each with the cursor behind it. @throws InvalidRequest */
async function* walk(sources: OpsSources, cursor: string) {
  const [, name, after] = /^([a-z]+)\.(\d{1,15})$/.exec(cursor) ?? [];
  const first = STAGES.findIndex(([stage]) => stage === name);
  if (first < 0) throw wrongCursor();
  for (const [index, [stage, walkStage]] of STAGES.slice(first).entries()) {
    for await (const walked of walkStage(sources, index === 0 ? Number(after) : 0))
      yield { ...walked, cursor: `${stage}.${walked.seq}` };
  }
}

async function* walkUsers({ store, rules }: OpsSources, after: number): AsyncGenerator<Walked> {
  const db = store.read;
  for await (const rows of readBehind(db, 'user', after)) {
    const unknown = rows.filter(isWithoutAccount);
    const existing = await findExisting(db, 'user', unknown.flatMap(listNames));
    const privileges = await rules.protection.listPrivileged(db, rows);
    for (const row of rows) {
      const names = isWithoutAccount(row) ? listNames(row) : [];
      const match = names.map((name) => existing.get(name)).find((found) => found !== undefined);
      const item = classify(row, match, privileges.get(row.id));
      if (item === undefined) continue;
      const seat = findSeatChange(row, match, item.outcome);
      const changes = listUserChanges(row, match, rules.deactivation);
      yield { item: { ...item, changes }, seat, seq: row.seq };
    }
  }
}

/** Reads users or groups behind a place in parts; between them others have their turn. */
async function* readBehind<Type extends 'user' | 'group'>(db: Db, type: Type, after: number) {
  for (let from: number | undefined = after; from !== undefined; await nextTurn()) {
    const rows: RowOf<Type>[] = await listRows(db, type, { seq: { '>': from } }, NEXT);
    yield rows;
    from = rows.at(-1)?.seq;
  }
}

function isWithoutAccount({ origin, upstream_id, deleted_at }: UserRow): boolean {
  return origin !== null && upstream_id === null && deleted_at === null;
}

async function* walkGroups(sources: OpsSources, after: number): AsyncGenerator<Walked> {
  const db = sources.store.read;
  for await (const rows of readBehind(db, 'group', after)) {
    const managed = rows.filter(({ origin }) => origin !== null);
    const names = managed.map(({ name_folded }) => name_folded);
    const existing = await findExisting(db, 'group', names);
    const ids = managed.map(({ id }) => id);
    const waiting = await countWaitingLinks(db, ids);
    for (const row of rows) {
      const privilege =
        row.origin === null ? await findGroupPrivilege(db, sources, row) : undefined;
      const item = classify(row, existing.get(row.name_folded), privilege);
      if (item === undefined) continue;
      const changes = listGroupChanges(row, waiting.get(row.id) ?? []);
      yield { item: { ...item, changes }, seq: row.seq };
    }
  }
}

async function* walkDisputes({ store }: OpsSources, after: number): AsyncGenerator<Walked> {
  const disputes = await listWhere(store.read, 'disputes', {}, LATEST);
  for (const [index, row] of disputes.slice(after).entries()) {
    const { resource_type: type, name_folded: name, reason } = row;
    const none = { id: null, upstreamId: null, changes: [] };
    const item = { ...none, type, name, outcome: 'disputed', reason } as const;
    yield { item, seq: after + index + 1 };
  }
}

/** Lists the changes of an account that a user has, or would take over: each field that waits and differs. */
function listUserChanges(row: UserRow, match: UserRow | undefined, deactivation: Deactivation) {
  const { desired, observed = match && toObservedUser(match), cells } = toUserState(row);
  if (row.origin === null || observed === undefined) return [];
  const isAsked = (field: UserField) => isWaiting(cells.account) || isWaiting(cells[field]);
  const fields = listUserDifferences(desired, observed, cells, deactivation).filter(isAsked);
  const values = toUserValues(desired, observed, deactivation);
  return listFieldChanges(fields, values).map((change) => ({ ...change, count: 1 }));
}

function listGroupChanges(row: GroupRow, waiting: readonly WaitingCount[]) {
  const { desired, observed, cells } = toGroupState(row);
  if (row.origin === null) return [];
  const fields = observed
    ? listGroupDifferences(desired, observed, cells).filter((field) => isWaiting(cells[field]))
    : [];
  const own = observed ? listFieldChanges(fields, toGroupValues(desired, observed)) : [];
  const entities = listEntityFields(cells).filter((field) => isWaiting(cells[field]));
  const removed = entities.filter((field) => findWantedRoles(cells[field]) === '').length;
  const counted: { kind: ChangeKind; count: number }[] = [
    ...waiting,
    { kind: 'entity.remove', count: removed },
    { kind: 'entity.change', count: entities.length - removed },
  ];
  const none = { desired: null, observed: null };
  const unnamed = counted.flatMap(({ kind, count }) =>
    Number(count) > 0 ? [{ ...none, kind, count: Number(count) }] : [],
  );
  return [...own.map((change) => ({ ...change, count: 1 })), ...unnamed];
}

function listNames(row: UserRow): string[] {
  return [row.name_folded, ...listFoldedEmails(parseStored<JsonObject>(row.attributes))];
}

type Outcome = Walked['item']['outcome'];

/** Finds out if a user needs a seat of the service, or frees one; undefined: neither. */
function findSeatChange(row: UserRow, match: UserRow | undefined, outcome: Outcome) {
  if (outcome === 'privileged') return undefined;
  const takes = row.upstream_id === null ? match?.takes_seat === 1 : row.takes_seat === 1;
  const isWanted = row.active === 1 && outcome !== 'remove';
  if (takes === isWanted) return undefined;
  return isWanted ? 'needs' : 'frees';
}

/** Classifies a user or group; undefined: no provider asked for it, and nothing stands in the way. */
function classify(row: ResourceRow, match: ResourceRow | undefined, privilege: string | undefined) {
  const known = toUpstreamId(row);
  const upstreamId = known ?? (match ? toUpstreamId(match) : null);
  const to = (outcome: Outcome, reason: string | null = null) => ({
    type: row.type,
    id: row.id,
    name: row.name,
    outcome,
    upstreamId,
    reason,
  });
  if (row.origin === null) return privilege === undefined ? undefined : to('privileged', privilege);
  if (row.deleted_at !== null) return row.due_at === null ? undefined : to('remove');
  if (known !== null) return to(row.origin === 'adopted' ? 'adopt' : 'linked');
  if (match !== undefined) return to('adopt');
  return to(row.active === 1 ? 'create' : 'inactive');
}

function toUpstreamId({ upstream_uid, upstream_id, upstream_scim_id }: ResourceRow): string | null {
  const id = upstream_uid ?? upstream_id ?? upstream_scim_id;
  return id === null ? null : String(id);
}
