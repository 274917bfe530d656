import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LinkFacts, toLinkAfterWrite } from '../../domain/group-write.ts';
import { type GroupId, groupId, type UserId, userId } from '../../domain/ids.ts';
import type { Owned } from '../../domain/provider.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import {
  type LinkRow,
  type LinkTable,
  type LinkWrite,
  listLinks,
} from '../../store/links/links.ts';
import { findInnerGroups } from '../../store/resources/nesting.ts';
import { findLive, type GroupRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import type { UserList } from '../schema/resource-schemas.ts';

/** One change of a list of users. `replace` names all users of the new list; among members an id may be a group's. */
export interface LinkEdit {
  readonly op: 'add' | 'remove' | 'replace';
  readonly ids: readonly UserId[];
}

/** Finds the place in a request where a user joins a list; undefined: the request lacks the user. */
export type FindPlace = (list: UserList, id: UserId) => string | undefined;

/** Changes of one list of a group by a request. */
export interface LinkEdits {
  /** Links to be stored. */
  readonly writes: readonly LinkWrite[];
  /** The changed links as they were, to undo the request; null: there was none. */
  readonly befores: ReadonlyMap<UserId, LinkWrite | null>;
  readonly removes: boolean;
}

/** Facts that the edits are applied with. */
export interface EditContext {
  readonly groupId: GroupId;
  readonly version: number;
  /** A call for this group may be on its way now. */
  readonly inFlight: boolean;
  /** True for users who stay although the request removes them; absent: none does. */
  readonly keeps?: ((userId: UserId) => boolean) | undefined;
  /** True where nobody is added. */
  readonly onlyRemoves?: boolean | undefined;
}

/**
 * Applies edits in order and returns only the links that differ afterwards. Reads just the users that
 * are named, so that one change costs the same in a group of 5 and of 50,000; only `replace` reads all.
 */
export async function editLinks(
  tx: Db,
  table: LinkTable,
  edits: readonly LinkEdit[],
  context: EditContext,
): Promise<LinkEdits> {
  if (edits.length === 0) return NO_EDITS;
  const rows = await listLinks(tx, table, context.groupId, findNamed(edits));
  return compare(rows, edits, { ...context, table });
}

/** Finds the users whom edits name; undefined: a replacement is about all. */
function findNamed(edits: readonly LinkEdit[]): UserId[] | undefined {
  if (edits.some(({ op }) => op === 'replace')) return undefined;
  return [...new Set(edits.flatMap(({ ids }) => ids))];
}

/** Edits of both lists by one request. */
interface RequestedEdits {
  readonly row: Pick<GroupRow, 'provider'>;
  readonly members: readonly LinkEdit[];
  readonly admins: readonly LinkEdit[];
  readonly repairs: Repairs;
  readonly placeOf: FindPlace;
}

/** Edits of a list without those whom they add though they are no users. */
interface KnownEdits {
  readonly edits: readonly LinkEdit[];
  /** Ids of groups that they add as members. */
  readonly groups: ReadonlySet<string>;
}

const NO_GROUPS: ReadonlySet<string> = new Set();
/** Most groups among the members of one. */
const INNER_GROUPS_MAX = 1_000;

/**
 * Finds out which of the ids that edits add are users, and which are groups that may be members.
 * @throws ScimError 400 for others where none is left out, nor to be skipped by the settings of the provider
 */
export async function keepKnown(
  tx: Db,
  list: UserList,
  { [list]: edits, row, repairs, placeOf }: RequestedEdits,
): Promise<KnownEdits> {
  const ids = [...new Set(edits.flatMap(({ op, ids: some }) => (op === 'remove' ? [] : some)))];
  if (ids.length === 0) return { edits, groups: NO_GROUPS };
  const existing = await findLive(tx, 'user', ids);
  const isKnown = (id: UserId) => existing.has(id);
  const others = ids.filter((id) => !isKnown(id));
  if (others.length === 0) return { edits, groups: NO_GROUPS };
  const groups = await findInnerGroups(tx, others);
  const { unknownMembers, nestedGroups } = await findHandling(tx, row.provider);
  const refuse = (some: readonly UserId[], what: string) => {
    const [first, ...more] = some;
    if (first === undefined) return;
    const place = placeOf(list, first) ?? `A value of ${list}`;
    const verb = more.length === 1 ? 'is' : 'are';
    const rest = more.length === 0 ? '' : `, nor ${verb} ${more.length} more`;
    attempt(repairs, undefined, () => {
      throw invalidValue(`${place} ${what}${rest}.`);
    });
  };
  const strangers = others.filter((id) => !groups.has(id));
  if (unknownMembers === 'skip') for (const _ of strangers) repairs.count('unknown-member-dropped');
  else refuse(strangers, 'is not the id of a User');
  const flattens = nestedGroups === 'flatten' && list === 'members';
  const isOwn = ({ origin, provider }: Owned) => origin !== null && provider === row.provider;
  const own = new Set<string>(
    flattens ? [...groups.values()].filter(isOwn).map(({ id }) => id) : [],
  );
  const nested = others.filter((id) => groups.has(id) && !own.has(id));
  if (nestedGroups === 'skip') for (const _ of nested) repairs.count('nested-group-dropped');
  else if (flattens) refuse(nested, 'is the id of a Group that this provider does not manage');
  else refuse(nested, 'is the id of a Group, not of a User');
  const known = edits.map(({ op, ids: some }) => ({
    op,
    ids: op === 'remove' ? some : some.filter(isKnown),
  }));
  return { edits: known, groups: own };
}

/** The inner groups of a group after edits of its members. @param groups those that may join @throws ScimError 400 for too many */
export function editInner(
  held: readonly GroupId[],
  edits: readonly LinkEdit[],
  groups: ReadonlySet<string>,
): GroupId[] {
  const inner = new Set<string>(held);
  for (const { op, ids } of edits) {
    if (op === 'replace') inner.clear();
    for (const id of ids) {
      if (op === 'remove') inner.delete(id);
      else if (groups.has(id)) inner.add(id);
    }
  }
  if (inner.size <= INNER_GROUPS_MAX) return [...inner].map(groupId);
  throw invalidValue(`A group has at most ${INNER_GROUPS_MAX} groups as members.`);
}

/** The edit of a list by the users of a body. */
export function toEdit(
  deps: Pick<ScimDeps, 'formerIds'>,
  op: LinkEdit['op'],
  ids: readonly string[],
): LinkEdit {
  return { op, ids: toUserIds(deps, ids) };
}

/** The ids of a request as the bridge's own, also where they are of an earlier server. `keepKnown` leaves unknown ones out. */
export function toUserIds(
  { formerIds }: Pick<ScimDeps, 'formerIds'>,
  ids: readonly string[],
): UserId[] {
  // An id that no user had may be a group's.
  return ids.map((id) => userId(formerIds.toOwn('group', formerIds.toOwn('user', id))));
}

const NO_EDITS: LinkEdits = { writes: [], befores: new Map(), removes: false };

async function compare(
  rows: readonly LinkRow[],
  edits: readonly LinkEdit[],
  context: EditContext & { readonly table: LinkTable },
): Promise<LinkEdits> {
  const before = new Map<UserId, LinkRow>();
  const wanted = new Map<UserId, boolean>();
  const last = edits.findLastIndex(({ op }) => op === 'replace');
  await forEachInPages(rows, (row) => {
    before.set(row.user_id, row);
    if (last >= 0) wanted.set(row.user_id, false);
  });
  for (const [index, { op, ids }] of edits.entries()) {
    // The last replacement removes every user that it does not name.
    const isWanted = index >= last && op !== 'remove';
    await forEachInPages(ids, (id) => wanted.set(id, isWanted));
  }
  const writes: LinkWrite[] = [];
  const befores = new Map<UserId, LinkWrite | null>();
  await forEachInPages(wanted, ([userId, isWanted]) => {
    const row = before.get(userId);
    const after = toAfter(row, { ...context, wanted: isWanted });
    if (after === undefined || (isWanted ? context.onlyRemoves : context.keeps?.(userId))) return;
    const { desired, observed, pending } = after;
    writes.push({ userId, desired, observed, pending, putIn: row?.put_in ?? 0 });
    befores.set(userId, row ? toBefore(row) : null);
  });
  return { writes, befores, removes: writes.some(({ desired }) => desired === 0) };
}

/** Whom only an inner group wants is no member by name, until a provider names the user. */
function toAfter(
  row: LinkRow | undefined,
  { table, ...write }: { table: LinkTable } & Parameters<typeof toLinkAfterWrite>[1],
): LinkFacts | undefined {
  const after = toLinkAfterWrite(row, write);
  if (row === undefined || row.by_rule === 0 || table !== 'memberships') return after;
  return write.wanted ? (after ?? row) : undefined;
}

/** Users that are looked at before others are served. */
const PAGE_USERS = 10_000;

async function forEachInPages<T>(items: Iterable<T>, look: (item: T) => void): Promise<void> {
  let looked = 0;
  for (const item of items) {
    look(item);
    looked += 1;
    if (looked % PAGE_USERS === 0) await nextTurn();
  }
}

/** The link as it was, with the pause that a refusal gave it. */
function toBefore({ user_id: userId, desired, observed, pending, ...row }: LinkRow): LinkWrite {
  const before = { userId, desired, observed, pending, putIn: row.put_in, byRule: row.by_rule };
  return row.retry_at === null ? before : { ...before, retryAt: row.retry_at };
}
