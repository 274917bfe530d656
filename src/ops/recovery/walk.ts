import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFoldedEmails } from '../../domain/address.ts';
import { isWaiting } from '../../domain/cell.ts';
import { type ChangeKind, type FieldChange, listFieldChanges } from '../../domain/change.ts';
import { findWantedRoles, listEntityFields } from '../../domain/entity.ts';
import { listGroupDifferences, toGroupValues } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  type Deactivation,
  listUserDifferences,
  toUserValues,
  type UserField,
} from '../../domain/user.ts';
import { findGroupPrivilege, type Rules } from '../../rules/rules.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { findExisting } from '../../store/resources/find.ts';
import { countWaitingLinks, type WaitingCount } from '../../store/resources/lists.ts';
import {
  type GroupRow,
  listRows,
  type ResourceRow,
  type UserRow,
} from '../../store/resources/rows.ts';
import { toGroupState, toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere } from '../../store/tables.ts';
import { wrongCursor } from '../http/list-query.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Rows that are classified in one turn of the event loop. */
const NEXT = { order: 'seq', limit: 100 } as const;
/** More disputes than operators resolve in a day, the latest first. */
const LATEST = { order: 'last_seen_at desc', limit: 1_000 } as const;

const STAGES = ['users', 'groups', 'disputes'] as const;

interface Place {
  readonly stage: (typeof STAGES)[number];
  readonly after: number;
}

const BEGINNING: Place = { stage: 'users', after: 0 };

/** The place as a cursor. */
export function toCursor({ stage, after }: Place): string {
  return `${stage}.${after}`;
}

/** The place of a cursor. @throws InvalidRequest */
export function parsePlace(cursor: string | undefined): Place {
  if (cursor === undefined) return BEGINNING;
  const [, name, after] = /^([a-z]+)\.(\d{1,15})$/.exec(cursor) ?? [];
  const stage = STAGES.find((one) => one === name);
  if (stage === undefined) throw wrongCursor();
  return { stage, after: Number(after) };
}

interface WalkDeps {
  readonly db: Db;
  readonly rules: Rules;
}

interface Walked {
  readonly item: OpsJson<'FirstRunItem'>;
  readonly place: Place;
  /** Change of the seats that are taken; undefined: none. */
  readonly seat?: 'needs' | 'frees' | undefined;
}

/** Walks through users, then groups, then disputed names. A part of the store is in memory at a time. */
export async function* walk(deps: WalkDeps, from: Place): AsyncGenerator<Walked> {
  for (const stage of STAGES.slice(STAGES.indexOf(from.stage))) {
    const after = stage === from.stage ? from.after : 0;
    if (stage === 'users') yield* walkUsers(deps, after);
    else if (stage === 'groups') yield* walkGroups(deps, after);
    else yield* walkDisputes(deps, after);
  }
}

async function* walkUsers(deps: WalkDeps, after: number): AsyncGenerator<Walked> {
  const { db, rules } = deps;
  for (let afterSeq: number | undefined = after; afterSeq !== undefined; ) {
    const rows: UserRow[] = await listRows(db, 'user', { seq: { '>': afterSeq } }, NEXT);
    const unknown = rows.filter(isWithoutAccount);
    const existing = await findExisting(db, 'user', unknown.flatMap(listNames));
    const privileges = await rules.protection.listPrivileged(db, rows);
    for (const row of rows) {
      const names = isWithoutAccount(row) ? listNames(row) : [];
      const match = names.map((name) => existing.get(name)).find((found) => found !== undefined);
      const item = classify(row, { match, privilege: privileges.get(row.id) });
      if (item === undefined) continue;
      const seat = findSeatChange(row, { match, outcome: item.outcome });
      const changes = listUserChanges(row, match, rules.deactivation);
      yield { item: { ...item, changes }, seat, place: { stage: 'users', after: row.seq } };
    }
    afterSeq = rows.at(-1)?.seq;
    await nextTurn();
  }
}

function isWithoutAccount({ origin, upstream_id, deleted_at }: UserRow): boolean {
  return origin !== null && upstream_id === null && deleted_at === null;
}

