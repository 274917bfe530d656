import { afterEach, describe, expect, test } from 'vitest';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toGroup, toUser } from '../support/provider.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

describe('deleting', () => {
  const bridge = bridgeForSuite();

  afterEach(() => bridge.sandbox.faults.clear());

  test('a user who is created again has a new id and the old account; departures stand', async () => {
    const { service } = bridge.sandbox;
    const id = await bridge.addUser('ada');
    await bridge.addGroup('Pilots', [id]);
    const account = service.getUser('ada@example.com').id;
    await bridge.send('DELETE', `/Users/${id}`);

    const again = await bridge.settled(bridge.addUser('ada'));

    expect(again).not.toBe(id);
    expect(service.getUser('ada@example.com')).toMatchObject({ id: account, active: true });
    expect(service.members('Pilots')).toEqual([]);
    expect((await bridge.send('GET', `/Users/${again}`)).body.groups).toEqual([]);
    expect((await bridge.send('GET', `/Users/${id}`)).body.id).toBe(again);
  });

  test('a deleted user is in no answer, also when somebody activates the account again', async () => {
    const id = await bridge.addUser('gus');
    const groupId = await bridge.addGroup('Gone', [id]);
    await bridge.send('DELETE', `/Users/${id}`);
    bridge.sandbox.service.updateUser('gus@example.com', { active: true });

    const answers = [
      await bridge.request('GET', `/Users/${id}`),
      await bridge.tryPatch(`/Users/${id}`, { op: 'add', path: 'title', value: 'x' }),
      await bridge.request('PUT', `/Users/${id}`, toUser('gus')),
      await bridge.request('DELETE', `/Users/${id}`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(JSON.stringify(await bridge.list('/Users'))).not.toContain('gus@example.com');
    expect((await bridge.send('GET', `/Groups/${groupId}`)).body.members).toEqual([]);
  });

  test('a name that a group is still giving up is given to another later, not refused', async () => {
    const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '50ms' } });
    const { service, faults } = bridge.sandbox;
    const path = `/Groups/${await bridge.addGroup('Pilots')}`;
    const other = `/Groups/${await bridge.addGroup('Crew')}`;
    await bridge.untilSettled();
    const { id: before } = service.getGroup('Pilots');
    const slow = { kind: 'delay', delayMs: 150 } as const;
    faults.add({ operation: 'groups.removeGroup', fault: slow, times: 1 });
    await bridge.send('DELETE', path);

    const created = await bridge.settled(bridge.send('POST', '/Groups', toGroup('Pilots')));

    expect(service.getGroup('Pilots').id).not.toBe(before);

    faults.add({ operation: 'groups.updateGroup', fault: slow, times: 1 });
    await bridge.tryPatch(other, replace('displayName', 'Fleet'));
    const renamed = bridge.tryPatch(`/Groups/${created.body.id}`, replace('displayName', 'Crew'));
    expect((await bridge.settled(renamed)).status).toBe(204);

    expect(service.groups().map(({ name }) => name)).toEqual(['Fleet', 'Crew']);
  });

  test('a delete that the service refuses is undone: the user is there again', async () => {
    const id = await bridge.addUser('ben');
    bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400, 'message') });

    const answer = await bridge.request('DELETE', `/Users/${id}`);

    expect(answer.status).toBe(400);
    expect((await bridge.send('GET', `/Users/${id}`)).body).toMatchObject({ active: true });
  });
});

test('a group that is deleted before it came to be leaves nobody waiting in it', async () => {
  const timed = await forTest(startTimedBridge({ settings: { SCIM_WRITE_WAIT: '20ms' } }));
  const { bridge } = timed;
  const adaId = await bridge.addUser('ada');
  const fault = { kind: 'reset', at: 'before-effect' } as const;
  bridge.sandbox.faults.add({ operation: 'groups.createGroup', fault, times: 1 });
  const groupId = await bridge.addGroup('Pilots', [adaId]);

  await bridge.send('DELETE', `/Groups/${groupId}`);
  await untilQuiet(timed, 30_000);

  expect(bridge.sandbox.service.groups()).toEqual([]);
});
