import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ObservedGroup, type UpstreamGroupIds, withoutStaleMark } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import {
  findGroupByUpstream,
  type GroupRow,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { insertObservedGroups, lockGroupsByIds } from '../../store/groups/observations.ts';
import { observeLinks } from '../../store/links/observations.ts';
import type { Db } from '../../store/store.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { toInteger } from '../../upstream/shapes/reader.ts';
import { parseScimGroup, type ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideGroupMerge } from '../merge-decision.ts';
import type { GroupScimId } from '../quirks.ts';
import { type PageTimes, readList } from './read-list.ts';
import {
  agreesWithMembers,
  type GroupObservation,
  mergeGroup,
  removeAgain,
  saveMembers,
  toNewGroup,
  withoutUnderWay,
} from './save-group.ts';
import type { FirstReadContext, StepResult } from './step.ts';

/** Members after which a transaction ends: some ten milliseconds. */
const PART_MEMBERS = 2_000;

/** Reads the groups: names, and members where the list carries them. */
export async function readGroups(context: FirstReadContext): Promise<StepResult> {
  const { deps, current, progress } = context;
  return readList(context, {
    operation: scim.getGroups,
    variants: [{}],
    async storePage(items, times) {
      const seen = items.map(parseScimGroup);
      const form = deps.quirks.current().groupScimId;
      const listsMembers =
        current().listsMembers === true || seen.some(({ memberIds }) => memberIds !== undefined);
      const repeats = progress().repeats === true;
      const how = { ...times, form, repeats };
      const reading = { ...how, agreeing: await findAgreeing(deps.store.read, seen, how) };
      const parts = toParts(seen).map((part) => (tx: Db) => saveScimGroups(tx, part, reading));
      const last = parts.pop();
      return {
        before: parts,
        rows: async (tx) => last?.(tx),
        taught: { listsMembers },
      };
    },
  });
}

/** Cuts a page into parts with few members each: a part is one transaction, which blocks other writers. */
function toParts(seen: readonly ScimGroup[]): ScimGroup[][] {
  const parts: ScimGroup[][] = [];
  let named = PART_MEMBERS;
  for (const group of seen) {
    if (named >= PART_MEMBERS) {
      parts.push([]);
      named = 0;
    }
    parts.at(-1)?.push(group);
    named += group.memberIds?.length ?? 0;
  }
  return parts;
}

/** How a page is read. */
interface PageReading extends PageTimes {
  /** Meaning of the SCIM ids. */
  readonly form: GroupScimId | undefined;
  /** True when everything was read before. */
  readonly repeats: boolean;
}

/** Groups of a page whose stored members are those that it shows, with their ids here. */
type AgreeingGroups = ReadonlyMap<ScimGroup, GroupId>;

/**
 * Finds the groups of a sweep whose members are stored as the page shows them, before its transactions: comparing is most
 * of the work, and others write meanwhile. What they change is newer than the page, which then says nothing of it.
 */
async function findAgreeing(
  db: Db,
  seen: readonly ScimGroup[],
  { now, form, repeats }: PageReading,
): Promise<AgreeingGroups> {
  const agreeing = new Map<ScimGroup, GroupId>();
  if (!repeats) return agreeing;
  for (const group of seen) {
    const { id, memberIds } = group;
    const row = memberIds && (await findGroupByUpstream(db, toIds(id, form)));
    if (!row) continue;
    const members = { memberIds, now, repeats, from: 'list' } as const;
    if (await agreesWithMembers(db, row, members)) agreeing.set(group, row.id);
    // A write of a provider takes several turns of the event loop: each waits for one group.
    await nextTurn();
  }
  return agreeing;
}

/** The ids of the service that a SCIM id stands for. */
function toIds(id: string, form: GroupScimId | undefined): Partial<UpstreamGroupIds> {
  return {
    scimId: id,
    ...(form === 'restId' && { restId: toInteger(id) }),
    ...(form === 'uid' && { uid: id }),
  };
}

async function saveScimGroups(
  tx: Db,
  seen: readonly ScimGroup[],
  { agreeing, ...reading }: PageReading & { agreeing: AgreeingGroups },
): Promise<void> {
  const { form, now } = reading;
  const groups = new Map(seen.map((group) => [group.id, group]));
  const known = await lockByScimId(tx, [...groups.keys()], form);
  const added = [...groups.values()].filter(({ id }) => !known.has(id));
  await addGroups(tx, added, now);
  for (const [scimId, row] of known) {
    const group = groups.get(scimId);
    if (group === undefined) continue;
    const agrees = agreeing.get(group) === row.id;
    await saveKnown(tx, row, { group, agrees, ...reading });
  }
}

async function addGroups(tx: Db, added: readonly ScimGroup[], now: number): Promise<void> {
  const all = added.map((group) => ({
    memberIds: group.memberIds,
    row: toNewGroup(toObservation(group, undefined, now)),
  }));
  const rows = await withoutUnderWay(tx, all);
  await insertObservedGroups(
    tx,
    rows.map(({ row }) => row),
  );
  for (const { row, memberIds = [] } of rows) {
    const seen = { upstreamUserIds: memberIds, baseline: null };
    if (memberIds.length > 0) await observeLinks(tx, 'memberships', row.id, seen);
  }
}

async function saveKnown(
  tx: Db,
  row: GroupRow,
  { group, agrees, sentAt, now, repeats }: PageReading & { group: ScimGroup; agrees: boolean },
): Promise<void> {
  if (row.deleted_at !== null) return removeAgain(tx, row, { sentAt, now });
  const decision = decideGroupMerge(row, sentAt);
  if (decision === 'look-again') await updateGroup(tx, row.id, toLookAgainColumns(row, now));
  if (decision !== 'merge') return;
  await mergeGroup(tx, row, toObservation(group, withoutStaleMark(toObservedGroup(row)), now));
  const { memberIds } = group;
  if (memberIds && !agrees) await saveMembers(tx, row, { memberIds, now, repeats, from: 'list' });
}

function toObservation(
  group: ScimGroup,
  before: ObservedGroup | undefined,
  now: number,
): GroupObservation {
  const { id, displayName } = group;
  return {
    ids: { upstream_scim_id: id },
    observed: { ...before, displayName, shownAt: now, at: now, by: scim.getGroups.id },
    now,
  };
}

/** Locks the rows of these groups, by SCIM id; of several, the live one with that very id. */
async function lockByScimId(
  tx: Db,
  scimIds: readonly string[],
  form: GroupScimId | undefined,
): Promise<Map<string, GroupRow>> {
  const ids = scimIds.map((id) => toIds(id, form));
  const rows = await lockGroupsByIds(tx, {
    scimIds,
    restIds: ids.flatMap(({ restId }) => restId ?? []),
    uids: ids.flatMap(({ uid }) => uid ?? []),
  });
  const found = new Map<string, GroupRow>();
  for (const row of rows.toSorted((a, b) => toRank(a) - toRank(b))) {
    const restId = form === 'restId' ? row.upstream_rest_id : null;
    const uid = form === 'uid' ? row.upstream_uid : null;
    const scimId = row.upstream_scim_id ?? restId ?? uid;
    if (scimId !== null) found.set(String(scimId), row);
  }
  return found;
}

/** Rank of a row; the highest wins: tombstones, then live rows without a SCIM id, then those with one. */
function toRank({ deleted_at, upstream_scim_id }: GroupRow): number {
  return (deleted_at === null ? 2 : 0) + (upstream_scim_id === null ? 0 : 1);
}