async function* walkGroups(deps: WalkDeps, after: number): AsyncGenerator<Walked> {
  const { db } = deps;
  for (let afterSeq: number | undefined = after; afterSeq !== undefined; ) {
    const rows: GroupRow[] = await listRows(db, 'group', { seq: { '>': afterSeq } }, NEXT);
    const managed = rows.filter(({ origin }) => origin !== null);
    const names = managed.map(({ name_folded }) => name_folded);
    const existing = await findExisting(db, 'group', names);
    const waiting = await countWaitingLinks(
      db,
      managed.map(({ id }) => id),
    );
    for (const row of rows) {
      const match = existing.get(row.name_folded);
      const privilege = row.origin === null ? await findGroupPrivilege(db, deps, row) : undefined;
      const item = classify(row, { match, privilege });
      if (item === undefined) continue;
      const changes = listGroupChanges(row, waiting.get(row.id) ?? []);
      yield { item: { ...item, changes }, place: { stage: 'groups', after: row.seq } };
    }
    afterSeq = rows.at(-1)?.seq;
    await nextTurn();
  }
}

async function* walkDisputes({ db }: WalkDeps, after: number): AsyncGenerator<Walked> {
  const disputes = await listWhere(db, 'disputes', {}, LATEST);
  for (const [index, row] of disputes.entries()) {
    const { resource_type: type, name_folded: name, reason } = row;
    if (index < after) continue;
    const none = { id: null, upstreamId: null, changes: [] };
    const item = { ...none, type, name, outcome: 'disputed', reason } as const;
    yield { item, place: { stage: 'disputes', after: index + 1 } };
  }
}

type FirstRunChange = OpsJson<'FirstRunItem'>['changes'][number];

/** Lists the changes of an account that a user has, or would take over: each field that waits and differs. */
function listUserChanges(
  row: UserRow,
  match: UserRow | undefined,
  deactivation: Deactivation,
): FirstRunChange[] {
  const { desired, observed = match && toObservedUser(match), cells } = toUserState(row);
  if (row.origin === null || observed === undefined) return [];
  const isAsked = (field: UserField) => isWaiting(cells.account) || isWaiting(cells[field]);
  const fields = listUserDifferences(desired, observed, cells, deactivation).filter(isAsked);
  return listFieldChanges(fields, toUserValues(desired, observed, deactivation)).map(withCount);
}

/** Lists the changes of a group in the same way, and counts those of its lists and entities. */
function listGroupChanges(row: GroupRow, waiting: readonly WaitingCount[]): FirstRunChange[] {
  const { desired, observed, cells } = toGroupState(row);
  if (row.origin === null) return [];
  const fields = observed
    ? listGroupDifferences(desired, observed, cells).filter((field) => isWaiting(cells[field]))
    : [];
  const own = observed ? listFieldChanges(fields, toGroupValues(desired, observed)) : [];
  const entities = listEntityFields(cells).filter((field) => isWaiting(cells[field]));
  const byKind = Map.groupBy(
    entities,
    (field): ChangeKind =>
      findWantedRoles(cells[field]) === '' ? 'entity.remove' : 'entity.change',
  );
  const counted = [...byKind].map(([kind, some]) => ({ kind, count: some.length }));
  const none = { desired: null, observed: null };
  const unnamed = [...waiting, ...counted].map(({ kind, count }): FirstRunChange => {
    return { ...none, kind, count: Number(count) };
  });
  return [...own.map(withCount), ...unnamed];
}

function withCount(change: FieldChange): FirstRunChange {
  return { ...change, count: 1 };
}

/** The names by which a user without an account is looked for. */
function listNames(row: UserRow): string[] {
  return [row.name_folded, ...listFoldedEmails(parseStored<JsonObject>(row.attributes))];
}

/** Finds out if a user needs a seat of the service, or frees one; undefined: neither. */
function findSeatChange(
  row: Pick<UserRow, 'active' | 'upstream_id' | 'takes_seat'>,
  { match, outcome }: { match: UserRow | undefined; outcome: OpsJson<'FirstRunItem'>['outcome'] },
): 'needs' | 'frees' | undefined {
  if (outcome === 'privileged') return undefined;
  const takes = row.upstream_id === null ? match?.takes_seat === 1 : row.takes_seat === 1;
  const isWanted = row.active === 1 && outcome !== 'remove';
  if (takes === isWanted) return undefined;
  return isWanted ? 'needs' : 'frees';
}

type Classified = Omit<OpsJson<'FirstRunItem'>, 'changes'>;

/** Classifies a user or group; undefined: no provider asked for it, and nothing stands in the way. */
function classify(
  row: ResourceRow,
  { match, privilege }: { match: ResourceRow | undefined; privilege: string | undefined },
): Classified | undefined {
  const known = toUpstreamId(row);
  const upstreamId = known ?? (match ? toUpstreamId(match) : null);
  const to = (outcome: OpsJson<'FirstRunItem'>['outcome'], reason: string | null = null) => ({
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
