import { describe, expect, test } from 'vitest';
import type { Section } from '../../src/sandbox/operations.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { type TestAnswer, toGroup, toUser } from '../support/provider.ts';

function ask(bridge: TestBridge, path: '/readyz' | '/healthz'): Promise<TestAnswer> {
  return bridge.request('GET', new URL(path, bridge.baseUrl).href);
}

function listReasons({ body }: TestAnswer): unknown[] {
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}

test('until the first read is finished nothing is "not found": 503 with Retry-After, then everything is served', async () => {
  const bridge = await forTest(
    startTestBridge({
      awaitsFirstRead: false,
      sandbox: { seed: { users: 3, groups: 1 } },
      prepare: ({ faults }) =>
        void faults.add({ operation: 'scim.getGroups', fault: { kind: 'hang' } }),
    }),
  );
  const answers = [
    await bridge.request('GET', '/Users'),
    await bridge.request('GET', '/Users/no-such-id'),
    await bridge.request('POST', '/Users', toUser('ada')),
    await bridge.request('POST', '/Groups', toGroup('Pilots')),
    await bridge.request('POST', '/.search', { filter: 'id pr' }),
  ];
  const ready = await ask(bridge, '/readyz');
  const [health, config] = [
    await ask(bridge, '/healthz'),
    await bridge.request('GET', '/ServiceProviderConfig'),
  ];
  bridge.sandbox.faults.clear();
  await expect
    .poll(() => bridge.bridge.leadership.news().firstRead.kind, { interval: 5 })
    .toBe('finished');

  for (const { status, headers } of answers) {
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(ready.status).toBe(503);
  expect(listReasons(ready)).toEqual(['first-read']);
  expect([health.status, config.status]).toEqual([200, 200]);
  expect((await ask(bridge, '/readyz')).status).toBe(200);
  expect(await bridge.list('/Users')).toHaveLength(4);
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
});

const sections: { section: Section; users: number; groups: number }[] = [
  { section: 'groups', users: 200, groups: 503 },
  { section: 'admins', users: 200, groups: 200 },
];

for (const { section, users, groups } of sections) {
  test(`a service that refuses ${section} closes nothing else`, async () => {
    const bridge = await forTest(
      startTestBridge({ prepare: ({ faults }) => faults.refuse(section, 402) }),
    );
    const listed = [await bridge.request('GET', '/Users'), await bridge.request('GET', '/Groups')];
    const ready = await ask(bridge, '/readyz');

    expect(listed.map(({ status }) => status)).toEqual([users, groups]);
    for (const { status, body } of listed) {
      if (status === 503) expect(body.detail).toMatch(/not-permitted|refuse|does not let/);
    }
    expect(ready.status).toBe(200);
  });
}

test('while the service is down writes are accepted, and /readyz stays 200 and says why', async () => {
  const bridge = await forTest(startTestBridge({ settings: { SCIM_WRITE_WAIT: '20ms' } }));
  bridge.sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });

  const ids = await bridge.addUsers(12);
  await expect
    .poll(async () => listReasons(await ask(bridge, '/readyz')))
    .toContain('service-down');

  expect(new Set(ids).size).toBe(12);
  expect(await ask(bridge, '/readyz')).toMatchObject({
    status: 200,
    body: { status: 'degraded' },
  });
  expect(await bridge.list('/Users')).toHaveLength(13);
});

describe('names and versions', () => {
  const openStore = () => forTest(startTestBridge());

  const pairs = [
    {
      what: 'capitals beyond ASCII',
      first: '\u00fcmit@example.com',
      second: '\u00dcMIT@example.com',
    },
  ];
  for (const { what, first, second } of pairs) {
    test(`names are the same to everybody, whatever their ${what}`, async () => {
      const bridge = await openStore();
      const id = await bridge.addUser('ada', { userName: first });

      const again = await bridge.request('POST', '/Users', toUser('bob', { userName: second }));
      const query = new URLSearchParams({ filter: `userName eq "${second}"` });
      const found = await bridge.list(`/Users?${query}`);

      expect(again.status).toBe(409);
      expect(found).toMatchObject([{ id, userName: first }]);
    });
  }
});
