import { setImmediate as nextTurn } from 'node:timers/promises';
import { lockGroup, toObservedGroup, updateGroup } from '../../store/groups/groups.ts';
import {
  countSeenMembers,
  listSeenGroups,
  type SeenGroup,
} from '../../store/groups/observations.ts';
import type { Db } from '../../store/store.ts';
import { fetchMemberIds, fetchScimMembers } from '../group/fetch-lists.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideGroupMerge } from '../merge-decision.ts';
import { classify } from '../verdict.ts';
import { getStep } from './progress.ts';
import type { PageTimes } from './read-list.ts';
import { saveMembers } from './save-group.ts';
import { type FirstReadContext, READING } from './step.ts';

/** Member counts that the service tells, by REST id; undefined where it tells none. */
type UserCounts = ReadonlyMap<number, number | undefined>;

/** Groups whose members are counted in one read of the store. */
const PART = 20;

const NO_MEMBERS = { seen: 0, unknown: 0 };

/** Reads the members of every group whose members no list carried completely, one call each. */
export async function readMembers(context: FirstReadContext, counts: UserCounts): Promise<void> {
  const { deps, current, progress, save } = context;
  const [users, company] = [getStep(progress(), 'users'), getStep(progress(), 'companyUsers')];
  if (users.state !== 'done' && company.state !== 'done') {
    await save({ ...current(), membersUnknown: true });
    return;
  }
  const repeats = progress().repeats === true;
  for (const unproven of await listUnproven(context, counts)) {
    const { group } = unproven;
    const sentAt = deps.clock.now();
    // The list of groups was read to its end.
    const isListed = group.restId === undefined || counts.has(group.restId);
    const memberIds = await (isListed ? fetchMembers : fetchUnlisted)(context, group);
    const times = { sentAt, now: deps.clock.now(), repeats };
    const areCountsStale = repeats && memberIds !== undefined && !agrees(unproven, memberIds);
    const stale = areCountsStale ? { membersDoubted: true } : {};
    await save({ ...current(), membersAfter: group.seq, ...stale }, async (tx) => {
      if (areCountsStale) await saveStaleCount(tx, group, times.now);
      else if (memberIds) await saveSeen(tx, group, { memberIds, ...times });
    });
  }
}

async function saveStaleCount(tx: Db, { id }: SeenGroup, now: number): Promise<void> {
  const row = await lockGroup(tx, id);
  const observed = row && toObservedGroup(row);
  if (observed === undefined) return;
  await updateGroup(tx, id, { observed: JSON.stringify({ ...observed, staleAt: now }) });
}

/** Group whose members no list proved. */
interface Unproven {
  readonly group: SeenGroup;
  /** Member count that the service tells; undefined when it tells none. */
  readonly said: number | undefined;
  /** Number of members that the list showed. */
  readonly listed: number;
}

/** True when a second source confirms the answer, which then replaces the known members. */
function agrees({ said, listed }: Unproven, memberIds: readonly number[]): boolean {
  return said === undefined || said === memberIds.length || listed === memberIds.length;
}

/** Where no list shows members, a count that stayed the same may hide a change of who they are. */
function isCounted(said: number, listed: number, listsMembers: boolean): boolean {
  return said === listed && (listsMembers || said === 0);
}

/** Lists the groups after the checkpoint whose members are not known to be complete. */
async function listUnproven(
  { deps, current, progress }: FirstReadContext,
  counts: UserCounts,
): Promise<Unproven[]> {
  const { listsMembers = false } = getStep(progress(), 'groups');
  const after = current().membersAfter ?? 0;
  const seen = (await listSeenGroups(deps.store.read)).filter(({ seq }) => seq > after);
  const unproven: Unproven[] = [];
  for (let start = 0; start < seen.length; start += PART) {
    const groups = seen.slice(start, start + PART);
    const ids = groups.map(({ id }) => id);
    const known = await countSeenMembers(deps.store.read, ids);
    for (const group of groups) {
      const said = group.restId === undefined ? undefined : counts.get(group.restId);
      const { seen: listed, unknown } = known.get(group.id) ?? NO_MEMBERS;
      const isWhole = listsMembers && group.scimId !== undefined && unknown === 0;
      const isProven = said === undefined ? isWhole : isCounted(said, listed, listsMembers);
      if (!isProven) unproven.push({ group, said, listed });
    }
    // Counting without a pause would block the event loop.
    await nextTurn();
  }
  return unproven;
}

/**
 * Fetches the members of a group that its list no longer shows; undefined when it is gone. The service may refuse it
 * or show no list instead of calling it missing, which says nothing of other groups: it is looked at by itself.
 */
async function fetchUnlisted(
  context: FirstReadContext,
  group: SeenGroup,
): Promise<readonly number[] | undefined> {
  try {
    return await fetchMembers(context, group);
  } catch (error) {
    const { verdict, problem } = classify(error);
    if (verdict !== 'forbidden' && problem.code !== 'unreadable') throw error;
    return undefined;
  }
}

/**
 * Fetches all members of a group, undefined when it is gone. @throws UpstreamError also when no call shows its members.
 */
async function fetchMembers(
  { deps, signal }: FirstReadContext,
  { uid, scimId }: SeenGroup,
): Promise<readonly number[] | undefined> {
  const options = { ...READING, signal };
  try {
    if (uid !== undefined) return await fetchMemberIds(deps, options, { uid, scimId });
    return scimId === undefined ? undefined : await fetchScimMembers(deps, options, scimId);
  } catch (error) {
    if (classify(error).verdict === 'missing') return undefined;
    throw error;
  }
}

async function saveSeen(
  tx: Db,
  { id }: SeenGroup,
  {
    memberIds,
    sentAt,
    now,
    repeats,
  }: PageTimes & { memberIds: readonly number[]; repeats: boolean },
): Promise<void> {
  const row = await lockGroup(tx, id);
  const decision = decideGroupMerge(row, sentAt);
  if (row && decision === 'look-again') await updateGroup(tx, id, toLookAgainColumns(row, now));
  if (row && decision === 'merge')
    await saveMembers(tx, row, { memberIds, now, repeats, from: 'group' });
}
