import { describe, expect, test } from 'vitest';
import { startForTest } from '../start-for-test.ts';

const groups = '/api/latest/company/groups';

test('groups.createGroup answers 200 with the documented fields', async () => {
  const { call } = await startForTest({ clock: () => Date.UTC(2026, 0, 2) });
  const wanted = { name: 'Sales', permissions: 16, add_to_cards_and_spaces_enabled: true };
  const { status, body } = await call('POST', groups, wanted);
  expect(status).toBe(200);
  expect(body).toEqual({
    ...wanted,
    created: '2026-01-02T00:00:00.000Z',
    updated: '2026-01-02T00:00:00.000Z',
    id: 1,
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

describe('what groups.createGroup refuses', () => {
  const refused = [
    { why: 'no name', body: {}, status: 400 },
    { why: 'a name of 513 characters', body: { name: 'x'.repeat(513) }, status: 400 },
    { why: 'permissions as text', body: { name: 'A', permissions: '1' }, status: 400 },
    {
      why: 'a flag as text',
      body: { name: 'A', add_to_cards_and_spaces_enabled: 'yes' },
      status: 400,
    },
  ];
  for (const { why, body, status } of refused) {
    test(`${why}: ${status} with a message`, async () => {
      const { call } = await startForTest();
      const answer = await call('POST', groups, body);
      expect(answer).toMatchObject({ status, body: { message: expect.any(String) } });
    });
  }

  test('a name that is taken: 409 without a body', async () => {
    const { call } = await startForTest({ seed: { groups: 1 } });
    expect(await call('POST', groups, { name: 'Group 001' })).toMatchObject({
      status: 409,
      body: '',
    });
  });
});

test('groups.getGroup, updateGroup and removeGroup go by uid, under latest and v1', async () => {
  const { call, sandbox } = await startForTest({ seed: { groups: 1 } });
  const { uid } = sandbox.service.getGroup('Group 001');
  expect((await call('GET', `${groups}/${uid}`)).body).toMatchObject({ id: 1, name: 'Group 001' });
  const change = { name: 'Sales', permissions: 32 };
  expect((await call('PATCH', `/api/v1/company/groups/${uid}`, change)).body).toMatchObject(change);
  const removed = await call('DELETE', `${groups}/${uid}`);
  expect(removed).toMatchObject({ status: 200, body: { name: 'Sales' } });
  expect(await call('GET', `${groups}/${uid}`)).toMatchObject({ status: 404, body: '' });
  expect(await call('DELETE', `${groups}/${uid}`)).toMatchObject({ status: 404 });
});

test('an update of nothing is accepted and changes nothing', async () => {
  const { call, sandbox } = await startForTest({ seed: { groups: 1 } });
  const before = sandbox.service.getGroup('Group 001');
  expect((await call('PATCH', `${groups}/${before.uid}`, {})).status).toBe(200);
  expect(sandbox.service.getGroup('Group 001')).toEqual(before);
});

describe('groups.getListOfGroups', () => {
  const cases = [
    { why: 'is unpaged when no page is asked for', query: '', ids: 120 },
    { why: 'pages by the default when only an offset is given', query: '?offset=10', ids: 100 },
    { why: 'pages', query: '?limit=5&offset=118', ids: 2 },
    {
      why: 'does not page with tree entities',
      query: '?limit=5&with_tree_entities=true',
      ids: 120,
    },
    { why: 'searches by name', query: '?query=GROUP%20001', ids: 1 },
    { why: 'has no inactive groups', query: '?condition=2', ids: 0 },
  ];
  for (const { why, query, ids } of cases) {
    test(why, async () => {
      const { call } = await startForTest({ seed: { groups: 120 } });
      expect((await call('GET', groups + query)).body).toHaveLength(ids);
    });
  }

  test('counts users on request', async () => {
    const { call } = await startForTest({ seed: { users: 3, groups: 1 } });
    const { body } = await call('GET', `${groups}?with_users_count=true`);
    expect(body).toMatchObject([{ users_count: 3 }]);
  });

  test('a limit that is no number answers 400 with a message', async () => {
    const { call } = await startForTest();
    const answer = await call('GET', `${groups}?limit=x`);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } });
  });
});
