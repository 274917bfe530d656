import { setImmediate as nextTurn } from 'node:timers/promises';
import { type GroupId, groupId, type UserId, userId } from '../../domain/ids.ts';
import { type Link, type LinkList, writeLink } from '../../domain/link.ts';
import type { Owned } from '../../domain/provider.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import { listLinks, type StoredLink } from '../../store/links/links.ts';
import { findInnerGroups } from '../../store/resources/nesting.ts';
import { findLive, type GroupRow } from '../../store/resources/rows.ts';
import type { WrittenLink } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import type { UserList } from '../schema/resource-schemas.ts';

/** One change of a list of users. `replace` names all users of the new list; among members an id may be a group's. */
export interface LinkEdit {
  readonly list: LinkList;
  readonly op: 'add' | 'remove' | 'replace';
  readonly ids: readonly UserId[];
}

/** Finds the place in a request where a user joins a list; undefined: the request lacks the user. */
export type FindPlace = (list: UserList, id: UserId) => string | undefined;

/** Link that a request changes, as it was and as it is to be. */
export interface EditedLink extends WrittenLink {
  readonly after: Link;
}

/** Facts that the edits are applied with. */
export interface EditContext {
  readonly row: GroupRow;
  readonly version: number;
  /** A call for this group may be on its way now. */
  readonly isUnsure: boolean;
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
  edits: readonly LinkEdit[],
  context: EditContext,
): Promise<EditedLink[]> {
  const links: EditedLink[] = [];
  for (const [list, some] of Map.groupBy(edits, (edit) => edit.list)) {
    const replaces = some.some(({ op }) => op === 'replace');
    const userIds = replaces ? undefined : [...new Set(some.flatMap(({ ids }) => ids))];
    const held = await listLinks(tx, context.row, { list, userIds });
    await editList(links, { list, edits: some, held }, context);
  }
  return links;
}

/** Edits of both lists by one request. */
interface RequestedEdits {
  readonly row: Pick<GroupRow, 'provider'>;
  readonly edits: readonly LinkEdit[];
  readonly repairs: Repairs;
  readonly placeOf: FindPlace;
}

/** Edits without those whom they add though they are no users. */
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
  { edits, ...request }: RequestedEdits,
): Promise<KnownEdits> {
  const known: LinkEdit[] = [];
  let groups: ReadonlySet<string> = new Set();
  for (const [list, some] of Map.groupBy(edits, (edit) => edit.list)) {
    const kept = await keepKnownOf(tx, list, { ...request, edits: some });
    known.push(...kept.edits);
    if (list === 'member') groups = kept.groups;
  }
  return { edits: known, groups };
}

async function keepKnownOf(
  tx: Db,
  list: LinkList,
  { edits, row, repairs, placeOf }: RequestedEdits,
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
    const place = placeOf(`${list}s`, first) ?? `A value of ${list}s`;
    const verb = more.length === 1 ? 'is' : 'are';
    const rest = more.length === 0 ? '' : `, nor ${verb} ${more.length} more`;
    attempt(repairs, undefined, () => {
      throw invalidValue(`${place} ${what}${rest}.`);
    });
  };
  const strangers = others.filter((id) => !groups.has(id));
  if (unknownMembers === 'skip') for (const _ of strangers) repairs.count('unknown-member-dropped');
  else refuse(strangers, 'is not the id of a User');
  const flattens = nestedGroups === 'flatten' && list === 'member';
  const isOwn = ({ origin, provider }: Owned) => origin !== null && provider === row.provider;
  const own = new Set<string>(
    flattens ? [...groups.values()].filter(isOwn).map(({ id }) => id) : [],
  );
  const nested = others.filter((id) => groups.has(id) && !own.has(id));
  if (nestedGroups === 'skip') for (const _ of nested) repairs.count('nested-group-dropped');
  else if (flattens) refuse(nested, 'is the id of a Group that this provider does not manage');
  else refuse(nested, 'is the id of a Group, not of a User');
  const known = edits.map(({ op, ids: some }) => ({
    ...{ list, op },
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
  for (const { list, op, ids } of edits) {
    if (list !== 'member') continue;
    if (op === 'replace') inner.clear();
    for (const id of ids) {
      if (op === 'remove') inner.delete(id);
      else if (groups.has(id)) inner.add(id);
    }
  }
  if (inner.size <= INNER_GROUPS_MAX) return [...inner].map(groupId);
  throw invalidValue(`A group has at most ${INNER_GROUPS_MAX} groups as members.`);
}

/** The ids of a request as the bridge's own, also where they are of an earlier server. `keepKnown` leaves unknown ones out. */
export function toUserIds(
  { formerIds }: Pick<ScimDeps, 'formerIds'>,
  ids: readonly string[],
): UserId[] {
  // An id that no user had may be a group's.
  return ids.map((id) => userId(formerIds.toOwn('group', formerIds.toOwn('user', id))));
}

/** Edits of one list, and its links that they may change. */
interface ListEdits {
  readonly list: LinkList;
  readonly edits: readonly LinkEdit[];
  readonly held: readonly StoredLink[];
}

/** Adds to `links` those of one list that the edits change. */
async function editList(
  links: EditedLink[],
  { list, edits, held }: ListEdits,
  { keeps, onlyRemoves, ...write }: EditContext,
): Promise<void> {
  const before = new Map<UserId, StoredLink>();
  const wanted = new Map<UserId, boolean>();
  const last = edits.findLastIndex(({ op }) => op === 'replace');
  await forEachInPages(held, (link) => {
    before.set(link.userId, link);
    if (last >= 0) wanted.set(link.userId, false);
  });
  for (const [index, { op, ids }] of edits.entries()) {
    // The last replacement removes every user that it does not name.
    const isWanted = index >= last && op !== 'remove';
    await forEachInPages(ids, (id) => wanted.set(id, isWanted));
  }
  await forEachInPages(wanted, ([userId, isWanted]) => {
    if (isWanted ? onlyRemoves : keeps?.(userId)) return;
    const link = before.get(userId);
    // Whom only an inner group wants is no member by name, until a provider names the user.
    const isInner = list === 'member' && link?.by_rule === 1;
    if (isInner && !isWanted) return;
    const named = isInner ? { ...link, by_rule: 0 } : undefined;
    const after = writeLink(link, { ...write, wanted: isWanted }) ?? named;
    if (after !== undefined) links.push({ list, userId, before: link ?? null, after });
  });
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
