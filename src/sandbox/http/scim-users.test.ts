import { describe, expect, test } from 'vitest';
import { startForTest } from '../sandbox-test-support.ts';

const ann = {
  userName: 'ann',
  name: { givenName: 'Ann', familyName: 'Bee Cee' },
  emails: [{ value: 'Ann@Example.com', type: 'work' }],
};
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const patch = (...Operations: unknown[]) => ({ Operations });

describe('scim.addUser', () => {
  test('answers 201 with the documented fields, the address in lower case', async () => {
    const { call, sandbox } = await startForTest({ clock: () => Date.UTC(2026, 0, 2) });
    const { status, body } = await call('POST', '/scim/v2/Users', ann);
    expect(status).toBe(201);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      meta: {
        resourceType: 'User',
        created: '2026-01-02T00:00:00.000Z',
        lastModified: '2026-01-02T00:00:00.000Z',
        location: `${sandbox.url}/scim/v2/Users/2`,
      },
      id: 2,
      name: { givenName: 'Ann', familyName: 'Bee Cee' },
      userName: 'ann',
      active: true,
      emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
    });
    expect(sandbox.service.findUser('ann@example.com')?.fullName).toBe('Ann Bee Cee');
  });

  const refused = [
    { why: 'no addresses', body: { userName: 'x' }, status: 400 },
    { why: 'no address', body: { emails: ['nobody'] }, status: 400 },
    {
      why: 'a user name that is too long',
      body: { ...ann, userName: 'x'.repeat(129) },
      status: 400,
    },
    { why: 'an array as body', body: [ann], status: 400 },
    { why: 'an address that is taken', body: { emails: ['OWNER@example.com'] }, status: 409 },
    { why: 'a user name that is taken', body: { ...ann, userName: 'Owner' }, status: 409 },
  ];
  for (const { why, body, status } of refused) {
    test(`${why} answers ${status} without a body and adds nobody`, async () => {
      const { call, sandbox } = await startForTest();
      expect(await call('POST', '/scim/v2/Users', body)).toMatchObject({ status, body: '' });
      expect(sandbox.service.users()).toHaveLength(1);
    });
  }
});

describe('scim.updateUser', () => {
  const names: readonly (readonly [why: string, operation: unknown, want: string])[] = [
    ['replaces both parts', replace('name', { givenName: 'A', familyName: 'B' }), 'A B'],
    ['replaces all by one part', replace('name', { givenName: 'A' }), 'A'],
    ['removes a part', { op: 'remove', path: 'name.familyName' }, 'Olivia'],
  ];
  for (const [why, operation, want] of names) {
    test(`${why}: ${want}`, async () => {
      const { call, sandbox } = await startForTest();
      expect((await call('PATCH', '/scim/v2/Users/1', patch(operation))).status).toBe(200);
      expect(sandbox.service.owner.fullName).toBe(want);
    });
  }

  test('deactivates, and changes several things in one call', async () => {
    const { call } = await startForTest({ seed: { users: 1 } });
    const operations = patch(replace('active', false), replace('name.givenName', 'Eve'));
    const { body } = await call('PATCH', '/scim/v2/Users/2', operations);
    expect(body).toMatchObject({ active: false, name: { givenName: 'Eve' }, groups: [] });
  });

  const refused: { why: string; body: { Operations?: unknown[] } }[] = [
    { why: 'no operations', body: {} },
    { why: 'an unknown op', body: patch({ op: 'Replace', path: 'active', value: false }) },
    { why: 'no path', body: patch({ op: 'replace', value: { active: false } }) },
    { why: 'text for active', body: patch(replace('active', 'false')) },
    { why: 'userName', body: patch(replace('userName', 'other')) },
    { why: 'an unknown attribute', body: patch(replace('title', 'Dr')) },
    { why: 'a part that a name does not have', body: patch(replace('name.formatted', 'A B')) },
  ];
  for (const { why, body } of refused) {
    test(`${why} answers 400 and nothing of the call is applied`, async () => {
      const { call, sandbox } = await startForTest();
      const before = sandbox.service.owner;
      const operations = [replace('name.givenName', 'Eve'), ...(body.Operations ?? [])];
      const whole = body.Operations?.length ? { Operations: operations } : body;
      expect((await call('PATCH', '/scim/v2/Users/1', whole)).status).toBe(400);
      expect(sandbox.service.owner).toEqual(before);
    });
  }
});
