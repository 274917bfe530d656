import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UserId } from '../../domain/ids.ts';
import type { Deactivation } from '../../domain/user.ts';
import { listExisting } from '../../store/resources/by-name.ts';
import { listDisputes } from '../../store/resources/disputes.ts';
import { countWaitingLinks } from '../../store/resources/lists.ts';
import { type GroupRow, listRows, type UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { wrongCursor } from '../http/list-query.ts';
import type { FirstRunItem } from '../schemas/recovery.ts';
import {
  classify,
  findSeatChange,
  listGroupChanges,
  listNames,
  listUserChanges,
} from './classify.ts';

/** Rows that are classified in one turn of the event loop. */
const PART = 100;
/** More disputes than operators resolve in a day. */
const DISPUTES_MAX = 1_000;

const STAGES = ['users', 'groups', 'disputes'] as const;

/** A place in the list: a part of it, and how far that was read. */
export interface Place {
  readonly stage: (typeof STAGES)[number];
  readonly after: number;
}

/** The beginning of the list. */
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

/** Rules about accounts and groups that are never taken over by themselves. */
export interface Privileges {
  /** The accounts that are never taken over by themselves, with the reason. */
  readonly listPrivileged: (
    db: Db,
    rows: readonly UserRow[],
  ) => Promise<ReadonlyMap<UserId, string>>;
  readonly findGroupPrivilege: (db: Db, row: GroupRow) => Promise<string | undefined>;
}

interface WalkDeps extends Privileges {
  readonly db: Db;
  readonly deactivation: Deactivation;
}

/** An entry of the list, and the place to go on from. */
export interface Walked {
  readonly item: FirstRunItem;
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
  const { db, deactivation, listPrivileged } = deps;
  for (let afterSeq: number | undefined = after; afterSeq !== undefined; ) {
    const rows: UserRow[] = await listRows(db, 'user', { afterSeq, limit: PART, of: 'all' });
    const unknown = rows.filter(isWithoutAccount);
    const existing = await listExisting(db, 'user', unknown.flatMap(listNames));
    const privileges = await listPrivileged(db, rows);
    for (const row of rows) {
      const names = isWithoutAccount(row) ? listNames(row) : [];
      const match = names.map((name) => existing.get(name)).find((found) => found !== undefined);
      const item = classify(row, { match, privilege: privileges.get(row.id) });
      if (item === undefined) continue;
      const seat = findSeatChange(row, { match, outcome: item.outcome });
      const changes = listUserChanges(row, match, deactivation);
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
  const { db, findGroupPrivilege } = deps;
  for (let afterSeq: number | undefined = after; afterSeq !== undefined; ) {
    const rows: GroupRow[] = await listRows(db, 'group', { afterSeq, limit: PART, of: 'all' });
    const managed = rows.filter(({ origin }) => origin !== null);
    const names = managed.map(({ name_folded }) => name_folded);
    const existing = await listExisting(db, 'group', names);
    const waiting = await countWaitingLinks(
      db,
      managed.map(({ id }) => id),
    );
    for (const row of rows) {
      const match = existing.get(row.name_folded);
      const privilege = row.origin === null ? await findGroupPrivilege(db, row) : undefined;
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
  const disputes = await listDisputes(db, DISPUTES_MAX);
  for (const [index, { type, name, reason }] of disputes.entries()) {
    if (index < after) continue;
    const none = { id: null, upstreamId: null, changes: [] };
    const item = { ...none, type, name, outcome: 'disputed', reason } as const;
    yield { item, place: { stage: 'disputes', after: index + 1 } };
  }
}
