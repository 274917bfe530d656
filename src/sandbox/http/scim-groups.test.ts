import { describe, expect, test } from 'vitest';
import { startForTest } from '../sandbox-test-support.ts';

const member = (op: string, value: unknown) => ({ op, path: 'members', value });
const patch = (...Operations: unknown[]) => ({ Operations });

describe('scim.addGroup', () => {
  test('answers 200 with the documented fields', async () => {
    const { call, sandbox } = await startForTest({ clock: () => Date.UTC(2026, 0, 2) });
    const { status, body } = await call('POST', '/scim/v2/Groups', { displayName: ' Sales ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id: '1',
      displayName: 'Sales',
      meta: {
        resourceType: 'Group',
        created: '2026-01-02T00:00:00.000Z',
        lastModified: '2026-01-02T00:00:00.000Z',
        location: `${sandbox.url}/scim/v2/Groups/1`,
      },
    });
  });

  const refused = [
    { why: 'no name', displayName: undefined, status: 400 },
    { why: 'an empty name', displayName: ' ', status: 400 },
    { why: 'a name of 129 characters', displayName: 'x'.repeat(129), status: 400 },
    { why: 'a name that is taken', displayName: 'Group 001', status: 409 },
  ];
  for (const { why, displayName, status } of refused) {
    test(`${why} answers ${status} without a body`, async () => {
      const { call, sandbox } = await startForTest({ seed: { groups: 1 } });
      const answer = await call('POST', '/scim/v2/Groups', { displayName });
      expect(answer).toMatchObject({ status, body: '' });
      expect(sandbox.service.groups()).toHaveLength(1);
    });
  }
});

test('scim.getGroup shows the members', async () => {
  const { call, sandbox } = await startForTest({ seed: { users: 1, groups: 1 } });
  expect((await call('GET', '/scim/v2/Groups/1')).body).toMatchObject({
    members: [{ value: 2, $ref: `${sandbox.url}/scim/v2/Users/2`, display: 'Ada Adler' }],
  });
  expect((await call('GET', '/scim/v2/Groups/7')).status).toBe(404);
});

test('scim.getGroups pages, carries members, and ignores a filter', async () => {
  const { call } = await startForTest({ seed: { users: 1, groups: 3 } });
  const { body } = await call('GET', '/scim/v2/Groups?startIndex=2&count=1&filter=nonsense');
  expect(body).toMatchObject({ totalResults: 3, itemsPerPage: 1, startIndex: 2 });
  expect(body).toMatchObject({ Resources: [{ id: '2', members: [{ value: 2 }] }] });
});

describe('scim.updateGroup', () => {
  test('adds, removes and renames in one call', async () => {
    const { call, sandbox } = await startForTest({
      seed: { users: 2, groups: 1, membersPerGroup: 1 },
    });
    const { status, body } = await call(
      'PATCH',
      '/scim/v2/Groups/1',
      patch(member('add', 3), member('remove', 2), {
        op: 'replace',
        path: 'displayName',
        value: 'Sales',
      }),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ displayName: 'Sales', members: [{ value: 3 }] });
    expect(sandbox.service.members('Sales')).toEqual(['user00002@example.com']);
  });

  const refused = [
    { why: 'an unknown member', operation: member('add', 99), status: 400 },
    { why: 'an array of members', operation: member('add', [{ value: 2 }]), status: 400 },
    { why: 'a member id as text', operation: member('add', '2'), status: 400 },
    { why: 'replace for members', operation: member('replace', 2), status: 400 },
    { why: 'remove for the name', operation: { op: 'remove', path: 'displayName' }, status: 400 },
    {
      why: 'a path with a filter',
      operation: { op: 'remove', path: 'members[value eq "2"]' },
      status: 400,
    },
    {
      why: 'a name that is taken',
      operation: { op: 'add', path: 'displayName', value: 'Group 002' },
      status: 409,
    },
  ];
  for (const { why, operation, status } of refused) {
    test(`${why} answers ${status} and nothing of the call is applied`, async () => {
      const { call, sandbox } = await startForTest({
        seed: { users: 2, groups: 2, membersPerGroup: 1 },
      });
      const operations = patch(member('add', 3), operation);
      expect((await call('PATCH', '/scim/v2/Groups/1', operations)).status).toBe(status);
      expect(sandbox.service.members('Group 001')).toEqual(['user00001@example.com']);
    });
  }
});
