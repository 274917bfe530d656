import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  readMemberIds,
  send,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

const RULES = [
  { membersOf: 'Pilots', appsPermissions: 1 },
  { adminsOf: 'Team', from: 'Team Admins' },
];

const disable = toPatch({ op: 'replace', path: 'active', value: false });

/** Calls that changed the service, and what it has. */
function readService({ sandbox }: TestBridge): unknown {
  const users = sandbox.service
    .users()
    .map(({ email, active, fullName }) => [email, active, fullName]);
  return [sandbox.calls.count({ mutating: true }), users, sandbox.service.members('Pilots')];
}

describe('who is let go', () => {
  let bridge: TestBridge;
  beforeAll(async () => {
    bridge = await startTestBridge({ settings: SWEEP_SETTINGS });
  });
  afterAll(() => bridge.stop());

  test('stays in the service as it is, is nobody’s, and is taken over again by the next write', async () => {
    const okta = await makeProvider(bridge, 'okta');
    const entra = await makeProvider(bridge, 'entra');
    const ada = await addUser(okta, 'ada', { externalId: 'x', title: 'Pilot' });
    const bob = await addUser(okta, 'bob');
    const pilots = await addGroup(okta, 'Pilots', [ada, bob]);
    await untilSettled(bridge);
    const before = readService(bridge);

    const user = await askOps(bridge, 'POST', `/users/${ada}/release`);
    const group = await askOps(bridge, 'POST', `/groups/${pilots}/release`);
    await sweep(bridge);

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
    expect(await readMemberIds(okta, pilots)).toEqual([ada, bob].toSorted());
    const shown = (await send(okta, 'GET', `/Users/${ada}`)).body;
    expect(shown).toMatchObject({ userName: 'ada@example.com', active: true });
    expect(shown).not.toHaveProperty('externalId');
    expect(shown).not.toHaveProperty('title');
    expect(await listManagedDrifts(bridge)).toEqual([]);
    // Another provider may have the person now.
    await send(entra, 'PATCH', `/Users/${ada}`, disable);
    await untilSettled(bridge);
    expect(toOwner(await okta.request('DELETE', `/Users/${ada}`))).toBe('entra');
    const acts = Object((await askOps(bridge, 'GET', `/acts?target=${ada}`)).body.items);
    expect(acts).toMatchObject([
      { act: 'let it go', before: { provider: 'okta' }, after: { provider: null } },
    ]);
    const timeline = await askOps(bridge, 'GET', `/users/${ada}/timeline`);
    expect(JSON.stringify(timeline.body)).toContain('let it go');
  });

  test('ends a difference that nobody would repair any more', async () => {
    const ada = await addUser(bridge, 'eve');
    await untilSettled(bridge);
    bridge.sandbox.service.setActive('eve@example.com', false);
    await sweep(bridge);
    const before = await listManagedDrifts(bridge);

    await askOps(bridge, 'POST', `/users/${ada}/release`);
    await sweep(bridge);

    expect([before, await listManagedDrifts(bridge)]).toEqual([
      ['user.deactivated eve@example.com'],
      [],
    ]);
    expect((await send(bridge, 'GET', `/Users/${ada}`)).body).toMatchObject({ active: false });
  });

  test('is nobody of whom something waits, who is not managed, or whom the service does not have', async () => {
    const ada = await addUser(bridge, 'fay');
    const vera = await addUser(bridge, 'vera', { active: false });
    await untilSettled(bridge);
    await askOps(bridge, 'POST', '/pause', { reason: 'a test' });
    await send(bridge, 'PATCH', `/Users/${ada}`, disable);
    const ask = async (id: string) => {
      const { status, body } = await askOps(bridge, 'POST', `/users/${id}/release`);
      return [status, body.code];
    };

    expect(await ask(ada)).toEqual([409, 'waits']);
    expect(await ask(vera)).toEqual([409, 'not-in-service']);
    expect(await ask('nobody')).toEqual([404, 'not-found']);
    await askOps(bridge, 'POST', '/resume');
    await untilSettled(bridge);
    expect((await ask(ada))[0]).toBe(200);
    expect(await ask(ada)).toEqual([409, 'unmanaged']);
  });

  test('is nobody whose removal a plan holds until an operator decides', () =>
    withTestBridge(
      { settings: { ...SWEEP_SETTINGS, LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' } },
      async (bridge) => {
        const [first = '', second = ''] = await addUsers(bridge, 2);
        await untilSettled(bridge);
        await send(bridge, 'PATCH', `/Users/${first}`, disable);
        await untilSettled(bridge);
        await send(bridge, 'PATCH', `/Users/${second}`, disable);
        await untilSettled(bridge);
        const held = await askOps(bridge, 'GET', '/plans?status=held');

        const { body } = await askOps(bridge, 'POST', `/users/${second}/release`);

        expect(Object(held.body.items)).toHaveLength(1);
        expect(body).toMatchObject({ code: 'waits' });
      },
    ));

  test('is no group that rules draw on, because its end would change the service', () =>
    withTestBridge(
      { settings: { ...SWEEP_SETTINGS, RULES: JSON.stringify(RULES) } },
      async (bridge) => {
        const ada = await addUser(bridge, 'ada');
        const ask = async (name: string) => {
          const id = await addGroup(bridge, name, [ada]);
          await untilSettled(bridge);
          const { body } = await askOps(bridge, 'POST', `/groups/${id}/release`);
          return body.code ?? body.origin;
        };

        const told = [await ask('Pilots'), await ask('Team Admins'), await ask('Team')];

        expect(told).toEqual(['ruled', 'ruled', 'ruled']);
        expect(await ask('Crew')).toBeNull();
      },
    ));
});
