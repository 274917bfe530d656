import { describe, expect, test } from 'vitest';
import { startForTest } from '../start-for-test.ts';

const users = '/api/latest/company/users';

describe('companyUsers.getListOfUsers', () => {
  const cases = [
    { why: 'answers pages of 100', query: '', count: 100 },
    { why: 'does not answer more than 100', query: '?limit=500', count: 100 },
    { why: 'goes on at the offset', query: '?offset=100', count: 21 },
    { why: 'shows the owner', query: '?owner_only=true', count: 1 },
    { why: 'shows virtual users', query: '?only_virtual=1', count: 0 },
    { why: 'ignores a search outside the members section', query: '?query=ada', count: 100 },
    {
      why: 'searches in the members section',
      query: '?for_members_section=true&query=ada',
      count: 12,
    },
    { why: 'searches addresses', query: '?for_members_section=true&query=owner@', count: 1 },
    { why: 'selects by group', query: '?for_members_section=true&group_ids=7,1', count: 20 },
  ];
  for (const { why, query, count } of cases) {
    test(why, async () => {
      const { call } = await startForTest({ seed: { users: 120, groups: 1 } });
      expect((await call('GET', users + query)).body).toHaveLength(count);
    });
  }

  test('shows role 3 for the deactivated, and rights that come from groups', async () => {
    const { call, sandbox } = await startForTest({ seed: { users: 1, groups: 1 } });
    sandbox.service.setPermissions('Group 001', 48);
    sandbox.service.setActive('user00001@example.com', false);
    const { body } = await call('GET', users);
    expect(body).toMatchObject([
      { id: 1, role: 1, own_permissions: 1_048_567, groups: [] },
      {
        id: 2,
        role: 3,
        permissions: 48,
        own_permissions: 0,
        groups: [{ id: 1, name: 'Group 001' }],
        take_licence: false,
      },
    ]);
  });
});

describe('companyUsers.updateUser', () => {
  test('changes licence and temporary inactivity', async () => {
    const { call } = await startForTest({ seed: { users: 1 } });
    const change = { apps_permissions: 2, temporarily_inactive: true };
    expect(await call('PATCH', `${users}/2`, change)).toMatchObject({ status: 200, body: change });
  });

  for (const body of [
    {},
    { apps_permissions: 3 },
    { apps_permissions: '1' },
    { temporarily_inactive: 1 },
  ]) {
    test(`${JSON.stringify(body)} answers 400 with a message`, async () => {
      const { call } = await startForTest();
      const answer = await call('PATCH', `${users}/1`, body);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } });
    });
  }
});

describe('companyUsers.removeVirtualUser', () => {
  test('removes a virtual user, whose id nobody gets again', async () => {
    const { call, sandbox } = await startForTest();
    const { id } = sandbox.service.addUser({ email: 'v@example.com', virtual: true });
    expect(await call('DELETE', `${users}/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect((await call('DELETE', `${users}/${id}`)).status).toBe(404);
    expect(sandbox.service.addUser({ email: 'v@example.com' }).id).toBe(id + 1);
  });

  test('refuses everybody else', async () => {
    const { call } = await startForTest();
    expect((await call('DELETE', `${users}/1`)).status).toBe(400);
  });
});

test('users.retrieveCurrentUser is the owner', async () => {
  const { call } = await startForTest();
  const { body } = await call('GET', '/api/v1/users/current');
  expect(body).toMatchObject({ id: 1, email: 'owner@example.com', role: 1 });
});
