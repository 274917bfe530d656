import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldCase } from '../../domain/fold.ts';
import { toSpelling } from '../../domain/name.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { countSeenMembers, type SeenMembersCount } from '../../store/links/observe.ts';
import { listRowsOfGroups } from '../../store/resources/find.ts';
import { saveDispute } from '../../store/resources/names.ts';
import { type GroupRow, LIVE, listRows, lockRow } from '../../store/resources/rows.ts';
import { toUpstreamIds } from '../../store/resources/state.ts';
import { deleteWhere, listWhere } from '../../store/tables.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { fetchMemberIds, fetchScimMembers } from '../group/fetch-lists.ts';
import type { GroupScimId } from '../quirks.ts';
import { classify } from '../verdict.ts';
import { type ListedScimGroup, READING, type ReadRun, readList } from './reading.ts';
import {
  findRow,
  isCurrent,
  isStored,
  type ListedGroup,
  type PageReading,
  saveGroups,
  saveMembers,
  toIds,
} from './save-groups.ts';

/** Groups of one read of the store, and of one transaction: each may have many members. */
const PART = 50;
const SAVED_PART = 10;
const SEVERAL = 'several groups of the service have this name, so it is not known which is which';

/** Reads the groups through SCIM: names, and members where the list carries them. They are kept until both lists are whole. */
export async function readGroups(run: ReadRun): Promise<string | undefined> {
  const { scimGroups } = run.reading;
  scimGroups.clear();
  return readList(run, 'groups', {
    operation: scim.getGroups,
    variants: [{}],
    async storePage(items, { sentAt }) {
      for (const group of items.map(parseScimGroup)) scimGroups.set(group.id, { ...group, sentAt });
    },
  });
}

/** Reads permissions, flags and REST ids of the groups. */
export async function readRestGroups(run: ReadRun): Promise<string | undefined> {
  const { lists, restGroups } = run.reading;
  return readList(run, 'restGroups', {
    operation: groups.getListOfGroups,
    // The service does not page at all with tree entities; the last way asks for nothing special.
    variants: [
      { query: { with_users_count: true } },
      { query: { with_users_count: true, with_tree_entities: true } },
      {},
    ],
    knownTotal: lists.groups.state === 'done' ? lists.groups.count : undefined,
    async storePage(items) {
      // A way that was not complete leaves nothing.
      if (lists.restGroups.count === 0) restGroups.clear();
      for (const group of items.map(parseRestGroup)) restGroups.set(group.uid, group);
    },
  });
}

/** Stores the groups of both lists, and reads the members that no list carried completely, one call each. */
export async function readMembers(run: ReadRun): Promise<undefined> {
  const { reading } = run;
  const { members: state } = reading.lists;
  // A failed call is repeated from where it was.
  if (state.count === 0) await storeGroups(run);
  for (const unproven of await listUnproven(run)) {
    await readMembersOf(run, unproven);
    reading.membersAfter = unproven.group.seq;
    state.count += 1;
  }
}

async function storeGroups(run: ReadRun): Promise<void> {
  const { store, clock, quirks } = run.deps;
  const { isFirst, since, scimGroups, restGroups, lists } = run.reading;
  const gone = { upstream_uid: [...restGroups.keys()], deleted_at: { '<>': null } } as const;
  const rows = await listRows(store.read, 'group', gone);
  const deleted = new Set(rows.flatMap(({ upstream_uid }) => upstream_uid ?? []));
  const join = joinGroups([...scimGroups.values()], [...restGroups.values()], deleted);
  if (join.scimId !== undefined) await quirks.learn({ groupScimId: join.scimId });
  const form = quirks.current().groupScimId;
  const restSentAt = lists.restGroups.since ?? since;
  const how = { form, isFirst, restSentAt, now: clock.now() };
  for (const some of chunks(join.groups, PART)) await storePart(run, some, how);
  await saveAmbiguous(run, join.ambiguous);
}

/** Stores some groups. Those that are stored as the lists show them are only noted: mostly all. */
async function storePart(
  { deps: { store }, reading, signal }: ReadRun,
  listed: readonly ListedGroup[],
  how: PageReading,
): Promise<void> {
  signal.throwIfAborted();
  const rows = await listRowsOfGroups(
    store.read,
    listed.map((group) => toIds(group, how)),
  );
  const changed: ListedGroup[] = [];
  for (const group of listed) {
    const row = findRow(rows, group, how);
    if (row && (await isStored(store.read, row, { group, how }))) {
      if (group.scim) reading.unchanged.groups.add(row.seq);
      if (group.rest) reading.unchanged.restGroups.add(row.seq);
    } else changed.push(group);
    await nextTurn();
  }
  for (const some of chunks(changed, SAVED_PART)) {
    await store.write((tx) => saveGroups(tx, some, how));
  }
}

