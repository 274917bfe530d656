import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';
import { type TimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const MINUTES_MS = 10 * MINUTE_MS;
const BROKEN = { kind: 'status', status: 500, body: 'message' } as const;
const toName = (familyName: string) => toPatch(replace('name.familyName', familyName));

const settings = {
  SCIM_WRITE_WAIT: '40ms',
  UPSTREAM_ATTEMPTS_BEFORE_STUCK: '3',
};

let timed: TimedBridge;

beforeAll(async () => {
  const clock = createLeapingClock();
  timed = { bridge: await startTestBridge({ settings, clock }), clock };
});

afterAll(() => timed.bridge.stop());

/** Makes the new name of somebody stuck, and lets the service take it from then on. */
async function makeNameStuck(name: string): Promise<string> {
  const { bridge } = timed;
  const id = await bridge.addUser(name);
  // Nothing of the creation is under way any more.
  await untilQuiet(timed, 1_000);
  const fault = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: BROKEN });
  await bridge.send('PATCH', `/Users/${id}`, toName('King'));
  await untilQuiet(timed, MINUTES_MS);
  fault.remove();
  return id;
}

async function countStuck(): Promise<number> {
  return (await timed.bridge.listStuck()).length;
}

describe('retry', () => {
  test('has everything tried now that is stuck or waits for its next attempt, people in groups too', async () => {
    const { bridge } = timed;
    await makeNameStuck('ada');
    const [first = '', second = ''] = await bridge.addUsers(2);
    const groupId = await bridge.addGroup('Pilots');
    await untilQuiet(timed, 1_000);
    const fault = bridge.sandbox.faults.add({
      operation: 'groupUsers.addUserToGroup',
      fault: BROKEN,
    });
    const add = { op: 'add', path: 'members', value: toMembers([first]) };
    await bridge.patch(`/Groups/${groupId}`, add);
    await untilQuiet(timed, MINUTES_MS);
    const stuck = await countStuck();
    fault.remove();
    // Waits for its next attempt, and is not stuck.
    const busy = { kind: 'status', status: 503 } as const;
    const outage = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: busy });
    await bridge.send('PATCH', `/Users/${second}`, toName('Queen'));
    // Until its next attempt is so far away that it does not come by itself meanwhile.
    await untilQuiet(timed, MINUTE_MS);
    outage.remove();

    const tried = await runner(bridge)('retry', '--all');
    await untilQuiet(timed, 2_000);

    expect(stuck).toBe(2);
    expect(tried).toMatchObject({ code: 0, text: expect.stringMatching(/^Tried now: 3\n/) });
    expect(bridge.sandbox.service.members('Pilots')).toEqual(['person1@example.com']);
    expect(bridge.sandbox.service.getUser('ada@example.com').fullName).toBe('Ada King');
    expect(await bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('counts also while an attempt is under way, which is refused then', async () => {
    const { bridge } = timed;
    const { service, faults } = bridge.sandbox;
    const id = await bridge.addUser('kim');
    await untilQuiet(timed, 1_000);
    const operation = 'scim.updateUser';
    faults.add({ operation, fault: { kind: 'delay', delayMs: 1_000 }, times: 1 });
    const refused = { kind: 'status', status: 400 } as const;
    const call = faults.add({ operation, fault: refused, times: 1 });
    await bridge.send('PATCH', `/Users/${id}`, toName('King'));
    await call.until(1);

    await bridge.ops('POST', '/retry', { name: 'kim@example.com' });
    await expect.poll(() => service.getUser('kim@example.com').fullName).toBe('Kim King');
  });

  test.each([
    { type: 'user', name: 'lea@example.com', operation: 'scim.updateUser' },
    { type: 'group', name: 'Leaving', operation: 'groups.removeGroup' },
  ] as const)(
    'has a stuck deletion of a $type tried now, by name, and of nobody else of that name',
    async ({ type, name, operation }) => {
      const { bridge } = timed;
      const { service, faults } = bridge.sandbox;
      const make = () => (type === 'user' ? bridge.addUser('lea') : bridge.addGroup(name));
      const path = type === 'user' ? '/Users' : '/Groups';
      const id = await make();
      await untilQuiet(timed, 1_000);
      const fault = faults.add({ operation, fault: BROKEN });
      await bridge.send('DELETE', `${path}/${id}`);
      await untilQuiet(timed, MINUTES_MS);
      const stuck = await countStuck();
      fault.remove();

      const { body } = await bridge.ops('POST', '/retry', { name });
      await untilQuiet(timed, 1_000);
      const again = await bridge.ops('POST', '/retry', { name });
      const successor = await make();
      await untilQuiet(timed, 1_000);
      const { body: live } = await bridge.ops('GET', `/${type}s/${successor}/explain`);

      expect(stuck).toBe(1);
      expect(body).toMatchObject({ count: 1, tried: [{ type, id, name }] });
      expect(await countStuck()).toBe(0);
      expect(again).toMatchObject({ status: 200, body: { count: 0, tried: [] } });
      expect(live.id).toBe(successor);
      if (type === 'group')
        expect(service.groups().filter((group) => group.name === name)).toHaveLength(1);
    },
  );
});
