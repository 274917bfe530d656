import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldCase } from '../../domain/fold.ts';
import { toSpelling } from '../../domain/name.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { countSeenMembers } from '../../store/links/links.ts';
import { saveDispute } from '../../store/resources/names.ts';
import { type GroupRow, LIVE, listRows, lockRow, updateRow } from '../../store/resources/rows.ts';
import { toUpstreamIds } from '../../store/resources/state.ts';
import { deleteWhere, listWhere } from '../../store/tables.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { fetchMemberIds, fetchScimMembers, observeMembers } from '../group/observe.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import type { GroupScimId } from '../quirks.ts';
import { withCalls } from '../step-call.ts';
import { classify } from '../verdict.ts';
import { groupEntries, type ShownGroup, toGroupEntry } from './group-entries.ts';
import { type ListedScimGroup, READING, type ReadRun } from './reading.ts';
import { storeEntries } from './store-entries.ts';

/** Groups of one read of the store. */
const PART = 50;
const SEVERAL = 'several groups of the service have this name, so it is not known which is which';

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
  const { store, quirks } = run.deps;
  const { since, scimGroups, restGroups, lists } = run.reading;
  // A list whose pages were read before shows groups that were deleted since beside those that were founded in their place.
  const gone = { upstream_uid: [...restGroups.keys()], deleted_at: { '<>': null } } as const;
  const rows = await listRows(store.read, 'group', gone);
  const deleted = new Set(rows.flatMap(({ upstream_uid }) => upstream_uid ?? []));
  const join = joinGroups([...scimGroups.values()], [...restGroups.values()], deleted);
  if (join.scimId !== undefined) await quirks.learn({ groupScimId: join.scimId });
  const form = quirks.current().groupScimId;
  const restSentAt = lists.restGroups.since ?? since;
  const entries = join.groups.map((group) =>
    // The older of the two lists decides how old what is known is.
    toGroupEntry(group, { form, sentAt: group.scim?.sentAt ?? restSentAt }),
  );
  await storeEntries(run, groupEntries, entries);
  await saveAmbiguous(run, new Set(join.ambiguous.map(foldCase)));
}

/** Disputes names of which it is not known which group is which, and no others any more. */
async function saveAmbiguous(
  { deps: { store, clock } }: ReadRun,
  names: ReadonlySet<string>,
): Promise<void> {
  const known = { resource_type: 'group', reason: SEVERAL } as const;
  for (const name_folded of names) {
    await store.write((tx) => saveDispute(tx, { ...known, name_folded }, clock.now()));
  }
  const disputes = await listWhere(store.read, 'disputes', known);
  const over = disputes.filter(({ name_folded }) => !names.has(name_folded));
  const seq = over.map((one) => one.seq);
  if (seq.length > 0) await store.write((tx) => deleteWhere(tx, 'disputes', { seq }));
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
  const seenAfter = { seq: { '>': membersAfter }, observed: { '<>': null }, ...LIVE } as const;
  const all = await listRows(store.read, 'group', seenAfter, { order: 'seq' });
  const shown = all.filter(({ upstream_uid: uid, upstream_scim_id: scimId }) => {
    return restGroups.has(uid ?? '') || scimGroups.has(scimId ?? '');
  });
  const unproven: Unproven[] = [];
  for (const some of chunks(shown, PART)) {
    const seqs = some.map(({ seq }) => seq);
    const known = await countSeenMembers(store.read, seqs);
    for (const group of some) {
      const said = restGroups.get(group.upstream_uid ?? '')?.usersCount;
      const { seen, unknown } = known.get(group.seq) ?? { seen: 0, unknown: 0 };
      const isWhole = said === undefined && group.upstream_scim_id !== null && unknown === 0;
      // Where no list shows members, a count that stayed the same may hide a change of who they are.
      const isProven = said === seen ? listsMembers || seen === 0 : listsMembers && isWhole;
      if (!isProven) unproven.push({ group, said, listed: seen });
    }
    await nextTurn();
  }
  return unproven;
}

/** Reads and stores the members of one group. They replace those that are known if a second source confirms the answer. */
async function readMembersOf(run: ReadRun, { group, said, listed }: Unproven): Promise<void> {
  const { deps, reading } = run;
  const { clock, store } = deps;
  const { isFirst } = reading;
  const sentAt = clock.now();
  const memberIds = await fetchMembers(run, group);
  if (memberIds === undefined) return;
  const count = memberIds.length;
  if (!isFirst && (said ?? count) !== count && listed !== count) {
    reading.doubted.add(group.seq);
    return;
  }
  const now = clock.now();
  await store.write(async (tx) => {
    const row = await lockRow(tx, group);
    if (row === undefined) return;
    const decision = decideMerge(row, sentAt);
    if (decision === 'look-again') await updateRow(tx, row, toLookAgainColumns(row, now));
    if (decision === 'merge') {
      await observeMembers(tx, row, { memberIds, now, isFirst, from: 'group' });
    }
  });
}

