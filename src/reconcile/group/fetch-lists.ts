import { type SeenEntities, toEntityField, toRoleText } from '../../domain/entity.ts';
import { groupAdmins, groupEntities, groupUsers } from '../../upstream/operations/people.ts';
import { parseGroupUsers } from '../../upstream/shapes/group-user.ts';
import { parseGroupEntities } from '../../upstream/shapes/space.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Fetches the members of a group, by account. @throws UpstreamError */
export async function fetchMemberIds(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  options: CallOptions,
  group_uid: string,
): Promise<number[]> {
  const args = { path: { group_uid } };
  return toIds(await upstream.call(groupUsers.getListOfGroupUsers, args, options));
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
