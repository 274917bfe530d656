import { findDeletedGroups, listSeenGroups } from '../../store/groups/observations.ts';
import { groups } from '../../upstream/operations/people.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import { joinGroups } from './join-groups.ts';
import { getStep } from './progress.ts';
import { readList } from './read-list.ts';
import { readMembers } from './read-members.ts';
import { saveJoin } from './save-join.ts';
import type { FirstReadContext, StepResult } from './step.ts';

/**
 * Reads permissions, flags and REST ids of the groups, joins them with the SCIM groups, and then reads the members that
 * no list carried. The join needs both lists whole, so this list is kept as small entries and read again after a
 * restart; the members go on at the checkpoint.
 */
export async function readRestGroups(context: FirstReadContext): Promise<StepResult> {
  const { deps, current, progress, save } = context;
  const { membersAfter = 0 } = current();
  await save({ state: 'open', count: 0, membersAfter });
  const sentAt = deps.clock.now();
  const list = await readRestList(context);
  if (list.result.kind === 'incomplete') return list.result;
  const since = getStep(progress(), 'groups').since ?? 0;
  const seen = await listSeenGroups(deps.store.read);
  const scim = seen.filter(({ scimId, seenAt }) => scimId !== undefined && seenAt >= since);
  const uids = list.groups.map(({ uid }) => uid);
  const join = joinGroups(scim, list.groups, await findDeletedGroups(deps.store.read, uids));
  await saveJoin(deps.store, join, { sentAt, now: deps.clock.now() });
  if (join.scimId !== undefined) await deps.quirks.learn({ groupScimId: join.scimId });
  await readMembers(context, new Map(list.groups.map(({ id, usersCount }) => [id, usersCount])));
  return list.result;
}

async function readRestList(
  context: FirstReadContext,
): Promise<{ groups: RestGroup[]; result: StepResult }> {
  const scimList = getStep(context.progress(), 'groups');
  const read = new Map<string, RestGroup>();
  const result = await readList(context, {
    operation: groups.getListOfGroups,
    // The service does not page at all with tree entities; the last way asks for nothing special.
    variants: [
      { query: { with_users_count: true } },
      { query: { with_users_count: true, with_tree_entities: true } },
      {},
    ],
    knownTotal: scimList.state === 'done' ? scimList.count : undefined,
    storePage(items) {
      for (const group of items.map(parseRestGroup)) read.set(group.uid, group);
      return { rows: async () => {} };
    },
  });
  return { groups: [...read.values()], result };
}
