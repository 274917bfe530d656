import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import type { Section } from '../../src/upstream/operations/operation.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { readBridge, readService } from '../support/company.ts';
import { failing, HANGING } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { toObjects } from '../support/operator.ts';
import { toGroup, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/take-store.ts';
import { leaveOut, tamperWith } from '../support/tampering-proxy.ts';
import { startTimedBridge } from '../support/timed-bridge.ts';

const PAGE = 10;
const settings = { UPSTREAM_PAGE_SIZE: `${PAGE}` };
const seed = { users: 12, groups: 6, membersPerGroup: 3 };
/** One call for our own account, two lists of people and two of groups, and one call to prove each end. */
const CALLS_MAX = 1 + 2 * Math.ceil((seed.users + 1) / PAGE) + 2 + 4;
const RECHECK_MS = 6 * 60_000;

type Shape = SandboxShapeChange | 'narrowest' | 'generous';

test.each<[why: string, shape: Shape, callsBeyondTheLeast: number]>([
  ['the narrowest', 'narrowest', 0],
  ['the most generous', 'generous', 0],
  ['a list without members', { listCarriesMembers: false, groupId: 'own' }, seed.groups],
  ['a group list that repeats its page', { offsetIgnoredBy: ['groups'] }, 0],
])('finds everybody and everything in the fewest calls: %s', async (_, shape, extra) => {
  const bridge = await bridgeForTest({ settings, sandbox: { shape, seed } });
  expect(bridge.sandbox.calls.count()).toBeLessThanOrEqual(CALLS_MAX + extra);
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
  expect(await readBridge(bridge)).toEqual(readService(bridge.sandbox));
});

test('groups that are open later are read then', async () => {
  const prepare = ({ faults }: Sandbox) =>
    void faults.add({ operation: 'groups', fault: failing(403) });
  const { bridge, clock } = await forTest(startTimedBridge({ sandbox: { seed }, prepare }));
  const closed = await bridge.request('GET', '/Groups');
  bridge.sandbox.faults.clear();

  const readLater = async () => {
    clock.leap(RECHECK_MS);
    return (await bridge.request('GET', '/Groups')).status;
  };
  await expect.poll(readLater).toBe(200);

  expect(closed.status).toBe(503);
  expect(await readBridge(bridge)).toEqual(readService(bridge.sandbox));
});

test('a group that one interface alone shows is read beside the others', async () => {
  const proxy = await forTest(tamperWith(await forTest(startSandbox({ seed }))));
  proxy.setTamper(leaveOut('/company/groups', 1));
  const bridge = await bridgeForTest({ service: proxy.service });

  expect(await bridge.list('/Groups')).toHaveLength(seed.groups);
});

test('a restart in the middle begins anew, and finds everybody', async () => {
  const sandbox = await forTest(startSandbox({ seed }));
  const own = { service: sandbox, settings: { ...settings, DATABASE_URL: await makeStoreUrl() } };
  const hang = sandbox.faults.add({ operation: 'scim.getGroups', fault: HANGING });
  const first = await startTestBridge({ ...own, awaitsFirstRead: false });
  await hang.until(1);
  sandbox.faults.clear();
  await first.stop();

  const second = await bridgeForTest(own);

  expect(await readBridge(second)).toEqual(readService(sandbox));
});

test('the first read ends though people come and go with every page, and nobody who stayed is left out', async () => {
  const sandbox = await forTest(startSandbox());
  const { service } = sandbox;
  // The service deletes virtual accounts alone; they come first in its lists.
  const toEmail = (n: number) => `virtual${n}@example.com`;
  for (let n = 1; n <= 60; n += 1) service.addUser({ email: toEmail(n), virtual: true });
  service.seed({ users: 100 });
  const proxy = await forTest(tamperWith(sandbox));
  let pages = 0;
  proxy.setTamper(({ pathname }, body) => {
    if (!pathname.endsWith('/scim/v2/Users')) return body;
    pages += 1;
    service.removeUser(toEmail(pages));
    if (pages % 3 > 0) service.addUser({ email: `new${pages}@example.com` });
    if (pages % 3 > 1) service.addUser({ email: `other${pages}@example.com` });
    return body;
  });

  const bridge = await bridgeForTest({
    service: proxy.service,
    settings: { UPSTREAM_PAGE_SIZE: '20' },
  });

  const shown = await bridge.list('/Users?count=1000');
  const names = new Set(shown.map(({ userName }) => String(userName).split('@')[0]));
  const stayed = service.users().filter(({ email }) => /^(user|virtual)/.test(email));
  expect(stayed.filter(({ email }) => !names.has(email.split('@')[0]))).toEqual([]);
  expect(stayed.length).toBeGreaterThan(100);
  expect(pages).toBeLessThan(3 * (160 / 20));
});

test('until the first read is finished nothing is "not found": 503 with Retry-After, then everything is served', async () => {
  const bridge = await bridgeForTest({
    awaitsFirstRead: false,
    sandbox: { seed: { users: 3, groups: 1 } },
    prepare: ({ faults }) => void faults.add({ operation: 'scim.getGroups', fault: HANGING }),
  });
  const answers = [
    await bridge.request('GET', '/Users'),
    await bridge.request('GET', '/Users/no-such-id'),
    await bridge.request('POST', '/Users', toUser('ada')),
    await bridge.request('POST', '/Groups', toGroup('Pilots')),
    await bridge.request('POST', '/.search', { filter: 'id pr' }),
    await bridge.request('POST', '/Bulk', { Operations: [] }),
  ];
  const ready = await bridge.readReadiness();
  const health = await bridge.request('GET', new URL('/healthz', bridge.baseUrl).href);
  const config = await bridge.request('GET', '/ServiceProviderConfig');
  bridge.sandbox.faults.clear();
  await expect.poll(() => bridge.bridge.leadership.news().firstRead).toBeNull();

  for (const { status, headers } of answers) {
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(ready.status).toBe(503);
  expect(toObjects(ready.body.reasons)).toMatchObject([{ code: 'first-read' }]);
  expect([health.status, config.status]).toEqual([200, 200]);
  expect((await bridge.readReadiness()).status).toBe(200);
  expect(await bridge.list('/Users')).toHaveLength(4);
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
});

test.each<[Section, users: number, groups: number]>([
  ['groups', 200, 503],
  ['admins', 200, 200],
])('a service that refuses %s closes nothing else', async (section, users, groups) => {
  const bridge = await bridgeForTest({
    prepare: ({ faults }) => void faults.add({ operation: section, fault: failing(402) }),
  });
  const listed = [await bridge.request('GET', '/Users'), await bridge.request('GET', '/Groups')];
  const ready = await bridge.readReadiness();

  expect(listed.map(({ status }) => status)).toEqual([users, groups]);
  for (const { status, body } of listed)
    if (status === 503) expect(body.detail).toMatch(/not-permitted|refuse|does not let/);
  expect(ready.status).toBe(200);
});

test('while the service is down writes are accepted, and /readyz stays 200 and says why', async () => {
  const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '20ms' } });
  bridge.sandbox.faults.add({ operation: '*', fault: failing(503) });

  const ids = await bridge.addUsers(12);
  await expect.poll(bridge.listReasons).toContain('service-down');

  expect(new Set(ids).size).toBe(12);
  expect(await bridge.readReadiness()).toMatchObject({ status: 200, body: { status: 'degraded' } });
  expect(await bridge.list('/Users')).toHaveLength(13);
});
