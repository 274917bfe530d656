import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { parseGroupUsers } from '../../upstream/shapes/group-user.ts';
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

function toIds(answer: unknown): number[] {
  return parseGroupUsers(answer).map(({ id }) => id);
}
