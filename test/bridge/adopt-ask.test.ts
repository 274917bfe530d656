import { expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';

const PERSON = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'user00001@example.com',
};
const GROUP = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName: 'Group 001',
};

test('an account or group that an operator has to decide about is refused, recorded once and left alone', async () => {
  const options = {
    settings: { USERS_ADOPT: 'ask', GROUPS_ADOPT: 'ask' },
    sandbox: { seed: { users: 1, groups: 1 } },
  };
  const bridge = await forTest(startTestBridge(options));
  const { request, sandbox } = bridge;
  sandbox.calls.reset();
  for (const [path, body] of [
    ['/Users', PERSON],
    ['/Groups', GROUP],
  ] as const) {
    for (const _ of [1, 2]) {
      const answer = await request('POST', path, body);
      expect(answer.status).toBe(409);
      expect(answer.body.scimType).toBe('uniqueness');
      expect(answer.body.detail).toContain('An operator has to decide');
    }
  }
  const { body } = await bridge.ops('GET', '/status');
  const disputes: { type: string; count: number }[] = Object(body.disputes);
  expect(disputes.map(({ type, count }) => `${type} ${count}`).toSorted()).toEqual([
    'group 2',
    'user 2',
  ]);
  expect(sandbox.calls.count({ mutating: true })).toBe(0);
});