/** Disputes names of which it is not known which group is which, and no others any more. */
async function saveAmbiguous(
  { deps: { store, clock } }: ReadRun,
  ambiguous: readonly string[],
): Promise<void> {
  const names = new Set(ambiguous.map(foldCase));
  const dispute = { type: 'group', reason: SEVERAL } as const;
  for (const nameFolded of names) {
    await store.write((tx) => saveDispute(tx, { ...dispute, nameFolded, now: clock.now() }));
  }
  const known = { resource_type: 'group', reason: SEVERAL } as const;
  const disputes = await listWhere(store.read, 'disputes', known);
  const over = disputes.filter(({ name_folded }) => !names.has(name_folded));
  const seqs = over.map(({ seq }) => seq);
  if (seqs.length > 0) await store.write((tx) => deleteWhere(tx, 'disputes', { seq: seqs }));
}

/** Group whose members no list proved. */
interface Unproven {
  readonly group: GroupRow;
  /** Member count that the service tells; undefined when it tells none. */
  readonly said: number | undefined;
  readonly listed: number;
}

/**
 * Lists the groups whose members are not known to be complete, after the last that was asked for. One that no list shows is
 * looked for by itself: where nothing is shown an empty list proves nothing.
 */
async function listUnproven({ deps: { store }, reading }: ReadRun): Promise<Unproven[]> {
  const { membersAfter, scimGroups, restGroups } = reading;
  const listsMembers = scimGroups.values().some(({ memberIds }) => memberIds !== undefined);
  const counts = new Map(
    restGroups.values().map(({ id, usersCount }) => [id, usersCount] as const),
  );
  const seenAfter = { seq: { '>': membersAfter }, observed: { '<>': null }, ...LIVE } as const;
  const all = await listRows(store.read, 'group', seenAfter, { order: 'seq' });
  const unproven: Unproven[] = [];
  const shown = all.filter(({ upstream_uid: uid, upstream_scim_id: scimId }) => {
    return restGroups.has(uid ?? '') || scimGroups.has(scimId ?? '');
  });
  for (const some of chunks(shown, PART)) {
    const seqs = some.map(({ seq }) => seq);
    const known = await countSeenMembers(store.read, seqs);
    for (const group of some) {
      const restId = group.upstream_id;
      const said = restId === null ? undefined : counts.get(restId);
      const stored = known.get(group.seq) ?? { seen: 0, unknown: 0 };
      const isProven = listsMembers ? agreesWithList(group, said, stored) : isEmpty(said, stored);
      if (!isProven) unproven.push({ group, said, listed: stored.seen });
    }
    await nextTurn();
  }
  return unproven;
}

/** True when the list of groups surely showed all members. */
function agreesWithList(
  group: GroupRow,
  said: number | undefined,
  { seen, unknown }: SeenMembersCount,
): boolean {
  return said === undefined ? group.upstream_scim_id !== null && unknown === 0 : said === seen;
}

/** Where no list shows members, a count that stayed the same may hide a change of who they are. */
function isEmpty(said: number | undefined, { seen }: SeenMembersCount): boolean {
  return said === 0 && seen === 0;
}

/** Reads and stores the members of one group. They replace those that are known if a second source confirms the answer. */
async function readMembersOf(run: ReadRun, { group, ...known }: Unproven): Promise<void> {
  const { deps, reading } = run;
  const { clock, store } = deps;
  const { isFirst } = reading;
  const sentAt = clock.now();
  const memberIds = await fetchMembers(run, group);
  if (memberIds === undefined) return;
  const { said = memberIds.length, listed } = known;
  if (!isFirst && said !== memberIds.length && listed !== memberIds.length) {
    reading.doubted.add(group.seq);
    return;
  }
  const seen = { memberIds, sentAt, now: clock.now(), isFirst, from: 'group' } as const;
  await store.write(async (tx) => {
    const row = await lockRow(tx, { type: 'group', id: group.id });
    if (row && (await isCurrent(tx, row, seen))) await saveMembers(tx, row, seen);
  });
}

