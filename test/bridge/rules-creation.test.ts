import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { toGroup, toUser } from '../support/provider.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

// More people than a page of the service has.
const bridge = bridgeForSuite({ sandbox: { seed: { users: 110 } } });
const LOST = { kind: 'reset', at: 'after-effect' } as const;
const CUT = { kind: 'reset', at: 'before-effect' } as const;

afterEach(() => {
  bridge.sandbox.faults.clear();
  bridge.sandbox.setShape({ filter: 'honoured' });
});

function listAddresses({ sandbox }: TestBridge): string[] {
  return sandbox.service.users().map(({ email }) => email);
}

function listNew(before: readonly string[]): string[] {
  return listAddresses(bridge).filter((address) => !before.includes(address));
}

test.each(['ignored', 'refused'] as const)(
  'a lost create is looked up before another is sent, in a service by which filters are %s',
  async (filter) => {
    const { calls, faults, service, setShape } = bridge.sandbox;
    setShape({ filter });
    faults.add({ operation: 'scim.addUser', fault: LOST, times: 1 });
    calls.reset();

    await bridge.settled(bridge.addUser(filter));

    expect(calls.count({ operation: 'scim.addUser' })).toBe(1);
    expect(service.getUser(`${filter}@example.com`).fullName).toMatch(/ Example$/);
  },
);

test('a group that a list shows and nobody finds any more is looked for again', async () => {
  const { faults, service, calls } = bridge.sandbox;
  faults.add({ operation: 'groups.createGroup', fault: LOST, times: 1 });
  faults.add({ operation: 'groups.getGroup', fault: failing(404), times: 1 });
  calls.reset();

  const created = await bridge.settled(bridge.request('POST', '/Groups', toGroup('Pilots')));

  expect(created.status).toBe(201);
  expect(service.groups().map(({ name }) => name)).toEqual(['Pilots']);
  expect(calls.count({ operation: 'groups.createGroup' })).toBe(1);
});

test('a person is created again only after a list that proves that nobody is there', async () => {
  const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '100ms' } });
  const { faults, calls } = bridge.sandbox;
  faults.add({ operation: 'scim.addUser', fault: CUT, times: 1 });
  const blind = faults.add({ operation: 'scim.getUsers', fault: failing(403) });

  await bridge.addUser('ada');
  await blind.until(1);
  const createsWhileBlind = calls.count({ operation: 'scim.addUser' });
  blind.remove();
  await bridge.untilSettled();

  expect(createsWhileBlind).toBe(1);
  expect(listAddresses(bridge)).toEqual(['owner@example.com', 'ada@example.com']);
});

test('a service whose filter minds the case is not believed: a list proves that nobody is there', async () => {
  const sandbox = await forTest(startSandbox({ seed: { users: 3 } }));
  const proxy = await forTest(tamperWith(sandbox));
  proxy.setTamper((url, body) => {
    const isOther = /"[A-Z]/.test(url.searchParams.get('filter') ?? '');
    return isOther ? { ...Object(body), Resources: [], totalResults: 0 } : body;
  });
  const careful = await bridgeForTest({ service: proxy.service });
  sandbox.faults.add({ operation: 'scim.addUser', fault: CUT, times: 1 });
  sandbox.calls.reset();

  await careful.settled(careful.addUser('ada'));

  const asked = sandbox.calls.recent().map(({ path }) => path);
  expect(asked).toContainEqual(expect.stringMatching(/Users\?startIndex=1&count=100$/));
});

test('an account is created with the primary e-mail address, else the one of type work, else the first, else the userName', async () => {
  const before = listAddresses(bridge);
  const primary = { value: 'primary@example.com', primary: true };
  const work = { value: 'work@example.com', type: 'work' };
  const home = { value: 'home@example.com', type: 'home' };
  const create = (userName: string, ...emails: JsonObject[]) =>
    bridge.send('POST', '/Users', { userName, ...(emails.length > 0 && { emails }) });
  await create('amy', { ...work, value: 'w@example.com' }, home, primary);
  await create('ben', { ...home, value: 'h@example.com' }, work);
  await create('cyd', home, { value: 'b@c.example' });
  await create('dan@example.com');

  expect(listNew(before)).toEqual([...[primary.value, work.value, home.value, 'dan@example.com']]);
});

test('without any e-mail address a user is the bridge’s own, shown as waiting, until one comes', async () => {
  const { calls, service } = bridge.sandbox;
  calls.reset();
  const { body } = await bridge.send('POST', '/Users', { schemas: [], userName: 'nemo' });
  await bridge.settled(bridge.addGroup('Nautilus', [String(body.id)]));
  const waiting = [(await bridge.ops('GET', `/users/${body.id}/explain`)).body.fields]
    .flat()
    .map(Object)
    .filter(({ standing }) => standing === 'pending');
  const kept = (await bridge.ops('GET', '/requests?limit=10')).text;

  expect(body).toMatchObject({ userName: 'nemo', active: true });
  expect(waiting.map(({ field }) => field)).toEqual(['account', 'address']);
  expect(kept).toContain('address-missing');
  expect(calls.count({ operation: 'scim.addUser' })).toBe(0);

  const emails = { op: 'add', path: 'emails', value: [{ value: 'nemo@example.com' }] };
  await bridge.settled(bridge.patch(`/Users/${body.id}`, emails));
  expect(service.getUser('nemo@example.com')).toMatchObject({ active: true });
  expect(service.members('Nautilus')).toEqual(['nemo@example.com']);
});

test('20 creates of 10 people at the same time make 10 accounts, and the others are told that the name is taken', async () => {
  const before = listAddresses(bridge);
  const names = Array.from({ length: 20 }, (_, index) => `person${(index % 10) + 1}`);

  const create = (name: string) => bridge.request('POST', '/Users', toUser(name));
  const answers = await Promise.all(names.map(create));
  await bridge.untilSettled();

  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
  expect(listNew(before)).toHaveLength(10);
});
