import { expect, test } from 'vitest';
import { readAll, startCompany } from '../../../test/support/first-read.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../sandbox/shape.ts';
import type { Store } from '../../store/database.ts';
import type { GroupScimId } from '../forms.ts';

/** The company as it is, and as the store shows it, in the same words. */
function describeCompany({ service }: Sandbox) {
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

async function describeStore({ read }: Store) {
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

const PAGE = 100;
const USERS = 250;
const GROUPS = 30;
/** Who we are, two lists of people and two of groups, and one call to prove each end. */
const CALLS_MAX = 1 + 2 * Math.ceil((USERS + 1) / PAGE) + 2 * Math.ceil(GROUPS / PAGE) + 4;

interface ShapeCase {
  readonly why: string;
  readonly shape: SandboxShapeChange | 'narrowest' | 'generous';
  readonly scimId?: GroupScimId;
  /** Calls beyond the least. */
  readonly extraCalls?: number;
}

const shapes: ShapeCase[] = [
  { why: 'as documented', shape: {} },
  { why: 'the narrowest', shape: 'narrowest' },
  { why: 'the most generous', shape: 'generous' },
  {
    why: 'ids as text, addresses bare',
    shape: { userId: 'string', memberValue: 'string', emailsReturned: 'strings' },
  },
  { why: 'numeric group ids', shape: { groupId: 'rest-id-number' } },
  { why: 'group ids that are uids', shape: { groupId: 'uid' }, scimId: 'uid' },
  { why: 'group ids of its own', shape: { groupId: 'own' }, scimId: 'unrelated' },
  {
    why: 'a list without members',
    shape: { listCarriesMembers: false },
    extraCalls: GROUPS,
  },
  { why: 'people listed at once', shape: { companyUsersPaging: 'section-else-all' } },
  {
    why: 'people paged only in the members section',
    shape: { companyUsersPaging: 'section-else-first-page' },
    extraCalls: 2,
  },
  { why: 'the last first', shape: { listOrder: 'desc' } },
  { why: 'a group list that repeats its page', shape: { offsetIgnoredBy: ['groups'] } },
];

describeStores('first read', ({ makeStore }) => {
  test.each(shapes)(
    'finds everybody and everything in the fewest calls: $why',
    async ({ shape, scimId = 'restId', extraCalls = 0 }) => {
      const store = await makeStore();
      const sandbox = await startCompany({ shape, seed: { users: USERS, groups: GROUPS } });
      sandbox.service.setPermissions('Group 007', 16);
      sandbox.service.setActive('user00011@example.com', false);
      sandbox.service.setRole('user00012@example.com', 1);

      const { firstRead, deps, told } = await readAll(sandbox, store);

      expect(told.failures).toEqual([]);
      expect(firstRead.state()).toEqual({ kind: 'finished', unread: [] });
      expect(await describeStore(store)).toEqual(describeCompany(sandbox));
      expect(deps.forms.current().groupScimId).toBe(scimId);
      expect(firstRead.ownAccount()).toBe(sandbox.service.owner.id);
      expect(sandbox.calls.count()).toBeLessThanOrEqual(CALLS_MAX + extraCalls);
      expect(sandbox.calls.count({ mutating: true })).toBe(0);
    },
  );
});
