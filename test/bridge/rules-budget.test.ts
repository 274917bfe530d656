import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { bridgeForTest, type TestBridge } from '../support/bridge.ts';
import { startCalmBridge } from '../support/calm-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toMembers, toUser } from '../support/provider.ts';

const REQUESTS_PER_SECOND = 5;
const CREATES = 100;
const PER_BULK = 50;
/** Removals of each kind. */
const ROUNDS = 6;
const CREW = 'Group 001';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

/** The n-th person of the company as it was seeded. */
interface Person {
  readonly userName: string;
  readonly email: string;
}

function toPerson(n: number): Person {
  const userName = `user${String(n).padStart(5, '0')}`;
  return { userName, email: `${userName}@example.com` };
}

async function patchUser(bridge: TestBridge, { userName }: Person, operation: JsonObject) {
  await bridge.patch(`/Users/${await bridge.findId({ type: 'Users', name: userName })}`, operation);
}

async function patchCrew(bridge: TestBridge, operation: JsonObject) {
  await bridge.patch(`/Groups/${await bridge.findId({ type: 'Groups', name: CREW })}`, operation);
}

/** Something a provider asks for that takes access away, and whether the service has done it. */
interface Removal {
  request(bridge: TestBridge): Promise<unknown>;
  isDone(bridge: TestBridge): boolean;
}

function toDeactivation(person: Person): Removal {
  return {
    request: (bridge) => patchUser(bridge, person, replace('active', false)),
    isDone: ({ sandbox }) => !sandbox.service.getUser(person.email).active,
  };
}

function toDeletion(person: Person): Removal {
  return {
    async request(bridge) {
      const id = await bridge.findId({ type: 'Users', name: person.userName });
      await bridge.send('DELETE', `/Users/${id}`);
    },
    isDone: ({ sandbox }) => !sandbox.service.getUser(person.email).active,
  };
}

function toDeparture({ userName, email }: Person): Removal {
  return {
    async request(bridge) {
      const id = await bridge.findId({ type: 'Users', name: userName });
      await patchCrew(bridge, { op: 'remove', path: 'members', value: toMembers([id]) });
    },
    isDone: ({ sandbox }) => !sandbox.service.members(CREW).includes(email),
  };
}

/** The bulk requests that create so many people, from the `first` on. */
function toBulkRequests(first: number, count: number): JsonObject[] {
  return Array.from({ length: count / PER_BULK }, (_, page) => ({
    schemas: [BULK],
    Operations: Array.from({ length: PER_BULK }, (_, index) => {
      const name = `new${first + page * PER_BULK + index}`;
      return { method: 'POST', path: '/Users', bulkId: name, data: toUser(name) };
    }),
  }));
}

async function create(bridge: TestBridge, first: number, count: number): Promise<void> {
  await Promise.all(toBulkRequests(first, count).map((body) => bridge.send('POST', '/Bulk', body)));
}

function toPercentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

test('a deprovisioning reaches the service within a second at p95 while 100 creates wait', async () => {
  const people = Array.from({ length: ROUNDS * 4 }, (_, n) => toPerson(n + 1));
  const renamed = people.filter((_, n) => n % 4 === 0);
  const removals = people.map((person, n) =>
    [toDeactivation, toDeactivation, toDeletion, toDeparture][n % 4]?.(person),
  );
  const waitedMs: number[] = [];
  const open = new Map<Removal, number>();

  const { bridge, clock } = await forTest(
    startCalmBridge({
      requestsPerSecond: REQUESTS_PER_SECOND,
      settings: { SCIM_WRITE_WAIT: '0', USERS_ADOPT_ON_DELETE: 'yes' },
      sandbox: { seed: { users: people.length, groups: 1, groupSizes: [people.length] } },
      prepare: ({ faults }) =>
        void Object.assign(faults, { requestsPerSecond: REQUESTS_PER_SECOND }),
    }),
  );
  const { sandbox } = bridge;
  const hold = clock.flow();
  await patchCrew(bridge, replace('externalId', 'crew'));
  hold();

  // The clock stands still. Those who are renamed hold their locks in the middle of what waits.
  await create(bridge, 0, CREATES / 2);
  for (const person of renamed) await patchUser(bridge, person, replace('name.familyName', 'King'));
  await create(bridge, CREATES / 2, CREATES / 2);
  const dueBefore = (await bridge.readWork())?.due;

  const measure = () => {
    for (const [removal, since] of open) {
      if (!removal.isDone(bridge)) continue;
      waitedMs.push(clock.now() - since);
      open.delete(removal);
    }
  };
  for (const [n, removal] of removals.entries()) {
    const at = clock.now() + ((n * 7_919) % 1_000);
    await clock.pass(sandbox, () => {
      measure();
      return clock.now() >= at;
    });
    if (!removal) continue;
    open.set(removal, clock.now());
    await removal.request(bridge);
  }
  await clock.pass(sandbox, () => {
    measure();
    return open.size === 0;
  });

  expect(dueBefore).toBeGreaterThan(CREATES - 10);
  expect((await bridge.readWork())?.due).toBeGreaterThan(CREATES / 2);
  expect(sandbox.calls.count({ status: 429 })).toBe(0);

  expect(waitedMs).toHaveLength(people.length);
  expect(toPercentile95(waitedMs)).toBeLessThanOrEqual(1_000);
});

describe('the class of what waits', () => {
  async function openCompany() {
    const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '100ms' } });
    const ids = await bridge.addUsers(3);
    const crewId = await bridge.settled(bridge.addGroup('Crew', ids.slice(0, 2)));
    return [bridge, { ids, crewId }] as const;
  }

  /** From now on nothing is sent, so that what is written waits. */
  const pause = (bridge: TestBridge) => bridge.ops('POST', '/pause', {});

  /** The class of what waits: nothing else does. */
  async function readClass(bridge: TestBridge): Promise<unknown> {
    const { queue } = (await bridge.ops('GET', '/status')).body;
    const classes: { class: string; waiting: number }[] = Object(queue).classes;
    return classes.flatMap(({ class: name, waiting }) => (waiting > 0 ? [name] : [])).join();
  }

  test('a deactivation keeps it whatever is written after it, until the person is to be active again', async () => {
    const [bridge, { ids }] = await openCompany();
    await pause(bridge);
    const change = (operation: JsonObject) =>
      bridge.patch(`/Users/${ids[0]}`, { op: 'replace', ...operation });

    await change({ path: 'name.familyName', value: 'King' });
    const classes = [await readClass(bridge)];
    for (const operation of [
      { path: 'active', value: false },
      { path: 'name.familyName', value: 'Queen' },
      { path: 'active', value: true },
    ]) {
      await change(operation);
      classes.push(await readClass(bridge));
    }

    expect(classes).toEqual(['changes', 'removals', 'removals', 'changes']);
  });
});
