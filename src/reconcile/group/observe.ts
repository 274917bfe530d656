import { isWaiting } from '../../domain/cell.ts';
import type { SeenEntities } from '../../domain/entity.ts';
import { seeEntities, toEntityField, toRoleText } from '../../domain/entity.ts';
import type { GroupField, ObservedGroup, UpstreamGroupIds } from '../../domain/kinds.ts';
import { withCreated } from '../../domain/kinds.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { SeenLinks } from '../../store/links/links.ts';
import { changeLinks, hasLink, observeLinks } from '../../store/links/links.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { updateRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import {
  groupAdmins,
  groupEntities,
  groups,
  groupUsers,
} from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseGroupUsers } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseGroupEntities } from '../../upstream/shapes/space.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Known } from '../outcome.ts';
import { classify, seenOr } from '../outcome.ts';
import { findOwnAccount } from '../sections.ts';
import { assertAbout } from '../step-call.ts';

/** Fetches the members of a group, by account; from SCIM where REST has no list of them. undefined: none has. @throws UpstreamError */
export async function fetchMemberIds(
  deps: Pick<ReconcileDeps, 'upstream'>,
  { uid: group_uid, scimId }: UpstreamGroupIds,
): Promise<readonly number[] | undefined> {
  if (group_uid === undefined) return fetchScimMembers(deps, scimId ?? '');
  const operation = groupUsers.getListOfGroupUsers;
  try {
    return toIds(await deps.upstream.call(operation, { path: { group_uid } }));
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isUnlisted = verdict === 'forbidden' || problem.code === 'unreadable';
    if (!isUnlisted || scimId === undefined) throw error;
    const shown = await seenOr(fetchScimMembers(deps, scimId), undefined, 'missing');
    if (shown === undefined) throw error;
    return shown;
  }
}

/** Fetches the members of a group through SCIM; undefined when the answer does not list them. @throws UpstreamError */
export async function fetchScimMembers(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  scimId: string,
): Promise<readonly number[] | undefined> {
  const answer = await upstream.call(scim.getGroup, { path: { group_id: scimId } });
  return parseScimGroupOf(scimId, answer).memberIds;
}

/** Fetches the admins of a group, by account. @throws UpstreamError */
export async function fetchAdminIds(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  group_uid: string,
): Promise<number[]> {
  const args = { path: { group_uid } };
  return toIds(await upstream.call(groupAdmins.getListOfGroupAdmins, args));
}

/** Fetches the entities of a group, with its own roles in each. @throws UpstreamError */
export async function fetchEntities(
  { upstream, clock }: Pick<ReconcileDeps, 'upstream' | 'clock'>,
  group_uid: string,
): Promise<SeenEntities> {
  const operation = groupEntities.getListOfGroupEntities;
  const listed = await upstream.call(operation, { path: { group_uid } });
  const roles = parseGroupEntities(listed).map(
    (entity) => [toEntityField(entity.uid), toRoleText(entity.roles)] as const,
  );
  return { at: clock.now(), roles: Object.fromEntries(roles) };
}

function toIds(answer: unknown): number[] {
  return parseGroupUsers(answer).map(({ id }) => id);
}

/** The group that was asked for. @throws UpstreamError `unreadable`, also where the answer is about another one */
export function parseScimGroupOf(id: string, answer: unknown): ScimGroup {
  const group = parseScimGroup(answer);
  assertAbout('SCIM group', group.id, id);
  return group;
}

