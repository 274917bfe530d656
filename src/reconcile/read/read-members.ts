import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunks } from '../../store/engine/dialect.ts';
import { countSeenMembers, type SeenMembersCount } from '../../store/links/observe.ts';
import { listSeenGroups, type SeenGroup } from '../../store/resources/by-upstream.ts';
import { lockRow } from '../../store/resources/rows.ts';
import { fetchMemberIds, fetchScimMembers } from '../group/fetch-lists.ts';
import { classify } from '../verdict.ts';
import { storeGroups } from './read-groups.ts';
import type { ListResult } from './read-list.ts';
import { READING, type ReadRun } from './reading.ts';
import { isCurrent, saveMembers } from './save-groups.ts';

/** Groups whose members are counted in one read of the store. */
const PART = 20;

const NO_MEMBERS = { seen: 0, unknown: 0 };

/** Stores the groups of both lists, and reads the members that no list carried completely, one call each. */
export async function readMembers(run: ReadRun): Promise<ListResult> {
  const { deps, reading } = run;
  const { users, companyUsers, members: state } = reading.lists;
  // A failed call is repeated from where it was.
  if (state.count === 0) await storeGroups(run);
  reading.membersUnknown = users.state !== 'done' && companyUsers.state !== 'done';
  if (reading.membersUnknown) return { kind: 'done' };
  for (const unproven of await listUnproven(run)) {
    const { group, isListed } = unproven;
    const sentAt = deps.clock.now();
    const memberIds = await (isListed ? fetchMembers : fetchUnlisted)(run, group);
    if (memberIds !== undefined && !reading.isFirst && !agrees(unproven, memberIds)) {
      reading.doubted.add(group.seq);
    } else if (memberIds !== undefined) {
      const seen = { memberIds, sentAt, now: deps.clock.now(), isFirst: reading.isFirst };
      await deps.store.write(async (tx) => {
        const row = await lockRow(tx, { type: 'group', id: group.id });
        if (row && (await isCurrent(tx, row, seen))) {
          await saveMembers(tx, row, { ...seen, from: 'group' });
        }
      });
    }
    reading.membersAfter = group.seq;
    state.count += 1;
  }
  return { kind: 'done' };
}

/** Group whose members no list proved. */
interface Unproven {
  readonly group: SeenGroup;
  /** Member count that the service tells; undefined when it tells none. */
  readonly said: number | undefined;
  /** Number of members that the list showed. */
  readonly listed: number;
  /** False: the list of groups was read to its end, and does not show it any more. */
  readonly isListed: boolean;
}

/** True when a second source confirms the answer, which then replaces the known members. */
function agrees({ said, listed }: Unproven, memberIds: readonly number[]): boolean {
  return said === undefined || said === memberIds.length || listed === memberIds.length;
}

/** Lists the groups whose members are not known to be complete, after the last that was asked for. */
async function listUnproven({ deps: { store }, reading }: ReadRun): Promise<Unproven[]> {
  const { membersAfter } = reading;
  const listsMembers = reading.scimGroups.values().some(({ memberIds }) => memberIds !== undefined);
  const counts = new Map(
    reading.restGroups.values().map(({ id, usersCount }) => [id, usersCount] as const),
  );
  const groups = (await listSeenGroups(store.read)).filter(({ seq }) => seq > membersAfter);
  const unproven: Unproven[] = [];
  for (const some of chunks(groups, PART)) {
    const seqs = some.map(({ seq }) => seq);
    const known = await countSeenMembers(store.read, seqs);
    for (const group of some) {
      const said = group.restId === undefined ? undefined : counts.get(group.restId);
      const stored = known.get(group.seq) ?? NO_MEMBERS;
      const isProven = listsMembers ? agreesWithList(group, said, stored) : isEmpty(said, stored);
      if (isProven) continue;
      const isListed = group.restId === undefined || counts.has(group.restId);
      unproven.push({ group, said, listed: stored.seen, isListed });
    }
    // Counting without a pause would block the event loop.
    await nextTurn();
  }
  return unproven;
}

/** True when the list of groups surely showed all members. */
function agreesWithList(
  { scimId }: SeenGroup,
  said: number | undefined,
  { seen, unknown }: SeenMembersCount,
): boolean {
  return said === undefined ? scimId !== undefined && unknown === 0 : said === seen;
}

/** Where no list shows members, a count that stayed the same may hide a change of who they are. */
function isEmpty(said: number | undefined, { seen }: SeenMembersCount): boolean {
  return said === 0 && seen === 0;
}

/**
 * Fetches the members of a group that its list no longer shows; undefined when it is gone. The service may refuse it
 * or show no list instead of calling it missing, which says nothing of other groups: it is looked at by itself.
 */
async function fetchUnlisted(
  run: ReadRun,
  group: SeenGroup,
): Promise<readonly number[] | undefined> {
  try {
    return await fetchMembers(run, group);
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
  { deps, signal }: ReadRun,
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
