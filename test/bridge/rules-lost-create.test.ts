import { describe, expect, test } from 'vitest';
import type { TestAnswer, TestBridge } from '../support/bridge.ts';
import { listResources, readWork, send, toGroup, toPatch, toUser } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, untilSwept } from '../support/sweep.ts';
import {
  type TimedBridge,
  untilEnded,
  untilQuiet,
  withTimedBridge,
} from '../support/timed-bridge.ts';

const ada = 'ada@example.com';
const SECONDS_MS = 30_000;
const refused = { kind: 'status', status: 400, body: 'message' } as const;
const lost = { kind: 'reset', at: 'before-effect' } as const;

/** The answer to the first create is lost, and whatever follows is refused. */
function loseThenRefuse({ sandbox: { faults } }: TestBridge) {
  for (const operation of ['scim.addUser', 'groups.createGroup'] as const) {
    faults.add({ operation, fault: lost, times: 1 });
    faults.add({ operation, fault: refused });
  }
}

/** A POST of ada, and one of the Pilots, of which the service loses one answer and refuses the next. */
async function postInVain(timed: TimedBridge): Promise<TestAnswer[]> {
  const { bridge } = timed;
  loseThenRefuse(bridge);
  const posts = [
    bridge.request('POST', '/Users', toUser('ada')),
    bridge.request('POST', '/Groups', toGroup('Pilots')),
  ];
  const answers = await untilEnded(timed, Promise.all(posts));
  bridge.sandbox.faults.clear();
  return answers;
}

/** The creates that were lost arrive after all. */
function arriveLate({ sandbox: { service } }: TestBridge) {
  service.addUser({ email: ada, userName: ada, fullName: 'Ada Example' });
  service.createGroup({ name: 'Pilots' });
}

async function listShown(bridge: TestBridge): Promise<unknown[]> {
  const users = listResources(await send(bridge, 'GET', '/Users'));
  const groups = listResources(await send(bridge, 'GET', '/Groups'));
  return [...users.map(({ userName }) => userName), ...groups.map((group) => group.displayName)];
}

describe('a create whose answer was lost and that was refused then', () => {
  async function withBridge(run: (timed: TimedBridge) => Promise<void>): Promise<void> {
    const settings = { SCIM_WRITE_WAIT: '60s' };
    await withTimedBridge({ settings }, run);
  }

  test('is removed, or deactivated, where it arrives late, and is in no answer', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const { service } = bridge.sandbox;
      const answers = await postInVain(timed);
      const shown = await listShown(bridge);
      await untilQuiet(timed, SECONDS_MS);

      arriveLate(bridge);
      await untilQuiet(timed);

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(shown).toEqual(['owner']);
      expect(service.getUser(ada).active).toBe(false);
      expect(service.groups()).toEqual([]);
      expect(await listShown(bridge)).toEqual(['owner']);
    }));

  test('is looked for a bounded number of times', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      await postInVain(timed);

      await untilQuiet(timed);

      const { calls } = bridge.sandbox;
      expect(calls.count({ operation: 'scim.addUser', status: 400 })).toBeGreaterThan(0);
      expect(calls.count({ operation: 'groups.getListOfGroups' })).toBeLessThan(20);
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
    }));

  test('is taken over by the next POST of the name, which creates nobody twice', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const { service, calls } = bridge.sandbox;
      await postInVain(timed);
      await untilQuiet(timed, SECONDS_MS);
      arriveLate(bridge);
      calls.reset();

      const user = await bridge.request('POST', '/Users', toUser('ada'));
      const group = await bridge.request('POST', '/Groups', toGroup('Pilots'));
      await untilQuiet(timed);

      expect([user.status, group.status]).toEqual([201, 201]);
      expect(service.getUser(ada).active).toBe(true);
      expect(service.groups().map(({ name }) => name)).toEqual(['Pilots']);
      expect(calls.count({ mutating: true })).toBe(0);
    }));
});

describe('a create whose answer was lost before its resource was renamed', () => {
  async function withBridge(run: (timed: TimedBridge) => Promise<void>): Promise<void> {
    const settings = { SCIM_WRITE_WAIT: '50ms' };
    await withTimedBridge({ settings }, run);
  }

  /** Creates both, and gives them other names while nobody can look whether the creates arrived. */
  async function renameUnseen(timed: TimedBridge, at: 'before-effect' | 'after-effect') {
    const { bridge } = timed;
    const { faults } = bridge.sandbox;
    const creates = (['scim.addUser', 'groups.createGroup'] as const).map((operation) =>
      faults.add({ operation, fault: { kind: 'reset', at }, times: 1 }),
    );
    for (const operation of ['scim.getUsers', 'groups.getListOfGroups'] as const) {
      faults.add({ operation, fault: { kind: 'status', status: 503 } });
    }
    const user = await untilEnded(timed, bridge.request('POST', '/Users', toUser('ada')));
    const group = await untilEnded(timed, bridge.request('POST', '/Groups', toGroup('Pilots')));
    // On a busy machine the wait of a POST may be over before its call has left.
    for (const create of creates) await untilEnded(timed, create.until(1));
    const renamed = toPatch(
      { op: 'replace', path: 'userName', value: 'countess@example.com' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'countess@example.com' },
    );
    const called = toPatch({ op: 'replace', path: 'displayName', value: 'Flyers' });
    const patches = [
      bridge.request('PATCH', `/Users/${user.body.id}`, renamed),
      bridge.request('PATCH', `/Groups/${group.body.id}`, called),
    ];
    const answers = await untilEnded(timed, Promise.all(patches));
    faults.clear();
    return [user, group, ...answers].map(({ status }) => status);
  }

  test.each(['before-effect', 'after-effect'] as const)('exists once (%s)', (at) =>
    withBridge(async (timed) => {
      const { service, calls } = timed.bridge.sandbox;

      const statuses = await renameUnseen(timed, at);
      await untilQuiet(timed);

      expect(statuses).toEqual([201, 201, 200, 204]);
      expect(service.groups().map(({ name }) => name)).toEqual(['Flyers']);
      const people = service.users().filter(({ userName }) => userName !== 'owner');
      expect(people).toHaveLength(1);
      const created = at === 'after-effect' ? 1 : 2;
      expect(calls.count({ operation: 'groups.createGroup' })).toBe(created);
      expect(calls.count({ operation: 'scim.addUser' })).toBe(created);
      // The account that was found still has the address that it was created with.
      expect(calls.count({ operation: 'scim.updateUser' })).toBe(2 - created);
      expect(await readWork(timed.bridge)).toMatchObject({ due: 0, stuck: 0 });
    }),
  );

  test('is not taken from whoever got the name since', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const { service } = bridge.sandbox;
      await renameUnseen(timed, 'before-effect');

      await untilEnded(timed, bridge.request('POST', '/Groups', toGroup('Pilots')));
      await untilEnded(timed, bridge.request('POST', '/Users', toUser('ada')));
      await untilQuiet(timed);

      expect(
        service
          .groups()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(['Flyers', 'Pilots']);
      expect(service.users().map(({ email }) => email)).toEqual(
        expect.arrayContaining([ada, 'countess@example.com']),
      );
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
    }));
});