/** Merges what both interfaces show of a group. The name comes from SCIM where SCIM shows it, or once did; the rest from REST. */
export function mergeGroup(
  before: ObservedGroup | undefined,
  {
    scim: shown,
    rest,
  }: { readonly scim?: ScimGroup | undefined; readonly rest?: RestGroup | undefined },
  at: number,
): ObservedGroup {
  const by = groups.getListOfGroups.id;
  const { permissions, addToCardsAndSpacesEnabled: isAddable } = rest ?? {};
  const isOfRest = before === undefined || before.by === by;
  return {
    ...(isOfRest ? { displayName: rest?.name ?? '', by } : before),
    ...(shown && { displayName: shown.displayName, shownAt: at, by: scim.getGroups.id }),
    ...(permissions !== undefined && { permissions }),
    ...(isAddable !== undefined && { addToCardsAndSpacesEnabled: isAddable }),
    ...withCreated(before, rest?.created),
    ...(rest && { listedAt: at }),
    at,
  };
}

/** Observation of a group in an answer; `by` is the call. */
export function observeAnswer(
  { clock }: Pick<ReconcileDeps, 'clock'>,
  shown: Parameters<typeof mergeGroup>[1],
  before: ObservedGroup | undefined,
  { id: by }: { readonly id: string },
): ObservedGroup {
  return { ...mergeGroup(before, shown, clock.now()), by };
}

/** Stores what a look by itself has shown of a group that was not changed meanwhile. `now` is epoch milliseconds. */
export async function observeGroup(
  tx: Db,
  row: GroupRow,
  { group, memberIds, adminIds, entities }: Known,
  now: number,
): Promise<void> {
  await updateRow(tx, row, {
    observed: group && JSON.stringify({ ...toObservedGroup(row), ...group }),
    entities: entities && JSON.stringify(entities),
    cells: entities && JSON.stringify(seeEntities(parseCells<GroupField>(row), entities)),
    admins_read_at: adminIds && now,
  });
  if (memberIds) {
    await observeMembers(tx, row, { memberIds, now, isFirst: false, from: 'group' });
  }
  if (adminIds) await observeAdmins(tx, row, adminIds);
}

/** The members that were seen in a group. */
interface SeenMembers {
  readonly memberIds: readonly number[];
  /** True while nothing was read before. */
  readonly isFirst: boolean;
  /** Source of the members: the list of all groups may cut long member lists short, the list of one group does not. */
  readonly from: 'list' | 'group';
}

/** Stores the members of a group. Where they are shown and have changed, the ETag of the group changes. */
export async function observeMembers(
  tx: Db,
  row: GroupRow,
  seen: SeenMembers & { readonly now: number },
): Promise<void> {
  const links = toSeenMembers(row, seen);
  const moved = await observeLinks(tx, row, links);
  // A managed group shows its desired members, whatever is seen.
  if (moved === 0 || links.baseline === 0) return;
  await updateRow(tx, row, { version: row.version + 1, modified_at: seen.now });
}

/** Members of a newly adopted group belong to it, also when they are read later; later ones are not desired. */
export function toSeenMembers(row: GroupRow, { memberIds, isFirst, from }: SeenMembers): SeenLinks {
  const { origin } = row;
  // A short list must not pass for a removal that a provider asks for.
  const isUnsure = !isFirst && from === 'list' && origin !== null;
  return {
    list: 'member',
    upstreamUserIds: memberIds,
    baseline: origin === null ? null : origin === 'adopted' && isFirst ? 1 : 0,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that follows shows it.
    mayBeOld: row.must_look !== 0,
  };
}

/** Where a provider or a rule writes the admins, others are drift, but for our own account at first: it founds the group. */
async function observeAdmins(tx: Db, row: GroupRow, upstreamUserIds: readonly number[]) {
  const own = row.admins_read_at === null ? await findOwnAccount(tx) : null;
  // A rule finds others there at first, and leaves them.
  const isRuled = own === null && (await hasLink(tx, row, 'administered'));
  const baseline = isRuled || (row.admins_asked === 1 && own !== undefined) ? 0 : null;
  await observeLinks(tx, row, { list: 'admin', upstreamUserIds, baseline });
  const accounts = typeof own === 'number' ? [own] : [];
  await changeLinks(tx, row, { list: 'admin', accounts }, (link) =>
    link.desired === 0 && !isWaiting(link) ? { ...link, desired: null } : link,
  );
}
