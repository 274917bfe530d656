import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toMembers } from '../support/provider.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0';
const shape = { updateStatus: 204, updatable: ['active', 'name', 'userName', 'emails'] } as const;

describe('a service that answers updates without a body', () => {
  let bridge: TestBridge;
  beforeAll(async () => {
    const settings = { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' };
    bridge = await startTestBridge({ settings, sandbox: { shape } });
  });
  afterAll(() => bridge.stop());

  /** Operations of the calls that follow from a write. */
  async function listCalls(path: string, ...operations: JsonObject[]): Promise<string[]> {
    await bridge.untilSettled();
    const { calls } = bridge.sandbox;
    calls.reset();
    await bridge.patch(path, ...operations);
    await bridge.untilSettled();
    return calls.recent().map(({ operation }) => operation);
  }

  test.each([
    ['name.familyName', 'King', ['scim.updateUser', 'scim.getUser']],
    // No call shows the licence of one person.
    [`${EXTENSION}:User:appsPermissions`, 2, ['companyUsers.updateUser']],
    [`${EXTENSION}:User:temporarilyInactive`, true, ['companyUsers.updateUser']],
  ])(
    'is sent %s of a person once, and looked at where one look can tell',
    async (path, value, calls) => {
      const user = await bridge.addUser(`user-${path.replace(/\W/g, '')}`);

      expect(await listCalls(`/Users/${user}`, replace(path, value))).toEqual(calls);
    },
  );

  test.each([
    ['displayName', 'Aviators'],
    [`${EXTENSION}:Group:permissions`, 2],
    [`${EXTENSION}:Group:addToCardsAndSpacesEnabled`, true],
  ])('is sent %s of a group once, and looked at', async (path, value) => {
    const group = await bridge.addGroup(`Group with another ${path}`);

    const calls = await listCalls(`/Groups/${group}`, replace(path, value));
    expect(calls).toEqual(['groups.updateGroup', 'groups.getGroup']);
  });

  test('is sent members in a batch of a known form once', async () => {
    const ids = await bridge.addUsers(3);
    // The first batch shows that the service takes batches in this way.
    await bridge.addGroup('A group that teaches the form', ids);
    const group = await bridge.addGroup('Pilots');

    const value = toMembers(ids);
    const calls = await listCalls(`/Groups/${group}`, { op: 'add', path: 'members', value });
    expect(calls).toEqual(['scim.updateGroup']);
  });
});

test('an update of a group whose answer lacks what was sent is looked at once', async () => {
  const sandbox = await forTest(startSandbox());
  const proxy = await forTest(tamperWith(sandbox, 'PATCH'));
  const settings = { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' };
  const bridge = await forTest(startTestBridge({ settings, service: proxy.service }));
  const id = await bridge.addGroup('Pilots');
  await bridge.untilSettled();
  sandbox.calls.reset();
  proxy.setTamper((_url, body) => ({ ...Object(body), permissions: undefined }));

  const ask = replace(`${EXTENSION}:Group:permissions`, 2);
  await bridge.patch(`/Groups/${id}`, ask);
  await bridge.untilSettled();

  const { calls } = sandbox;
  expect(calls.count({ operation: 'groups.updateGroup' })).toBe(1);
  expect(calls.count({ operation: 'groups.getGroup' })).toBe(1);
  expect(calls.count({})).toBe(2);
});