/** Fetches all members of a group, undefined when it is gone. @throws UpstreamError also when no call shows its members */
async function fetchMembers(
  { deps, signal }: ReadRun,
  group: GroupRow,
): Promise<readonly number[] | undefined> {
  const reading = withCalls(deps, { ...READING, signal });
  const { uid, scimId } = toUpstreamIds(group);
  try {
    if (uid !== undefined) return await fetchMemberIds(reading, { uid, scimId });
    return scimId === undefined ? undefined : await fetchScimMembers(reading, scimId);
  } catch (error) {
    if (classify(error).verdict === 'missing') return undefined;
    throw error;
  }
}

/** Groups of the SCIM list with the group of the REST list that each is. */
type Pairs = ReadonlyMap<ListedScimGroup, RestGroup>;

interface ListedGroup extends ShownGroup {
  readonly scim?: ListedScimGroup | undefined;
}

interface GroupJoin {
  /** Meaning of the SCIM ids, undefined when no group tells. */
  readonly scimId: GroupScimId | undefined;
  readonly groups: readonly ListedGroup[];
  /** Names of groups with several possible partners, which stay without REST ids. */
  readonly ambiguous: readonly string[];
}

/** What the SCIM id of a group may be. */
const FORMS: readonly (readonly ['restId' | 'uid', (rest: RestGroup) => string])[] = [
  ['restId', ({ id }) => String(id)],
  ['uid', ({ uid }) => uid],
];

/**
 * Joins the groups of the SCIM list with those of the REST list. "The SCIM id is the REST id" (or the uid) counts only
 * while id and name agree for every group that both lists show. After a single contradiction groups are joined by names
 * that are unique in both lists. Nothing is guessed.
 * @param deleted uids of groups that were deleted through SCIM
 */
function joinGroups(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): GroupJoin {
  const named = pairByName(scim, rest, deleted);
  let hasEvidence = named.pairs.size > 0;
  for (const [form, toId] of FORMS) {
    const byId = new Map(rest.map((group) => [toId(group), group]));
    const pairs = toPairs(scim, ({ id }) => byId.get(id));
    hasEvidence ||= pairs.size > 0;
    const agrees = [...pairs, ...named.pairs].every(
      ([one, other]) =>
        toId(other) === one.id && toSpelling(one.displayName) === toSpelling(other.name),
    );
    if (pairs.size > 0 && agrees) {
      return { scimId: form, groups: withUnpaired(pairs, scim, rest), ambiguous: [] };
    }
  }
  const names = new Set(scim.map(({ displayName }) => toSpelling(displayName)));
  const restOnly = rest.filter(({ name }) => !names.has(toSpelling(name)));
  const groups = withUnpaired(named.pairs, scim, restOnly);
  return { groups, ambiguous: named.ambiguous, scimId: hasEvidence ? 'unrelated' : undefined };
}

function toPairs(
  scim: readonly ListedScimGroup[],
  findPartner: (group: ListedScimGroup) => RestGroup | undefined,
): Pairs {
  return new Map(
    scim.flatMap((group) => {
      const partner = findPartner(group);
      return partner === undefined ? [] : [[group, partner] as const];
    }),
  );
}

function pairByName(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): { readonly pairs: Pairs; readonly ambiguous: string[] } {
  const byName = Map.groupBy(scim, ({ displayName }) => toSpelling(displayName));
  const restByName = Map.groupBy(rest, ({ name }) => toSpelling(name));
  const listPartners = ({ displayName }: ListedScimGroup) => {
    const all = restByName.get(toSpelling(displayName)) ?? [];
    return all.length > 1 ? all.filter(({ uid }) => !deleted.has(uid)) : all;
  };
  const isUnique = (group: ListedScimGroup) =>
    byName.get(toSpelling(group.displayName))?.length === 1 && listPartners(group).length === 1;
  const ambiguous = scim.filter((group) => !isUnique(group) && listPartners(group).length > 0);
  return {
    pairs: toPairs(scim.filter(isUnique), (group) => listPartners(group)[0]),
    ambiguous: ambiguous.map(({ displayName }) => displayName),
  };
}

function withUnpaired(
  pairs: Pairs,
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
): ListedGroup[] {
  const paired = new Set(pairs.values());
  return [
    ...scim.map((group) => ({ scim: group, rest: pairs.get(group) })),
    ...rest.filter((group) => !paired.has(group)).map((group) => ({ rest: group })),
  ];
}
