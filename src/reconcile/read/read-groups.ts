import { setImmediate as nextTurn } from 'node:timers/promises';
import { toSpelling } from '../../domain/name.ts';
import { foldCase } from '../../domain/values.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { countSeenMembers } from '../../store/links/links.ts';
import { saveDispute } from '../../store/resources/names.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { LIVE, listRows, lockRow, updateRow } from '../../store/resources/rows.ts';
import { toUpstreamIds } from '../../store/resources/state.ts';
import { deleteWhere } from '../../store/tables.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { decideMerge, toLookAgainColumns } from '../differences.ts';
import { observeMembers } from '../group/apply.ts';
import { fetchMemberIds } from '../group/lists.ts';
import { classify } from '../outcome.ts';
import type { GroupScimId } from '../quirks.ts';
import { withCalls } from '../step-call.ts';
import { toGroupEntry } from './entries.ts';
import type { ReadRun } from './reading.ts';
import { READING } from './reading.ts';
import { storeEntries } from './store-entries.ts';

/** Groups of one read of the store. */
const PART = 50;
const SEVERAL = 'several groups of the service have this name, so it is not known which is which';

/** Stores the groups of both lists, and reads the members that no list carried completely, one call each. */
export async function readMembers(run: ReadRun): Promise<void> {
  const { reading } = run;
  await storeGroups(run);
  for (const unproven of await listUnproven(run)) {
    await readMembersOf(run, unproven);
    reading.membersAfter = unproven.group.seq;
    reading.lists.members.count += 1;
  }
}

async function storeGroups(run: ReadRun): Promise<void> {
  const { store, clock, quirks } = run.deps;
  const { since, scimGroups, restGroups, lists } = run.reading;
  const join = joinGroups([...scimGroups.values()], [...restGroups.values()]);
  if (join.scimId !== undefined) await quirks.learn({ groupScimId: join.scimId });
  const form = quirks.current().groupScimId;
  // The older of the two lists decides how old what is known is.
  const sentAt = lists.groups.since ?? lists.restGroups.since ?? since;
  const entries = join.groups.map((group) => toGroupEntry(group, { form, sentAt }));
  await storeEntries({ ...run, type: 'group' }, entries);
  const names = new Set(join.ambiguous.map(foldCase));
  const known = { resource_type: 'group', reason: SEVERAL } as const;
  await store.write(async (tx) => {
    for (const name_folded of names) await saveDispute(tx, { ...known, name_folded }, clock.now());
    await deleteWhere(tx, 'disputes', { ...known, name_folded: { 'not in': [...names] } });
  });
}

/**
 * Lists groups whose members no list proved, with the member count that the service tells (`said`). Groups that no list
 * shows are left out: where nothing is shown an empty list of members proves nothing.
 */
async function listUnproven({ deps: { store }, reading }: ReadRun) {
  const { membersAfter, scimGroups, restGroups } = reading;
  const listsMembers = scimGroups.values().some(({ memberIds }) => memberIds !== undefined);
  const seenAfter = { seq: { '>': membersAfter }, observed: { '<>': null }, ...LIVE } as const;
  const all = await listRows(store.read, 'group', seenAfter, { order: 'seq' });
  const shown = all.filter(({ upstream_uid: uid, upstream_scim_id: scimId }) => {
    return restGroups.has(uid ?? '') || scimGroups.has(scimId ?? '');
  });
  const unproven: { group: GroupRow; said: number | undefined; listed: number }[] = [];
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
async function readMembersOf(
  run: ReadRun,
  { group, said, listed }: Awaited<ReturnType<typeof listUnproven>>[number],
): Promise<void> {
  const { deps, reading, signal } = run;
  const { clock, store } = deps;
  const { isFirst } = reading;
  const sentAt = clock.now();
  const looking = withCalls(deps, { ...READING, signal });
  const fetched = fetchMemberIds(looking, toUpstreamIds(group));
  const memberIds = await fetched.catch((error: unknown) => {
    // A group that is gone by now is looked for with others that no list shows.
    if (classify(error).verdict !== 'missing') throw error;
  });
  if (memberIds === undefined) return;
  const { length } = memberIds;
  if (!isFirst && (said ?? length) !== length && listed !== length) {
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

/** Meanings that the SCIM id of a group may have. */
const FORMS: readonly (readonly [GroupScimId, (rest: RestGroup) => string])[] = [
  ['restId', ({ id }) => String(id)],
  ['uid', ({ uid }) => uid],
];

/**
 * Joins the groups of both lists by ids where id and name agree for all, else by names that are unique in both.
 * `scimId`: undefined when no group tells; `ambiguous`: names of groups with several partners, which stay without REST ids.
 */
function joinGroups(scim: readonly ScimGroup[], rest: readonly RestGroup[]) {
  const byName = Map.groupBy(scim, ({ displayName }) => toSpelling(displayName));
  const restByName = Map.groupBy(rest, ({ name }) => toSpelling(name));
  const ambiguous: string[] = [];
  const named = toPairs(scim, ({ displayName }) => {
    const name = toSpelling(displayName);
    const [partner, ...others] = restByName.get(name) ?? [];
    if (others.length === 0 && byName.get(name)?.length === 1) return partner;
    if (partner !== undefined) ambiguous.push(displayName);
    return undefined;
  });
  let scimId: GroupScimId | undefined = named.size > 0 ? 'unrelated' : undefined;
  for (const [form, toId] of FORMS) {
    const byId = new Map(rest.map((group) => [toId(group), group]));
    const pairs = toPairs(scim, ({ id }) => byId.get(id));
    if (pairs.size === 0) continue;
    scimId = 'unrelated';
    const agrees = [...pairs, ...named].every(
      ([one, other]) =>
        toId(other) === one.id && toSpelling(one.displayName) === toSpelling(other.name),
    );
    if (agrees) return { scimId: form, groups: withUnpaired(pairs, scim, rest), ambiguous: [] };
  }
  const restOnly = rest.filter(({ name }) => !byName.has(toSpelling(name)));
  return { groups: withUnpaired(named, scim, restOnly), ambiguous, scimId };
}

function toPairs(
  scim: readonly ScimGroup[],
  findPartner: (group: ScimGroup) => RestGroup | undefined,
) {
  const partners = scim.map((group) => [group, findPartner(group)] as const);
  return new Map(partners.flatMap(([one, other]) => (other ? [[one, other] as const] : [])));
}

function withUnpaired(
  pairs: ReturnType<typeof toPairs>,
  scim: readonly ScimGroup[],
  rest: readonly RestGroup[],
): Parameters<typeof toGroupEntry>[0][] {
  const paired = new Set(pairs.values());
  return [
    ...scim.map((group) => ({ scim: group, rest: pairs.get(group) })),
    ...rest.filter((group) => !paired.has(group)).map((group) => ({ rest: group })),
  ];
}
