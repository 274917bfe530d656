import { setImmediate as nextTurn } from 'node:timers/promises';
import { listEntityFields } from '../../domain/entity.ts';
import { isAnotherGroup } from '../../domain/kinds.ts';
import { toSpelling } from '../../domain/name.ts';
import { foldCase } from '../../domain/values.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { countSeenMembers, hasLink } from '../../store/links/links.ts';
import { saveDispute } from '../../store/resources/names.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { LIVE, listRows, lockRow, readRows, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { deleteWhere } from '../../store/tables.ts';
import { toInteger } from '../../upstream/shapes/reader.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { GroupScimId, ReconcileDeps } from '../deps.ts';
import { decideMerge, toLookAgainColumns } from '../differences.ts';
import { mergeGroup, observeGroup } from '../group/apply.ts';
import { fetchList, fetchMemberIds } from '../group/lists.ts';
import type { Known } from '../outcome.ts';
import { seenOr } from '../outcome.ts';
import { withCalls } from '../step-call.ts';
import type { ReadRun } from './reading.ts';
import { READING } from './reading.ts';
import type { Entry } from './store-entries.ts';
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

/** Makes an entry of a group of both lists, of which SCIM's was asked for at `sentAt` (epoch milliseconds). */
function toGroupEntry(
  { scim, rest }: { readonly scim?: ScimGroup | undefined; readonly rest?: RestGroup | undefined },
  { form, sentAt }: { readonly form: GroupScimId | undefined; readonly sentAt: number },
): Entry {
  const restId = form === 'restId' && scim ? toInteger(scim.id) : undefined;
  const observe = (row: ResourceRow | undefined, now: number) =>
    mergeGroup(row?.type === 'group' ? row.observed : undefined, { scim, rest }, now);
  return {
    ids: {
      upstream_scim_id: scim?.id,
      upstream_id: rest?.id ?? restId,
      upstream_uid: rest?.uid ?? (form === 'uid' ? scim?.id : undefined),
    },
    shownIds: {
      ...(scim && { upstream_scim_id: scim.id }),
      ...(rest && { upstream_id: rest.id, upstream_uid: rest.uid }),
    },
    lists: [...(scim ? (['groups'] as const) : []), ...(rest ? (['restGroups'] as const) : [])],
    sentAt,
    memberIds: scim?.memberIds,
    observe,
    isAnother(row) {
      if (row.type !== 'group') return true;
      const { displayName } = observe(row, 0);
      return isAnotherGroup(row.observed, { displayName, created: rest?.created });
    },
  };
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
  // A group that is gone by now is looked for with others that no list shows.
  const memberIds = await seenOr(fetchMemberIds(looking, group), undefined, 'missing');
  if (memberIds === undefined) return;
  const { length } = memberIds;
  if (!isFirst && (said ?? length) !== length && listed !== length) {
    reading.doubted.add(group.seq);
    return;
  }
  const at = { sentAt, now: clock.now(), isFirst };
  await store.write((tx) => storeSeen(tx, group, { memberIds }, at));
}

/** Stores what was asked of a group at `sentAt`, or has it looked at where it was changed or seen since. Times are epoch milliseconds. */
export async function storeSeen(
  tx: Db,
  group: GroupRow,
  known: Known,
  { sentAt, ...at }: { readonly sentAt: number; readonly now: number; readonly isFirst?: boolean },
): Promise<void> {
  const row = await lockRow(tx, group);
  if (row === undefined) return;
  const decision = decideMerge(row, sentAt);
  if (decision === 'look-again') await updateRow(tx, row, toLookAgainColumns(row, at.now));
  if (decision === 'merge') await observeGroup(tx, row, known, at);
}

/** Reads managed admins and entities of the groups that were seen. Returns which could not be read of some groups. */
export async function readGroupLists({ deps, reading, signal }: ReadRun) {
  const { store, clock } = deps;
  const unread = new Set<string>();
  const where = { origin: { '<>': null }, upstream_uid: { '<>': null }, ...LIVE } as const;
  for await (const rows of readRows(store.read, 'group', { limit: PART, where })) {
    for (const row of rows.filter((one) => reading.isSeen(one))) {
      signal.throwIfAborted();
      const sentAt = clock.now();
      const looking = withCalls(deps, { class: 'look', key: `group:${row.id}`, signal });
      const { known, missed } = await readManagedLists(looking, row);
      for (const name of missed) unread.add(name);
      if (known.adminIds === undefined && known.entities === undefined) continue;
      await store.write((tx) => storeSeen(tx, row, known, { sentAt, now: clock.now() }));
    }
  }
  return unread;
}

/** Reads the lists of a group beside its members in which a provider or a rule ever named something. `missed`: the service does not show them. */
export async function readManagedLists(deps: ReconcileDeps, row: GroupRow) {
  const hasAdmins = row.admins_asked === 1 || (await hasLink(deps.store.read, row, 'named'));
  const isManaged = { admins: hasAdmins, entities: listEntityFields(row.cells).length > 0 };
  let known: Known = {};
  const missed: string[] = [];
  for (const name of ['admins', 'entities'] as const) {
    if (!isManaged[name]) continue;
    const fetched = row.upstream_uid && fetchList(deps, row.upstream_uid, name);
    const seen = fetched ? await seenOr(fetched, undefined) : undefined;
    if (seen === undefined) missed.push(name);
    known = { ...known, ...seen };
  }
  return { known, missed };
}

/** Meanings that the SCIM id of a group may have. */
const FORMS: readonly (readonly [GroupScimId, (rest: RestGroup) => string])[] = [
  ['restId', ({ id }) => String(id)],
  ['uid', ({ uid }) => uid],
];

/**
 * Joins the groups of both lists by names that are unique in both, and others by name and id, where ids agree for all of these.
 * `scimId`: undefined when no group tells; `ambiguous`: names of groups with several partners, which stay without REST ids.
 */
function joinGroups(scim: readonly ScimGroup[], rest: readonly RestGroup[]) {
  const byName = Map.groupBy(scim, ({ displayName }) => toSpelling(displayName));
  const restByName = Map.groupBy(rest, ({ name }) => toSpelling(name));
  const partners = new Map<ScimGroup, RestGroup>();
  for (const [name, [group, ...others]] of byName) {
    const [partner, ...more] = restByName.get(name) ?? [];
    const isUnique = others.length + more.length === 0;
    if (isUnique && group && partner) partners.set(group, partner);
  }
  const agrees = FORMS.find(([, toId]) =>
    partners.entries().every(([one, other]) => toId(other) === one.id),
  );
  const form = partners.size > 0 ? agrees : undefined;
  const scimId: GroupScimId | undefined =
    partners.size > 0 ? (form?.[0] ?? 'unrelated') : undefined;
  const ambiguous: string[] = [];
  for (const group of scim.filter((one) => !partners.has(one))) {
    const namesakes = restByName.get(toSpelling(group.displayName)) ?? [];
    const partner = namesakes.find((other) => form?.[1](other) === group.id);
    if (partner) partners.set(group, partner);
    else if (namesakes.length > 0) ambiguous.push(group.displayName);
  }
  const [paired, unclear] = [new Set(partners.values()), new Set(ambiguous.map(toSpelling))];
  const restOnly = rest.filter((one) => !paired.has(one) && !unclear.has(toSpelling(one.name)));
  const groups: Parameters<typeof toGroupEntry>[0][] = [
    ...scim.map((group) => ({ scim: group, rest: partners.get(group) })),
    ...restOnly.map((group) => ({ rest: group })),
  ];
  return { groups, ambiguous, scimId };
}
