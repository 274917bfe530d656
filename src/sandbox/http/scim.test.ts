import { expect, test } from 'vitest';
import { startForTest } from '../sandbox-test-support.ts';

const USERS = '/scim/v2/Users';
const GROUPS = '/scim/v2/Groups';
const seed = { users: 2, groups: 2, membersPerGroup: 1 };
const at = Date.UTC(2026, 0, 2);
const dates = { created: '2026-01-02T00:00:00.000Z', lastModified: '2026-01-02T00:00:00.000Z' };

const ann = {
  userName: 'ann',
  name: { givenName: 'Ann', familyName: 'Bee Cee' },
  emails: [{ value: 'Ann@Example.com', type: 'work' }],
};
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const member = (op: string, value: unknown) => ({ op, path: 'members', value });
const patch = (...Operations: unknown[]) => ({ Operations });

test('scim.addUser answers 201 with the documented fields, the address in lower case', async () => {
  const { call, sandbox } = await startForTest({ clock: () => at });
  const { status, body } = await call('POST', USERS, ann);
  expect(status).toBe(201);
  expect(body).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    meta: { resourceType: 'User', ...dates, location: `${sandbox.url}${USERS}/2` },
    id: 2,
    name: { givenName: 'Ann', familyName: 'Bee Cee' },
    userName: 'ann',
    active: true,
    emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
  });
  expect(sandbox.service.findUser('ann@example.com')?.fullName).toBe('Ann Bee Cee');
});

test('scim.addGroup answers 200 with the documented fields', async () => {
  const { call, sandbox } = await startForTest({ clock: () => at });
  const { status, body } = await call('POST', GROUPS, { displayName: ' Sales ' });
  expect(status).toBe(200);
  expect(body).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id: '1',
    displayName: 'Sales',
    meta: { resourceType: 'Group', ...dates, location: `${sandbox.url}${GROUPS}/1` },
  });
});

test.each<[why: string, operation: unknown, want: string]>([
  ['replaces both parts', replace('name', { givenName: 'A', familyName: 'B' }), 'A B'],
  ['replaces all by one part', replace('name', { givenName: 'A' }), 'A'],
  ['removes a part', { op: 'remove', path: 'name.familyName' }, 'Olivia'],
])('scim.updateUser %s', async (_, operation, want) => {
  const { call, sandbox } = await startForTest();
  expect((await call('PATCH', `${USERS}/1`, patch(operation))).status).toBe(200);
  expect(sandbox.service.owner.fullName).toBe(want);
});

type Refused = readonly [why: string, status: number, body: unknown];
const users: readonly Refused[] = [
  ['no addresses', 400, { userName: 'x' }],
  ['no address', 400, { emails: ['nobody'] }],
  ['a user name that is too long', 400, { ...ann, userName: 'x'.repeat(129) }],
  ['an array as body', 400, [ann]],
  ['an address that is taken', 409, { emails: ['OWNER@example.com'] }],
  ['a user name that is taken', 409, { ...ann, userName: 'Owner' }],
];
const groups: readonly Refused[] = [
  ['no name', 400, {}],
  ['an empty name', 400, { displayName: ' ' }],
  ['a name of 129 characters', 400, { displayName: 'x'.repeat(129) }],
  ['a name that is taken', 409, { displayName: 'Group 001' }],
];
const userOperations: readonly Refused[] = [
  ['an unknown op', 400, { op: 'Replace', path: 'active', value: false }],
  ['no path', 400, { op: 'replace', value: { active: false } }],
  ['text for active', 400, replace('active', 'false')],
  ['userName', 400, replace('userName', 'other')],
  ['an unknown attribute', 400, replace('title', 'Dr')],
  ['a part that a name does not have', 400, replace('name.formatted', 'A B')],
];
const groupOperations: readonly Refused[] = [
  ['an unknown member', 400, member('add', 99)],
  ['an array of members', 400, member('add', [{ value: 2 }])],
  ['a member id as text', 400, member('add', '2')],
  ['replace for members', 400, member('replace', 2)],
  ['remove for the name', 400, { op: 'remove', path: 'displayName' }],
  ['a path with a filter', 400, { op: 'remove', path: 'members[value eq "2"]' }],
  ['a name that is taken', 409, { op: 'add', path: 'displayName', value: 'Group 002' }],
];
const given = replace('name.givenName', 'Eve');

test.each([
  ...users.map((row) => [...row, `POST ${USERS}`] as const),
  ...groups.map((row) => [...row, `POST ${GROUPS}`] as const),
  ['no operations', 400, {}, `PATCH ${USERS}/1`] as const,
  ...userOperations.map(([why, status, operation]) => {
    return [why, status, patch(given, operation), `PATCH ${USERS}/1`] as const;
  }),
  ...groupOperations.map(([why, status, operation]) => {
    return [why, status, patch(member('add', 3), operation), `PATCH ${GROUPS}/1`] as const;
  }),
])('%s is %i, and nothing is changed', async (_, status, body, request) => {
  const { call, sandbox } = await startForTest({ seed });
  const { service } = sandbox;
  const read = () => [service.users(), service.groups(), service.members('Group 001')];
  const before = read();
  const [method = '', path = ''] = request.split(' ');

  expect(await call(method, path, body)).toMatchObject({ status, body: '' });
  expect(read()).toEqual(before);
});
