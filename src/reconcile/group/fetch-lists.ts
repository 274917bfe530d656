import { type SeenEntities, toEntityField, toRoleText } from '../../domain/entity.ts';
import {
  groupAdmins,
  groupEntities,
  groups,
  groupUsers,
} from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseGroupUsers } from '../../upstream/shapes/group-user.ts';
import { unreadable } from '../../upstream/shapes/reader.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseGroupEntities } from '../../upstream/shapes/space.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';
import { classify } from '../verdict.ts';

/** Names under which both interfaces show the members of a group. */
export interface MemberListIds {
  readonly uid: string;
  /** Undefined: SCIM cannot be asked. */
  readonly scimId: string | undefined;
}

/**
 * Fetches the members of a group, by account. Where REST shows no list (it needs another right than the list of groups, has no
 * content, or is not found), SCIM is asked, because none of that is an empty group.
 * @throws UpstreamError when neither shows them; `not-found` only where SCIM does not have the group either
 */
export async function fetchMemberIds(
  deps: Pick<ReconcileDeps, 'upstream'>,
  options: CallOptions,
  { uid, scimId }: MemberListIds,
): Promise<readonly number[]> {
  try {
    const args = { path: { group_uid: uid } };
    return toIds(await deps.upstream.call(groupUsers.getListOfGroupUsers, args, options));
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isDoubtful = ['forbidden', 'missing'].includes(verdict) || problem.code === 'unreadable';
    const shown = isDoubtful ? await askScim(deps, options, { uid, scimId }) : 'gone';
    if (shown === 'no list' && verdict === 'missing')
      throw unreadable('group users', 'are not found, which is no empty list');
    if (shown === 'no list' || shown === 'gone') throw error;
    return shown;
  }
}

/** Asks SCIM for the members; without a SCIM id, REST whether the group is there. @throws UpstreamError */
async function askScim(
  deps: Pick<ReconcileDeps, 'upstream'>,
  options: CallOptions,
  { uid, scimId }: MemberListIds,
): Promise<readonly number[] | 'no list' | 'gone'> {
  try {
    if (scimId !== undefined) return (await fetchScimMembers(deps, options, scimId)) ?? 'no list';
    await deps.upstream.call(groups.getGroup, { path: { uid } }, options);
    return 'no list';
  } catch (error) {
    if (classify(error).verdict === 'missing') return 'gone';
    throw error;
  }
}

/** Fetches the members of a group through SCIM; undefined when the answer does not list them. @throws UpstreamError */
export async function fetchScimMembers(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  options: CallOptions,
  scimId: string,
): Promise<readonly number[] | undefined> {
  const answer = await upstream.call(scim.getGroup, { path: { group_id: scimId } }, options);
  return parseScimGroup(answer).memberIds;
}

/** Fetches the admins of a group, by account. @throws UpstreamError */
export async function fetchAdminIds(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  options: CallOptions,
  group_uid: string,
): Promise<number[]> {
  const args = { path: { group_uid } };
  return toIds(await upstream.call(groupAdmins.getListOfGroupAdmins, args, options));
}

/** Fetches the entities of a group, with its own roles in each. @throws UpstreamError */
export async function fetchEntities(
  { upstream, clock }: Pick<ReconcileDeps, 'upstream' | 'clock'>,
  options: CallOptions,
  group_uid: string,
): Promise<SeenEntities> {
  const operation = groupEntities.getListOfGroupEntities;
  const listed = await upstream.call(operation, { path: { group_uid } }, options);
  const roles = parseGroupEntities(listed).map(
    (entity) => [toEntityField(entity.uid), toRoleText(entity.roles)] as const,
  );
  return { at: clock.now(), roles: Object.fromEntries(roles) };
}

function toIds(answer: unknown): number[] {
  return parseGroupUsers(answer).map(({ id }) => id);
}
