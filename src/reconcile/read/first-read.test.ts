import { expect, test } from 'vitest';
import { describeCompany, describeStored } from '../../../test/support/company.ts';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { SELECTED, selectSome } from '../../../test/support/long.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import type { SandboxShapeChange } from '../../sandbox/shape.ts';
import type { GroupScimId } from '../quirks.ts';

const PAGE = 100;
const USERS = 250;
const GROUPS = 30;
/** One call for our own account, two lists of users and two of groups, and one call to prove each end. */
const CALLS_MAX = 1 + 2 * Math.ceil((USERS + 1) / PAGE) + 2 * Math.ceil(GROUPS / PAGE) + 4;

interface ShapeCase {
  readonly why: string;
  readonly shape: SandboxShapeChange | 'narrowest' | 'generous';
  readonly scimId?: GroupScimId;
  /** Calls beyond the least. */
  readonly extraCalls?: number;
}

const thorough: SandboxShapeChange = { listCarriesMembers: false, groupId: 'own' };

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
    shape: thorough,
    scimId: 'unrelated',
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

describeBridges('first read', ({ engine, makeStore }) => {
  test('how far a list has come is told while it is read, of how many entries', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed: { users: USERS } });
    const hang = { operation: 'scim.getUsers', fault: { kind: 'hang' }, skip: 1 } as const;
    const hanging = sandbox.faults.add(hang);
    const { firstRead } = await createReadForTest(sandbox, store);
    await firstRead.start();
    await hanging.until(1);

    // With the account behind the token.
    const far = { kind: 'running', step: 'users', count: PAGE, total: USERS + 1 };
    expect(firstRead.state()).toMatchObject(far);
  });

  // Shapes are the service's; the server's part is done by one that takes every way through the store.
  const cases = engine === 'sqlite' ? shapes : shapes.filter(({ shape }) => shape === thorough);
  test.each(selectSome(cases))(
    'finds everybody and everything in the fewest calls: $why',
    { tags: SELECTED },
    async ({ shape, scimId = 'restId', extraCalls = 0 }) => {
      const store = await makeStore();
      const sandbox = await startCompany({ shape, seed: { users: USERS, groups: GROUPS } });
      sandbox.service.setPermissions('Group 007', 16);
      sandbox.service.setActive('user00011@example.com', false);
      sandbox.service.setRole('user00012@example.com', 1);

      const { firstRead, deps, told } = await readAll(sandbox, store);

      expect(told.failures).toEqual([]);
      expect(firstRead.state()).toEqual({ kind: 'finished', unread: [] });
      expect(await describeStored(store)).toEqual(describeCompany(sandbox));
      expect(deps.quirks.current().groupScimId).toBe(scimId);
      expect(firstRead.ownAccount()).toBe(sandbox.service.owner.id);
      expect(sandbox.calls.count()).toBeLessThanOrEqual(CALLS_MAX + extraCalls);
      expect(sandbox.calls.count({ mutating: true })).toBe(0);
    },
  );
});
