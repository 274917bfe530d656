import { describe, expect, test } from 'vitest';
import { addRetryCommand } from '../../src/cli/retry.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { runner } from '../support/command.ts';
import {
  addGroup,
  addUser,
  addUsers,
  listStuck,
  readWork,
  send,
  toGroup,
  toMembers,
  toPatch,
  toUser,
} from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';
import { type TimedBridge, untilQuiet, withTimedBridge } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const MINUTES_MS = 10 * MINUTE_MS;
const BROKEN = { kind: 'status', status: 500, body: 'message' } as const;
const toName = (familyName: string) =>
  toPatch({ op: 'replace', path: 'name.familyName', value: familyName });

function withTimed(run: (timed: TimedBridge) => Promise<void>): Promise<void> {
  const settings = {
    ...SWEEP_SETTINGS,
    SCIM_WRITE_WAIT: '40ms',
    UPSTREAM_ATTEMPTS_BEFORE_STUCK: '3',
  };
  return withTimedBridge({ settings }, run);
}

/** Makes the new name of somebody stuck, and lets the service take it from then on. */
async function makeNameStuck(timed: TimedBridge, name: string): Promise<string> {
  const { bridge } = timed;
  const id = await addUser(bridge, name);
  // Nothing of the creation is under way any more.
  await untilQuiet(timed, 1_000);
  const fault = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: BROKEN });
  await send(bridge, 'PATCH', `/Users/${id}`, toName('King'));
  await untilQuiet(timed, MINUTES_MS);
  fault.remove();
  return id;
}

async function countStuck({ bridge }: TimedBridge): Promise<number> {
  return (await listStuck(bridge)).length;
}

describe('retry', () => {
  test('has what is stuck of one person tried now, by name, and says what that is', async () =>
    withTimed(async (timed) => {
      const { bridge } = timed;
      const id = await makeNameStuck(timed, 'ada');
      await makeNameStuck(timed, 'bob');
      const before = await countStuck(timed);

      const answer = await askOps(bridge, 'POST', '/retry', { name: 'ada@example.com' });
      await untilQuiet(timed, 1_000);

      expect(before).toBe(2);
      expect(answer.body).toEqual({
        count: 1,
        tried: [{ type: 'user', id, name: 'ada@example.com', waits: ['name'] }],
      });
      expect(bridge.sandbox.service.getUser('ada@example.com').fullName).toBe('Ada King');
      expect(await countStuck(timed)).toBe(1);
    }));

  test('has everything tried now that is stuck or waits for its next attempt, people in groups too', async () =>
    withTimed(async (timed) => {
      const { bridge } = timed;
      await makeNameStuck(timed, 'ada');
      const [first = '', second = ''] = await addUsers(bridge, 2);
      const groupId = await addGroup(bridge, 'Pilots');
      await untilQuiet(timed, 1_000);
      const fault = bridge.sandbox.faults.add({
        operation: 'groupUsers.addUserToGroup',
        fault: BROKEN,
      });
      const add = { op: 'add', path: 'members', value: toMembers([first]) };
      await send(bridge, 'PATCH', `/Groups/${groupId}`, toPatch(add));
      await untilQuiet(timed, MINUTES_MS);
      const stuck = await countStuck(timed);
      fault.remove();
      // Waits for its next attempt, and is not stuck.
      const busy = { kind: 'status', status: 503 } as const;
      const outage = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: busy });
      await send(bridge, 'PATCH', `/Users/${second}`, toName('Queen'));
      // Until its next attempt is so far away that it does not come by itself meanwhile.
      await untilQuiet(timed, MINUTE_MS);
      outage.remove();

      const { body } = await askOps(bridge, 'POST', '/retry', { all: true });
      await untilQuiet(timed, 2_000);

      expect(stuck).toBe(2);
      expect(body).toMatchObject({ count: 3 });
      expect(bridge.sandbox.service.members('Pilots')).toEqual(['person1@example.com']);
      expect(bridge.sandbox.service.getUser('ada@example.com').fullName).toBe('Ada King');
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
    }));

  const creations = [
    { type: 'user', operation: 'scim.addUser', path: '/Users', body: toUser('ada') },
    { type: 'group', operation: 'groups.createGroup', path: '/Groups', body: toGroup('Pilots') },
  ] as const;
  for (const { type, operation, path, body } of creations) {
    test(`has a stuck creation of a ${type} tried now, by name, by id and with all others`, async () =>
      withTimed(async (timed) => {
        const { bridge } = timed;
        const { service, faults } = bridge.sandbox;
        const fault = faults.add({ operation, fault: BROKEN });
        const { body: created } = await send(bridge, 'POST', path, body);
        await untilQuiet(timed, MINUTES_MS);
        const stuck = await countStuck(timed);
        const name = type === 'user' ? 'ada@example.com' : 'Pilots';
        const requests: JsonObject[] = [{ name }, { name: String(created.id) }, { all: true }];
        const answers: JsonObject[] = [];
        for (const request of requests) {
          answers.push((await askOps(bridge, 'POST', '/retry', request)).body);
          await untilQuiet(timed, 1_000);
        }
        fault.remove();
        await askOps(bridge, 'POST', '/retry', { all: true });
        await untilQuiet(timed, 1_000);

        expect(stuck).toBe(1);
        expect(answers.map(({ count }) => count)).toEqual([1, 1, 1]);
        expect(await countStuck(timed)).toBe(0);
        const held = type === 'user' ? service.users() : service.groups();
        expect(JSON.stringify(held)).toContain(name);
      }));
  }

  const leavers = [
    { type: 'user', name: 'ada@example.com', operation: 'scim.updateUser' },
    { type: 'group', name: 'Pilots', operation: 'groups.removeGroup' },
  ] as const;
  for (const { type, name, operation } of leavers) {
    test(`has a stuck deletion of a ${type} tried now, by name, and of nobody else of that name`, async () =>
      withTimed(async (timed) => {
        const { bridge } = timed;
        const { service, faults } = bridge.sandbox;
        const make = () => (type === 'user' ? addUser(bridge, 'ada') : addGroup(bridge, name));
        const path = type === 'user' ? '/Users' : '/Groups';
        const id = await make();
        await untilQuiet(timed, 1_000);
        const fault = faults.add({ operation, fault: BROKEN });
        await send(bridge, 'DELETE', `${path}/${id}`);
        await untilQuiet(timed, MINUTES_MS);
        const stuck = await countStuck(timed);
        fault.remove();

        const { body } = await askOps(bridge, 'POST', '/retry', { name });
        await untilQuiet(timed, 1_000);
        const again = await askOps(bridge, 'POST', '/retry', { name });
        const successor = await make();
        await untilQuiet(timed, 1_000);
        const { body: live } = await askOps(bridge, 'GET', `/${type}s/${successor}/explain`);

        expect(stuck).toBe(1);
        expect(body).toMatchObject({ count: 1, tried: [{ type, id, name }] });
        expect(await countStuck(timed)).toBe(0);
        expect(again).toMatchObject({ status: 200, body: { count: 0, tried: [] } });
        expect(live.id).toBe(successor);
        if (type === 'group') expect(service.groups()).toHaveLength(1);
      }));
  }

  test('of a person is also what waits of them in a group', async () =>
    withTimed(async (timed) => {
      const { bridge } = timed;
      const [first = ''] = await addUsers(bridge, 1);
      const groupId = await addGroup(bridge, 'Pilots');
      await untilQuiet(timed, 1_000);
      const operation = 'groupUsers.addUserToGroup';
      const fault = bridge.sandbox.faults.add({ operation, fault: BROKEN });
      const add = { op: 'add', path: 'members', value: toMembers([first]) };
      await send(bridge, 'PATCH', `/Groups/${groupId}`, toPatch(add));
      await untilQuiet(timed, MINUTES_MS);
      fault.remove();

      const { body } = await askOps(bridge, 'POST', '/retry', { name: first });
      await untilQuiet(timed, 1_000);

      expect(body).toEqual({
        count: 1,
        tried: [{ type: 'group', id: groupId, name: 'Pilots', waits: ['members'] }],
      });
      expect(bridge.sandbox.service.members('Pilots')).toEqual(['person1@example.com']);
    }));
});

