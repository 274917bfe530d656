import { describe, expect, test } from 'vitest';
import type { TestSandbox } from './sandbox-test-support.ts';
import { startForTest } from './sandbox-test-support.ts';
import type { SandboxShapeChange } from './shape.ts';

/** A sandbox with Ada (2) and Boris (3); Boris alone is in Group 001. */
async function start(shape: SandboxShapeChange): Promise<TestSandbox> {
  const running = await startForTest({ seed: { users: 2 }, shape });
  const { service } = running.sandbox;
  service.createGroup({ name: 'Group 001' });
  service.link('Group 001', 3);
  return running;
}

const users = '/scim/v2/Users';
const groups = '/scim/v2/Groups';
const companyUsers = '/api/latest/company/users';
const auditLogs = '/api/latest/audit-logs';
const kim = { emails: [{ value: 'kim@example.com' }] };
const patch = (...Operations: unknown[]) => ({ Operations });
const add = (value: unknown) => ({ op: 'add', path: 'members', value });
const deactivate = patch({ op: 'replace', path: 'active', value: false });
const gone = { status: 404 };
const withoutMembers = expect.not.objectContaining({ members: expect.anything() });

type Step = readonly [method: string, path: string, body: unknown, want: object];

const get = (path: string, want: object): Step => ['GET', path, undefined, want];
const post = (body: unknown, status: number, want?: object): Step => {
  return ['POST', want === undefined ? users : groups, body, { status, ...want }];
};
const change = (path: string, body: unknown, want: object): Step => ['PATCH', path, body, want];
const [ada, boris, group] = [`${users}/2`, `${users}/3`, `${groups}/1`];
const refused = { status: 400 };
const logs = (query: string, ...body: unknown[]) => get(`${auditLogs}${query}`, { body });
const toUserName = { op: 'replace', path: 'userName', value: 'Kim@Example.com' };
const toEmails = { op: 'replace', path: 'emails', value: kim.emails };
const isKim = { userName: 'kim@example.com', emails: [{ value: 'kim@example.com' }] };
const take = (path: string, value: unknown) =>
  change(ada, patch({ op: 'add', path, value }), { status: 409 });

const cases: readonly (readonly [shape: SandboxShapeChange, ...steps: Step[]])[] = [
  [
    { userId: 'string' },
    get(ada, { body: { id: '2' } }),
    get(group, { body: { members: [{ value: '3' }] } }),
  ],
  [{ emailsAccepted: 'strings' }, get(ada, { body: { emails: ['user00001@example.com'] } })],
  [{ createUserName: 'refused' }, post({ ...kim, userName: 'kim' }, 400), post(kim, 201)],
  [{ emailsAccepted: 'objects' }, post({ emails: ['kim@example.com'] }, 400), post(kim, 201)],
  [
    { updatable: ['active', 'name', 'userName', 'emails'] },
    change(ada, patch(toUserName, toEmails), { body: isKim }),
    take('userName', 'owner'),
    take('emails', ['owner@example.com']),
  ],
  [
    { memberPatch: 'array' },
    change(group, patch(add([{ value: 1 }, { value: 2 }])), { body: { members: [{}, {}, {}] } }),
    change(group, patch(add(2)), refused),
  ],
  [
    { memberPatch: 'one-operation-per-request' },
    change(group, patch(add(1), add(2)), refused),
    change(group, patch(add(2)), { body: { members: [{ value: 3 }, { value: 2 }] } }),
  ],
  [
    { memberPatch: 'none' },
    change(group, patch(add(2)), refused),
    change(group, patch({ op: 'add', path: 'displayName', value: 'Sales' }), { status: 200 }),
  ],
  [{ filter: 'ignored' }, get(`${users}?filter=nonsense`, { body: { totalResults: 3 } })],
  [{ errorBody: 'empty' }, get('/api/latest/company/groups?limit=x', { ...refused, body: '' })],
  [{ errorBody: 'html' }, get(`${users}/99`, { ...gone, body: expect.stringContaining('<html>') })],
  [
    { pages: { scimUsers: { default: 1, max: 2 }, auditLogs: { default: 1, max: null } } },
    get(users, { body: { totalResults: 3, Resources: [{ id: 1 }] } }),
    get(`${users}?count=100`, { body: { Resources: [{}, {}] } }),
    logs('', {}),
    logs('?limit=1000', {}, {}),
    get(groups, { body: { totalResults: 1 } }),
  ],
  [
    { offsetIgnoredBy: ['scimUsers', 'companyUsers'] },
    get(`${users}?startIndex=3`, { body: { startIndex: 3, Resources: [{ id: 1 }, {}, {}] } }),
    get(`${companyUsers}?offset=2`, { body: [{ id: 1 }, {}, {}] }),
  ],
  [{ auditOrder: 'asc' }, logs('?limit=1', { action: 'create' })],
  [
    { auditDetails: 'string' },
    logs('?limit=1', { details: expect.stringContaining('"user_id":3') }),
  ],
  [
    { inactiveMembers: 'refused' },
    change(ada, deactivate, { status: 200 }),
    change(boris, deactivate, { body: { groups: [{ value: 1 }] } }),
    change(group, patch(add(2)), refused),
  ],
  [
    { inactiveMembers: 'dropped' },
    change(boris, deactivate, { body: { groups: [] } }),
    logs('?limit=2', { action: 'delete_user' }, { action: 'deactivate' }),
    change(group, patch(add(3)), refused),
  ],
  [{ uniqueGroupNames: 'nowhere' }, post({ displayName: 'Group 001' }, 200, { body: { id: '2' } })],
  [{ changeStatus: 204 }, change(ada, deactivate, { status: 204, body: '' })],
  [
    { listCarriesMembers: false },
    change(group, patch(add(2)), { status: 200, body: withoutMembers }),
    get(groups, { body: { Resources: [withoutMembers] } }),
  ],
];

describe('each field of the shape shows', () => {
  for (const [shape, ...steps] of cases) {
    test(JSON.stringify(shape), async () => {
      const { call } = await start(shape);
      for (const [method, path, body, want] of steps)
        expect(await call(method, path, body)).toMatchObject(want);
    });
  }
});

for (const groupId of ['uid', 'own'] as const) {
  test(`{"groupId":"${groupId}"}: SCIM goes by that id and by no other`, async () => {
    const { call, sandbox } = await start({ groupId });
    const { uid } = sandbox.service.getGroup('Group 001');
    const id = groupId === 'uid' ? uid : 'scim-1';
    expect(await call('GET', `${groups}/${id}`)).toMatchObject({ body: { id, members: [{}] } });
    expect(await call('GET', `${users}/3`)).toMatchObject({ body: { groups: [{ value: id }] } });
    for (const other of ['1', groupId === 'uid' ? 'scim-1' : uid])
      expect(await call('GET', `${groups}/${other}`)).toMatchObject(gone);
  });
}

test('{"creatorBecomesAdmin":true}: the creator is an admin', async () => {
  const { call, sandbox } = await start({ creatorBecomesAdmin: true });
  await call('POST', groups, { displayName: 'B' });
  expect(sandbox.service.admins('B')).toEqual(['owner@example.com']);
});
