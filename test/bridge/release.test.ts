import { describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

const RULES = [
  { membersOf: 'Pilots', appsPermissions: 1 },
  { adminsOf: 'Team', from: 'Team Admins' },
];

const disable = toPatch(replace('active', false));

/** Calls that changed the service, and what it has. */
function readService({ sandbox }: TestBridge): unknown {
  const users = sandbox.service
    .users()
    .map(({ email, active, fullName }) => [email, active, fullName]);
  return [sandbox.calls.count({ mutating: true }), users, sandbox.service.members('Pilots')];
}

describe('who is let go', () => {
  const bridge = forSuite(() => startTestBridge({}));

  test('stays in the service as it is, is nobody’s, and is taken over again by the next write', async () => {
    const okta = await makeProvider(bridge, 'okta');
    const entra = await makeProvider(bridge, 'entra');
    const ada = await okta.addUser('ada', { externalId: 'x', title: 'Pilot' });
    const bob = await okta.addUser('bob');
    const pilots = await okta.addGroup('Pilots', [ada, bob]);
    await bridge.untilSettled();
    const before = readService(bridge);

    const user = await bridge.ops('POST', `/users/${ada}/release`);
    const group = await bridge.ops('POST', `/groups/${pilots}/release`);
    await bridge.sweep();

    expect([user.status, group.status]).toEqual([200, 200]);
    expect(user.body).toMatchObject({
      id: ada,
      origin: null,
      provider: null,
      pending: [],
      dueAt: null,
    });
    expect(group.body).toMatchObject({ id: pilots, origin: null, provider: null });
    expect(readService(bridge)).toEqual(before);
    expect(await okta.readMemberIds(pilots)).toEqual([ada, bob].toSorted());
    const shown = (await okta.send('GET', `/Users/${ada}`)).body;
    expect(shown).toMatchObject({ userName: 'ada@example.com', active: true });
    expect(shown).not.toHaveProperty('externalId');
    expect(shown).not.toHaveProperty('title');
    expect(await bridge.listDrifts()).toEqual([]);
    // Another provider may have the person now.
    await entra.send('PATCH', `/Users/${ada}`, disable);
    await bridge.untilSettled();
    expect(toOwner(await okta.request('DELETE', `/Users/${ada}`))).toBe('entra');
    const acts = Object((await bridge.ops('GET', `/acts?target=${ada}`)).body.items);
    expect(acts).toMatchObject([
      { act: 'let it go', before: { provider: 'okta' }, after: { provider: null } },
    ]);
    const timeline = await bridge.ops('GET', `/users/${ada}/timeline`);
    expect(JSON.stringify(timeline.body)).toContain('let it go');
  });

  test('ends a difference that nobody would repair any more', async () => {
    const ada = await bridge.addUser('eve');
    await bridge.untilSettled();
    bridge.sandbox.service.updateUser('eve@example.com', { active: false });
    await bridge.sweep();
    const before = await bridge.listDrifts();

    await bridge.ops('POST', `/users/${ada}/release`);
    await bridge.sweep();

    expect([before, await bridge.listDrifts()]).toEqual([['user.deactivated eve@example.com'], []]);
    expect((await bridge.send('GET', `/Users/${ada}`)).body).toMatchObject({ active: false });
  });

  test('is nobody of whom something waits, who is not managed, or whom the service does not have', async () => {
    const ada = await bridge.addUser('fay');
    const vera = await bridge.addUser('vera', { active: false });
    await bridge.untilSettled();
    await bridge.ops('POST', '/pause', { reason: 'a test' });
    await bridge.send('PATCH', `/Users/${ada}`, disable);
    const ask = async (id: string) => {
      const { status, body } = await bridge.ops('POST', `/users/${id}/release`);
      return [status, body.code];
    };

    expect(await ask(ada)).toEqual([409, 'waits']);
    expect(await ask(vera)).toEqual([409, 'not-in-service']);
    expect(await ask('nobody')).toEqual([404, 'not-found']);
    await bridge.ops('POST', '/resume');
    await bridge.untilSettled();
    expect((await ask(ada))[0]).toBe(200);
    expect(await ask(ada)).toEqual([409, 'unmanaged']);
  });

  test('is nobody whose removal a plan holds until an operator decides', async () => {
    const bridge = await forTest(
      startTestBridge({ settings: { LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' } }),
    );
    const [first = '', second = ''] = await bridge.addUsers(2);
    await bridge.untilSettled();
    await bridge.send('PATCH', `/Users/${first}`, disable);
    await bridge.untilSettled();
    await bridge.send('PATCH', `/Users/${second}`, disable);
    await bridge.untilSettled();
    const held = await bridge.ops('GET', '/plans?status=held');

    const { body } = await bridge.ops('POST', `/users/${second}/release`);

    expect(Object(held.body.items)).toHaveLength(1);
    expect(body).toMatchObject({ code: 'waits' });
  });

  test('is no group that rules draw on, because its end would change the service', async () => {
    const bridge = await forTest(startTestBridge({ settings: { RULES: JSON.stringify(RULES) } }));
    const ada = await bridge.addUser('ada');
    const ask = async (name: string) => {
      const id = await bridge.addGroup(name, [ada]);
      await bridge.untilSettled();
      const { body } = await bridge.ops('POST', `/groups/${id}/release`);
      return body.code ?? body.origin;
    };

    const told = [await ask('Pilots'), await ask('Team Admins'), await ask('Team')];

    expect(told).toEqual(['ruled', 'ruled', 'ruled']);
    expect(await ask('Crew')).toBeNull();
  });
});