describe('retry', () => {
  test.each([
    { why: 'nothing', body: {} },
    { why: 'both', body: { all: true, name: 'ada' } },
    { why: 'not all', body: { all: false } },
    { why: 'an empty name', body: { name: '' } },
    { why: 'something else', body: { everything: true } },
  ])('says what it has to be told: $why', ({ body }) =>
    withTimed(async ({ bridge }) => {
      expect(await askOps(bridge, 'POST', '/retry', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid' },
      });
    }),
  );

  test('finds nobody, or several, and tries nothing then', () =>
    withTimed(async ({ bridge }) => {
      for (const name of ['ada', 'bob']) await addUser(bridge, name, { displayName: 'Pilots' });

      const nobody = await askOps(bridge, 'POST', '/retry', { name: 'nobody' });
      const several = await askOps(bridge, 'POST', '/retry', { name: 'Pilots' });

      expect([nobody.status, several.status]).toEqual([404, 409]);
    }));

  test('as a command asks the running bridge', () =>
    withTimed(async (timed) => {
      const { bridge } = timed;
      const id = await makeNameStuck(timed, 'ada');
      const run = runner(bridge, [addRetryCommand]);

      const tried = await run('retry', 'ada@example.com');
      await untilQuiet(timed, 1_000);
      const nothing = await run('retry', '--all');
      const unknown = await run('retry', 'nobody');
      const wrong = [await run('retry'), await run('retry', 'ada', '--all')];

      expect(tried).toMatchObject({
        code: 0,
        text: `Tried now: 1\n  user ada@example.com (${id}): name\n`,
      });
      expect(nothing).toMatchObject({ code: 0, text: 'Nothing waits that could be tried now.\n' });
      expect(unknown.code).toBe(1);
      expect(wrong.map(({ code }) => code)).toEqual([64, 64]);
    }));
});
