import { foldCase } from '../../domain/fold.ts';
import { type ObservedGroup, withoutStaleMark } from '../../domain/group.ts';
import { chunks } from '../../store/engine/dialect.ts';
import {
  deleteGroup,
  type GroupRow,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { insertObservedGroups, lockGroupsByIds } from '../../store/groups/observations.ts';
import { disclaimLinks, moveGroupLinks } from '../../store/links/observations.ts';
import { endDisputes, saveDispute } from '../../store/resources/disputes.ts';
import { endObserved } from '../../store/resources/managed.ts';
import type { Db, Store } from '../../store/store.ts';
import { groups } from '../../upstream/operations/people.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideGroupMerge } from '../merge-decision.ts';
import type { GroupJoin, GroupPair } from './join-groups.ts';
import type { PageTimes } from './read-list.ts';
import { mergeGroup, removeAgain, toNewGroup, withoutUnderWay } from './save-group.ts';

const SEVERAL = 'several groups of the service have this name, so it is not known which is which';

/** Groups after which a transaction ends: some milliseconds. */
const PART = 100;

/**
 * Stores the joined groups of the two interfaces, with the values that only REST tells. Groups that can be told apart again
 * are disputed no more.
 */
export async function saveJoin(store: Store, join: GroupJoin, times: PageTimes): Promise<void> {
  for (const pairs of chunks(join.pairs, PART)) {
    await store.write((tx) => savePairs(tx, pairs, times));
  }
  for (const rest of chunks(join.restOnly, PART)) {
    await store.write((tx) => saveRestOnly(tx, rest, times));
  }
  const disputed = join.ambiguous.map(({ name }) => foldCase(name));
  for (const some of chunks(disputed)) {
    await store.write(async (tx) => {
      for (const nameFolded of some) {
        await saveDispute(tx, { type: 'group', nameFolded, reason: SEVERAL, now: times.now });
      }
    });
  }
  await endDisputes(store, { type: 'group', reason: SEVERAL, except: new Set(disputed) });
}

async function savePairs(tx: Db, pairs: readonly GroupPair[], times: PageTimes): Promise<void> {
  const rows = await lockGroupsByIds(tx, {
    scimIds: pairs.flatMap(({ seen }) => seen.scimId ?? []),
    restIds: pairs.map(({ rest }) => rest.id),
    uids: pairs.map(({ rest }) => rest.uid),
  });
  for (const { seen, rest } of pairs) {
    const others = rows.filter((row) => row.id !== seen.id && carries(row, rest));
    const bySeen = rows.find(({ id }) => id === seen.id);
    const byRest = others.find(({ deleted_at }) => deleted_at === null);
    const row = bySeen && byRest ? await mergeRows(tx, bySeen, byRest) : (bySeen ?? byRest);
    // The group was deleted through SCIM and is not gone yet: a list does not bring it back.
    const isGoing = byRest === undefined && others.length > 0 && row?.origin === null;
    if (row && isGoing) {
      await endObserved(tx, row, times.now);
      for (const deleted of others) await removeAgain(tx, deleted, times);
    } else if (row) await saveRest(tx, row, { rest, scimId: seen.scimId, times });
  }
}

/** Stores groups that SCIM does not show: they have members and rights all the same, and hold their names. */
async function saveRestOnly(tx: Db, list: readonly RestGroup[], times: PageTimes): Promise<void> {
  const restIds = list.map(({ id }) => id);
  const rows = await lockGroupsByIds(tx, { restIds, uids: list.map(({ uid }) => uid) });
  const added = list.filter((rest) => !rows.some((row) => carries(row, rest)));
  const observations = added.map((rest) => toObservation(undefined, { rest, times }));
  const news = observations.map((observation) => ({ row: toNewGroup(observation) }));
  const mine = await withoutUnderWay(tx, news);
  await insertObservedGroups(
    tx,
    mine.map(({ row }) => row),
  );
  for (const rest of list) {
    const known = rows.filter((row) => carries(row, rest));
    const row = known.find(({ deleted_at }) => deleted_at === null);
    if (row) await saveRest(tx, row, { rest, times });
    else for (const deleted of known) await removeAgain(tx, deleted, times);
  }
}

interface RestObservation {
  readonly rest: RestGroup;
  readonly scimId?: string | undefined;
  readonly times: PageTimes;
}

async function saveRest(tx: Db, row: GroupRow, observation: RestObservation): Promise<void> {
  const { sentAt, now } = observation.times;
  const decision = decideGroupMerge(row, sentAt);
  if (decision === 'look-again') await updateGroup(tx, row.id, toLookAgainColumns(row, now));
  if (decision === 'merge')
    await mergeGroup(tx, row, toObservation(withoutStaleMark(toObservedGroup(row)), observation));
}

/**
 * Merges an entry of the REST list. The name comes from SCIM where SCIM shows the group; permissions, the flag and both
 * REST ids come from here.
 */
function toObservation(
  before: ObservedGroup | undefined,
  { rest, scimId, times }: RestObservation,
) {
  const { permissions, addToCardsAndSpacesEnabled } = rest;
  const by = groups.getListOfGroups.id;
  const named = before === undefined || before.by === by ? { displayName: rest.name, by } : before;
  return {
    ids: {
      ...(scimId === undefined ? {} : { upstream_scim_id: scimId }),
      upstream_rest_id: rest.id,
      upstream_uid: rest.uid,
    },
    observed: {
      ...named,
      ...(permissions === undefined ? {} : { permissions }),
      ...(addToCardsAndSpacesEnabled === undefined ? {} : { addToCardsAndSpacesEnabled }),
      listedAt: times.now,
      at: times.now,
    },
    now: times.now,
  };
}

/** Merges two rows that each saw the group through one interface: the managed one stays, else the older. */
async function mergeRows(tx: Db, a: GroupRow, b: GroupRow): Promise<GroupRow | undefined> {
  if (a.origin !== null && b.origin !== null) return undefined;
  const [keep, drop] = b.origin !== null || (a.origin === null && b.seq < a.seq) ? [b, a] : [a, b];
  await moveGroupLinks(tx, drop.id, keep.id);
  // Members that only the other row had are not desired.
  if (keep.origin === 'created') await disclaimLinks(tx, keep.id);
  await deleteGroup(tx, drop.id);
  return { ...keep, observed: toNewer(keep, drop) };
}

/** Takes the name of the newer observation, because the group may have been renamed since the older one. */
function toNewer(keep: GroupRow, drop: GroupRow): string | null {
  const [known, seen] = [toObservedGroup(keep), toObservedGroup(drop)];
  if (seen === undefined || (known?.at ?? 0) >= seen.at) return keep.observed;
  return JSON.stringify({ ...known, ...seen });
}

function carries(row: GroupRow, rest: RestGroup): boolean {
  return row.upstream_rest_id === rest.id || row.upstream_uid === rest.uid;
}
