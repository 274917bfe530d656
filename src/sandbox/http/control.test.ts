import { describe, expect, test } from 'vitest';
import { startForTest } from '../sandbox-test-support.ts';

const control = (name: string) => `/_sandbox/${name}`;

test('control needs the token, is not counted and suffers no fault', async () => {
  const { call, sandbox } = await startForTest();
  sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 500 } });
  expect((await fetch(sandbox.url + control('calls'))).status).toBe(401);
  expect(await call('GET', control('calls'))).toMatchObject({ status: 200, body: { total: 0 } });
  expect((await call('PUT', control('calls'))).status).toBe(404);
});

test('calls are shown and reset', async () => {
  const { call } = await startForTest();
  await call('GET', '/scim/v2/Users');
  expect((await call('GET', control('calls'))).body).toMatchObject({
    total: 1,
    peak: 1,
    counts: { 'scim.getUsers': { 200: 1 } },
    recent: [{ path: '/scim/v2/Users', status: 200 }],
  });
  await call('DELETE', control('calls'));
  expect((await call('GET', control('calls'))).body).toMatchObject({ total: 0, recent: [] });
});

describe('the shape', () => {
  test('is shown and changed, by fields and by preset', async () => {
    const { call } = await startForTest();
    const change = {
      preset: 'narrowest',
      userId: 'string',
      pages: { groups: { default: 5, max: null } },
    };
    expect((await call('PATCH', control('shape'), change)).body).toMatchObject({
      userId: 'string',
      errorBody: 'empty',
      pages: { groups: { default: 5, max: null }, scimUsers: { max: 100 } },
    });
    const more = { updatable: ['active'], offsetIgnoredBy: ['groups'], changeStatus: 204 };
    await call('PATCH', control('shape'), more);
    expect((await call('GET', control('shape'))).body).toMatchObject({ ...more, userId: 'string' });
  });

  const refused: unknown[] = [
    [],
    { preset: 'widest' },
    { toString: true },
    { pages: { groups: { default: 0, max: 1 } } },
  ];
  for (const change of refused) {
    test(`${JSON.stringify(change)} answers 400 and changes nothing`, async () => {
      const { call, sandbox } = await startForTest();
      const before = sandbox.shape;
      const answer = await call('PATCH', control('shape'), change);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } });
      expect(sandbox.shape).toEqual(before);
    });
  }
});

describe('faults', () => {
  test('rate and sections are changed, hanging calls released', async () => {
    const { call, sandbox } = await startForTest();
    const hang = sandbox.faults.add({ operation: '*', fault: { kind: 'hang' }, times: 1 });
    const answer = call('GET', '/scim/v2/Users');
    await hang.until(1);
    await call('PATCH', control('faults'), {
      requestsPerSecond: 50,
      sections: { audit: 403 },
      release: true,
    });
    expect((await answer).status).toBe(200);
    expect(sandbox.faults.requestsPerSecond).toBe(50);
    expect((await call('GET', '/api/latest/audit-logs')).status).toBe(403);
    await call('PATCH', control('faults'), { requestsPerSecond: null, sections: { audit: null } });
    expect((await call('GET', '/api/latest/audit-logs')).status).toBe(200);
  });
});

describe('the state', () => {
  test('is changed behind the back of the API, by whom one says', async () => {
    const { call, sandbox } = await startForTest();
    const act = (body: object) => call('POST', control('state'), body);
    const ann = 'ann@example.com';
    const actions = [
      { action: 'addUser', email: ann, fullName: 'Ann', userName: 'ann', active: true },
      { action: 'createGroup', name: 'Sales', permissions: 1, as: ann },
      { action: 'addMember', group: 'Sales', user: ann },
      { action: 'addAdmin', group: 1, user: 2 },
      { action: 'renameUser', user: ann, fullName: 'Ann Bee' },
      { action: 'setRole', user: ann, role: 1 },
      { action: 'setActive', user: ann, active: false },
      { action: 'renameGroup', group: 'Sales', name: 'Buying' },
      { action: 'setPermissions', group: 'Buying', permissions: 2 },
    ];
    for (const action of actions) expect((await act(action)).status).toBe(200);
    expect((await call('GET', control('state'))).body).toMatchObject({
      users: [{ id: 1 }, { email: ann, fullName: 'Ann Bee', role: 1, active: false }],
      groups: [{ name: 'Buying', permissions: 2, members: [ann], admins: [ann] }],
      events: 9,
    });
    expect(sandbox.service.auditEvents()[1]).toMatchObject({ authorId: 2 });
    await act({ action: 'removeMember', group: 'Buying', user: ann });
    await act({ action: 'removeAdmin', group: 'Buying', user: ann });
    const space = String(Object((await act({ action: 'addSpace', title: 'Hangar' })).body).uid);
    await act({ action: 'setRoles', space, group: 'Buying', roles: 'reader writer' });
    expect(sandbox.service.rolesOf(space, 'Buying')).toEqual(['reader', 'writer']);
    await act({ action: 'setRoles', space, group: 'Buying' });
    expect(sandbox.service.rolesOf(space, 'Buying')).toBeUndefined();
    await act({ action: 'deleteGroup', group: 'Buying' });
    await act({ action: 'seed', users: 1, groups: 1 });
    expect(sandbox.service.members('Group 001')).toEqual(['user00001@example.com']);
  });

  const refused = [
    { body: null, status: 400 },
    { body: { action: 'toString' }, status: 400 },
    { body: { action: 'createGroup', name: 'A', permissions: '1' }, status: 400 },
    { body: { action: 'removeUser', user: 1 }, status: 400 },
    { body: { action: 'deleteGroup', group: 'A' }, status: 404 },
    { body: { action: 'createGroup', name: 'A', as: 'nobody@example.com' }, status: 404 },
  ];
  for (const { body, status } of refused) {
    test(`${JSON.stringify(body)} answers ${status} with a message`, async () => {
      const answer = await (await startForTest()).call('POST', control('state'), body);
      expect(answer).toMatchObject({ status, body: { message: expect.any(String) } });
    });
  }

  test('is seeded again to a larger company, and who is there stays as they are', async () => {
    const { call, sandbox } = await startForTest({ seed: { users: 2, groups: 1 } });
    const act = (body: object) => call('POST', control('state'), body);
    await act({ action: 'setActive', user: 'user00001@example.com', active: false });
    await act({ action: 'removeMember', group: 'Group 001', user: 'user00002@example.com' });
    await act({ action: 'addUser', email: 'user00004@example.com', userName: 'four' });
    for (const _ of [1, 2]) await act({ action: 'seed', users: 5, groups: 2 });

    const [, ...users] = sandbox.service.users();
    expect(users.map(({ email }) => email.slice(8, 9))).toEqual(['1', '2', '4', '3', '5']);
    expect(users.filter(({ active }) => !active)).toHaveLength(1);
    expect(sandbox.service.groups().map(({ name }) => name)).toEqual(['Group 001', 'Group 002']);
    expect(sandbox.service.members('Group 001')).toHaveLength(1);
    expect(sandbox.service.members('Group 002')).toHaveLength(5);
  });
});