describe('what a lost create left, seen by a sweep before anybody could look', () => {
  async function withBridge(run: (timed: TimedBridge) => Promise<void>): Promise<void> {
    const own = { SCIM_WRITE_WAIT: '50ms' };
    await withTimedBridge({ settings: { ...SWEEP_SETTINGS, ...own } }, run);
  }

  /** Creates both, deletes them, and has everything read while looks fail. */
  async function deleteUnseen(timed: TimedBridge): Promise<void> {
    const { bridge } = timed;
    const { faults } = bridge.sandbox;
    for (const operation of ['scim.addUser', 'groups.createGroup'] as const) {
      faults.add({ operation, fault: { kind: 'reset', at: 'after-effect' }, times: 1 });
    }
    const fault = { kind: 'status', status: 503 } as const;
    faults.add({ operation: 'scim.getUsers', fault, about: 'filter' });
    faults.add({ operation: 'groups.getListOfGroups', fault });
    const user = await untilEnded(timed, bridge.request('POST', '/Users', toUser('ada')));
    const group = await untilEnded(timed, bridge.request('POST', '/Groups', toGroup('Pilots')));
    const deletions = [
      bridge.request('DELETE', `/Users/${user.body.id}`),
      bridge.request('DELETE', `/Groups/${group.body.id}`),
    ];
    const answers = await untilEnded(timed, Promise.all(deletions));
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    const { body } = await askOps(bridge, 'POST', '/sweeps', {});
    await untilEnded(timed, untilSwept(bridge, String(body.id)));
  }

  test('is taken over by the next POST of the name', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const { service, faults, calls } = bridge.sandbox;
      await deleteUnseen(timed);

      const again = [
        bridge.request('POST', '/Users', toUser('ada')),
        bridge.request('POST', '/Groups', toGroup('Pilots')),
      ];
      const answers = await untilEnded(timed, Promise.all(again));
      faults.clear();
      await untilQuiet(timed);

      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(service.getUser(ada).active).toBe(true);
      expect(service.groups().map(({ name }) => name)).toEqual(['Pilots']);
      expect(calls.count({ operation: 'scim.addUser' })).toBe(1);
      expect(calls.count({ operation: 'groups.createGroup' })).toBe(1);
      expect(await listShown(bridge)).toEqual(['owner', ada, 'Pilots']);
    }));
});

/** Creates ada and the Pilots, and gives them other names while the creates are on their way, which somebody else makes first. */
async function renameUnderWay(timed: TimedBridge): Promise<void> {
  const { bridge } = timed;
  const { service, faults } = bridge.sandbox;
  const creates = (['scim.addUser', 'groups.createGroup'] as const).map((operation) =>
    faults.add({ operation, fault: { kind: 'hang' }, times: 1 }),
  );
  const posts = [
    bridge.request('POST', '/Users', toUser('ada')),
    bridge.request('POST', '/Groups', toGroup('Pilots')),
  ];
  await Promise.all(creates.map((create) => create.until(1)));
  const [user, group] = await Promise.all(posts);
  service.addUser({ email: ada, userName: ada, fullName: 'Another Ada' });
  service.createGroup({ name: 'Pilots' });
  const renamed = toPatch(
    { op: 'replace', path: 'userName', value: 'countess@example.com' },
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'countess@example.com' },
  );
  const called = toPatch({ op: 'replace', path: 'displayName', value: 'Flyers' });
  await bridge.request('PATCH', `/Users/${user?.body.id}`, renamed);
  await bridge.request('PATCH', `/Groups/${group?.body.id}`, called);
  faults.release();
  await untilQuiet(timed, SECONDS_MS);
}

test('a create that finds its name taken after its resource was renamed takes nothing over', () =>
  withTimedBridge({ settings: { SCIM_WRITE_WAIT: '50ms' } }, async (timed) => {
    const { service } = timed.bridge.sandbox;

    await renameUnderWay(timed);

    const groups = service.groups().map(({ name }) => name);
    expect(groups.toSorted()).toEqual(['Flyers', 'Pilots']);
    const people = service.users().map(({ userName, fullName }) => [userName, fullName]);
    expect(people.toSorted()).toEqual([
      [ada, 'Another Ada'],
      ['countess@example.com', 'Ada Example'],
      ['owner', expect.any(String)],
    ]);
  }));
