import { describe, expect, test } from 'vitest';
import { startForTest } from '../start-for-test.ts';

const log = '/api/latest/audit-logs';
const minute = (n: number) => Date.UTC(2026, 0, 1, 12, n);

/** A sandbox whose log has one event a minute: Ann invited, renamed, deactivated by the owner, a group made by Ann. */
async function startWithEvents() {
  let nowMs = minute(0);
  const { call, sandbox } = await startForTest({ clock: () => nowMs });
  const steps = [
    () => sandbox.service.addUser({ email: 'ann@example.com', fullName: 'Ann' }),
    () => sandbox.service.renameUser('ann@example.com', 'Ann Bee'),
    () => sandbox.service.setActive('ann@example.com', false),
    () => sandbox.service.as('ann@example.com', '192.0.2.9').createGroup({ name: 'Sales' }),
  ];
  for (const [index, step] of steps.entries()) {
    nowMs = minute(index + 1);
    step();
  }
  return { call, sandbox };
}

describe('auditLogs.retrieveAuditLogEvents', () => {
  test('answers the newest first, with everything documented', async () => {
    const { call, sandbox } = await startWithEvents();
    const { body } = await call('GET', `${log}?limit=1`);
    const ann = sandbox.service.getUser('ann@example.com');
    const group = sandbox.service.getGroup('Sales');
    expect(body).toEqual([
      {
        id: expect.any(String),
        app_name: null,
        company_uid: expect.any(String),
        author_id: 2,
        author_uid: ann.uid,
        author_username: 'ann',
        author_remote_address: '192.0.2.9',
        author: { id: 2, uid: ann.uid, username: 'ann', full_name: 'Ann Bee' },
        category: 'group_management',
        action: 'create',
        message: 'Group created',
        details: { group_id: 1, group_uid: group.uid, group_name: 'Sales' },
        created: '2026-01-01T12:04:00.000Z',
      },
    ]);
  });

  const cases = [
    { query: '?limit=1&offset=1', minutes: [3] },
    { query: '?limit=0', minutes: [4, 3, 2, 1] },
    { query: '?from=2026-01-01T12:03:00.000Z', minutes: [4, 3] },
    { query: '?to=2026-01-01T12:01:00.000Z', minutes: [1] },
    { query: '?author_id=2', minutes: [4] },
    { query: '?author_uid=x', minutes: [] },
    { query: '?id=x', minutes: [] },
    { query: '?categories=user_profile,group_management', minutes: [4, 2] },
    { query: '?actions=invite,deactivate&limit=1&offset=1', minutes: [1] },
  ];
  for (const { query, minutes } of cases) {
    test(`${query} finds ${minutes.length}`, async () => {
      const { call } = await startWithEvents();
      const { body } = await call('GET', log + query);
      const created = minutes.map((n) => ({ created: new Date(minute(n)).toISOString() }));
      expect(body).toMatchObject(created);
    });
  }

  test('a time that is none answers 400', async () => {
    const { call } = await startWithEvents();
    expect((await call('GET', `${log}?from=yesterday`)).status).toBe(400);
  });

  test('calls are recorded as the owner, from where they came', async () => {
    const { call } = await startForTest();
    await call('POST', '/scim/v2/Groups', { displayName: 'Sales' });
    const { body } = await call('GET', log);
    expect(body).toMatchObject([{ author_id: 1, author_remote_address: '127.0.0.1' }]);
  });
});

test('every kind of change has its own category and action', async () => {
  const { call, sandbox } = await startForTest({
    seed: { users: 1, groups: 1, membersPerGroup: 0 },
  });
  const { service } = sandbox;
  const [user, group] = ['user00001@example.com', 'Group 001'];
  service.updateUser(user, { appsPermissions: 2 });
  service.updateUser(user, { permissions: 16 });
  service.updateUser(user, { email: 'other@example.com' });
  service.updateUser(2, { temporarilyInactive: true });
  service.updateUser(2, { temporarilyInactive: false });
  service.setRole(2, 1);
  service.addMember(group, 2);
  service.addAdmin(group, 2);
  service.removeAdmin(group, 2);
  service.removeMember(group, 2);
  service.setPermissions(group, 1);
  service.renameGroup(group, 'Other');
  service.deleteGroup('Other');
  service.removeUser(service.addUser({ email: 'v@example.com', virtual: true }).id);
  const { body } = await call('GET', log);
  const kinds = [
    'user_management change_apps_permissions',
    'user_management change_permissions',
    'user_management change_email',
    'user_management deactivate',
    'user_management activate',
    'user_management transfer_ownership',
    'group_management add_user',
    'group_management add_admin',
    'group_management delete_admin',
    'group_management delete_user',
    'group_management change_permissions',
    'group_management change_permissions',
    'group_management delete',
    'user_management invite',
    'user_management depersonalization',
  ];
  const newestFirst = kinds.map((kind) => kind.split(' ')).reverse();
  expect(body).toMatchObject(newestFirst.map(([category, action]) => ({ category, action })));
});