/** Fetches all members of a group, undefined when it is gone. @throws UpstreamError also when no call shows its members */
async function fetchMembers(
  { deps, signal }: ReadRun,
  group: GroupRow,
): Promise<readonly number[] | undefined> {
  const options = { ...READING, signal };
  const { uid, scimId } = toUpstreamIds(group);
  try {
    if (uid !== undefined) return await fetchMemberIds(deps, options, { uid, scimId });
    return scimId === undefined ? undefined : await fetchScimMembers(deps, options, scimId);
  } catch (error) {
    if (classify(error).verdict === 'missing') return undefined;
    throw error;
  }
}

/** Join of the groups of the two interfaces. */
interface GroupJoin {
  /** Meaning of the SCIM ids, undefined when no group tells. */
  readonly scimId: GroupScimId | undefined;
  readonly groups: readonly ListedGroup[];
  /** Names of groups with several possible partners, which stay without REST ids. */
  readonly ambiguous: readonly string[];
}

interface Pair {
  readonly scim: ListedScimGroup;
  readonly rest: RestGroup;
}

/**
 * Joins the groups of the SCIM list with those of the REST list. "The SCIM id is the REST id" (or the uid) counts only
 * while id and name agree for every group that both lists show. After a single contradiction groups are joined by names
 * that are unique in both lists. Nothing is guessed.
 * @param deleted uids of groups that were deleted through SCIM: a list whose pages were read before shows them beside those
 *   that were founded in their place
 */
function joinGroups(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): GroupJoin {
  const named = pairByName(scim, rest, deleted);
  let hasEvidence = named.pairs.length > 0;
  for (const form of ['restId', 'uid'] as const) {
    const pairs = pairById(scim, rest, form);
    hasEvidence ||= pairs.length > 0;
    if (pairs.length > 0 && [...pairs, ...named.pairs].every((pair) => agrees(pair, form))) {
      return { scimId: form, groups: withUnpaired(pairs, scim, rest), ambiguous: [] };
    }
  }
  const names = new Set(scim.map(({ displayName }) => toSpelling(displayName)));
  const restOnly = rest.filter(({ name }) => !names.has(toSpelling(name)));
  const groups = withUnpaired(named.pairs, scim, restOnly);
  const { ambiguous } = named;
  return { groups, ambiguous, scimId: hasEvidence ? 'unrelated' : undefined };
}

function agrees({ scim, rest }: Pair, form: 'restId' | 'uid'): boolean {
  return toScimId(rest, form) === scim.id && toSpelling(scim.displayName) === toSpelling(rest.name);
}

function pairById(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  form: 'restId' | 'uid',
): Pair[] {
  const byId = new Map(rest.map((group) => [toScimId(group, form), group]));
  const partners = scim.map((group) => ({ scim: group, rest: byId.get(group.id) }));
  return partners.filter((pair): pair is Pair => pair.rest !== undefined);
}

function toScimId(rest: RestGroup, form: 'restId' | 'uid'): string {
  return form === 'restId' ? String(rest.id) : rest.uid;
}

function pairByName(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): { readonly pairs: Pair[]; readonly ambiguous: string[] } {
  const restByName = Map.groupBy(rest, ({ name }) => toSpelling(name));
  const [pairs, ambiguous]: [Pair[], string[]] = [[], []];
  for (const [name, same] of Map.groupBy(scim, ({ displayName }) => toSpelling(displayName))) {
    const all = restByName.get(name) ?? [];
    const partners = all.length > 1 ? all.filter(({ uid }) => !deleted.has(uid)) : all;
    const [[group], [partner]] = [same, partners];
    if (group === undefined || partner === undefined) continue;
    if (same.length === 1 && partners.length === 1) pairs.push({ scim: group, rest: partner });
    else ambiguous.push(...same.map(({ displayName }) => displayName));
  }
  return { pairs, ambiguous };
}

function withUnpaired(
  pairs: readonly Pair[],
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
): ListedGroup[] {
  const paired = new Set<unknown>(pairs.flatMap((pair) => [pair.scim, pair.rest]));
  return [
    ...pairs,
    ...scim.filter((group) => !paired.has(group)).map((group) => ({ scim: group })),
    ...rest.filter((group) => !paired.has(group)).map((group) => ({ rest: group })),
  ];
}
