import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Store } from '../../src/store/store.ts';

/** Who and what is in the company of a sandbox. */
export function describeCompany({ service }: Sandbox) {
  return {
    people: service
      .users()
      .map((user) => ({
        upstreamId: user.id,
        userName: user.userName,
        email: user.email,
        active: user.active,
        owner: user.role === 1,
      }))
      .sort((a, b) => a.upstreamId - b.upstreamId),
    groups: service
      .groups()
      .map((group) => ({
        restId: group.id,
        uid: group.uid,
        name: group.name,
        permissions: group.permissions,
        members: service.members(group.id),
      }))
      .sort((a, b) => a.restId - b.restId),
  };
}

/** The same of what was observed, people and groups that nobody asked for alike. */
export async function describeStored({ read }: Store) {
  const people = await read.selectFrom('users').selectAll().orderBy('upstream_id').execute();
  const groups = await read.selectFrom('groups').selectAll().orderBy('upstream_rest_id').execute();
  const links = await read
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['group_id', 'observed_email_folded as email'])
    .where('memberships.observed', '=', 1)
    .where('desired', 'is', null)
    .orderBy('email')
    .execute();
  return {
    people: people.map((row) => ({
      upstreamId: row.upstream_id,
      userName: row.user_name,
      email: row.observed_email_folded,
      active: row.active === 1,
      owner: row.owner === 1,
    })),
    groups: groups.map((row) => ({
      restId: row.upstream_rest_id,
      uid: row.upstream_uid,
      name: row.display_name,
      permissions: JSON.parse(row.observed ?? '{}').permissions,
      members: links.flatMap((link) => (link.group_id === row.id ? link.email : [])).sort(),
    })),
  };
}
