import { expect, inject, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { startTestBridge } from '../support/bridge.ts';
import { readBridge, readService } from '../support/company.ts';
import { forTest } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';
import { takeStore } from '../support/take-store.ts';
import { tamperWith } from '../support/tampering-proxy.ts';
import { startTimedBridge } from '../support/timed-bridge.ts';

const PAGE = 10;
const settings = { UPSTREAM_PAGE_SIZE: `${PAGE}` };
const seed = { users: 12, groups: 6, membersPerGroup: 3 };
/** One call for our own account, two lists of people and two of groups, and one call to prove each end. */
const CALLS_MAX = 1 + 2 * Math.ceil((seed.users + 1) / PAGE) + 2 + 4;
/** Longer than a closed section is left alone. */
const RECHECK_MS = 6 * 60_000;

const shapes: {
  why: string;
  shape: SandboxShapeChange | 'narrowest' | 'generous';
  /** Calls beyond the least. */
  extra?: number;
}[] = [
  { why: 'the narrowest', shape: 'narrowest' },
  { why: 'the most generous', shape: 'generous' },
  {
    why: 'a list without members',
    shape: { listCarriesMembers: false, groupId: 'own' },
    extra: seed.groups,
  },
  { why: 'a group list that repeats its page', shape: { offsetIgnoredBy: ['groups'] } },
];

test.each(shapes)(
  'finds everybody and everything in the fewest calls: $why',
  async ({ shape, extra }) => {
    const bridge = await forTest(startTestBridge({ settings, sandbox: { shape, seed } }));
    expect(bridge.sandbox.calls.count()).toBeLessThanOrEqual(CALLS_MAX + (extra ?? 0));
    expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(await readBridge(bridge)).toEqual(readService(bridge.sandbox));
  },
);

test('groups that are open later are read then', async () => {
  const { bridge, clock } = await forTest(
    startTimedBridge({ sandbox: { seed }, prepare: ({ faults }) => faults.refuse('groups', 403) }),
  );
  const closed = await bridge.request('GET', '/Groups');
  bridge.sandbox.faults.allow('groups');

  await expect
    .poll(async () => {
      clock.leap(RECHECK_MS);
      return (await bridge.request('GET', '/Groups')).status;
    })
    .toBe(200);

  expect(closed.status).toBe(503);
  expect(await readBridge(bridge)).toEqual(readService(bridge.sandbox));
});

test('a store is used for one company: where another one answers, nothing is read and nothing is changed', async () => {
  const sandbox = await forTest(startSandbox({ seed: { users: 3 } }));
  const proxy = await forTest(tamperWith(sandbox));
  const store = await takeStore(inject('engine'));
  onTestFinished(store.giveBack);
  const settings = { DATABASE_URL: store.url };
  const first = await startTestBridge({ service: proxy.service, settings });
  await first.stop();

  proxy.setTamper((_, body) => withOtherCompany(body));
  sandbox.calls.reset();
  const second = await forTest(
    startTestBridge({
      ...{ service: proxy.service, settings, awaitsFirstRead: false },
    }),
  );
  await expect.poll(() => sandbox.calls.count()).toBe(1);
  await second.request('POST', '/Users', toUser('ada'));

  expect(sandbox.calls.count()).toBe(1);
});

test('a restart repeats the lists that were being read, and no other', async () => {
  const sandbox = await forTest(startSandbox({ seed }));
  const store = await takeStore(inject('engine'));
  onTestFinished(store.giveBack);
  const own = { service: sandbox, settings: { ...settings, DATABASE_URL: store.url } };
  const hang = sandbox.faults.add({ operation: 'scim.getGroups', fault: { kind: 'hang' } });
  const first = await startTestBridge({ ...own, awaitsFirstRead: false });
  await hang.until(1);
  sandbox.faults.clear();
  await first.stop();

  sandbox.calls.reset();
  const second = await forTest(startTestBridge(own));

  expect(sandbox.calls.count({ operation: 'scim.getUsers' })).toBe(0);
  expect(await readBridge(second)).toEqual(readService(sandbox));
});

/** The body with another company in every object. */
function withOtherCompany(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(/"company_id":\d+/g, '"company_id":4711'));
}
