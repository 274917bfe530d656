import { expect, onTestFinished, test } from 'vitest';
import { readBacklog } from '../../src/store/resources/backlog.ts';
import { startBridgeOf, type TestBridge } from '../support/bridge.ts';
import { readService } from '../support/company.ts';
import { NOTED_SHAPE, type OtherShape } from '../support/other-service/shape.ts';
import { type OtherService, startOtherService } from '../support/other-service.ts';
import { addGroup, addUser, send, toPatch, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const settings = {
  ...SWEEP_SETTINGS,
  SCIM_WRITE_WAIT: '2s',
  UPSTREAM_ATTEMPTS_BEFORE_STUCK: '100',
};

async function start(
  shape: Partial<OtherShape>,
  clock?: () => number,
): Promise<{ service: OtherService; bridge: TestBridge<OtherService> }> {
  const service = await startOtherService({
    shape: { ...NOTED_SHAPE, ...shape },
    ...(clock && { clock }),
  });
  onTestFinished(() => service.stop());
  const bridge = await startBridgeOf(service, { settings });
  onTestFinished(() => bridge.stop());
  return { service, bridge };
}

test('a removal that is refused as nothing to change is done, because the list shows it', async () => {
  const { service, bridge } = await start({ deactivation: 'leaves groups', repeated: 'invalid' });
  const [ada, bob] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots', [ada, bob])}`;
  service.service.removeMember('Pilots', 'bob@example.com');

  await send(bridge, 'DELETE', `/Users/${ada}`);
  const path = `members[value eq "${bob}"]`;
  await send(bridge, 'PATCH', pilots, toPatch({ op: 'remove', path }));
  await untilSettled(bridge);

  expect(service.calls.count({ operation: 'groupUsers.removeUserFromGroup' })).toBe(2);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
  expect(readService(service).groups).toMatchObject({ Pilots: { members: [] } });
});

test('names that come back with the family name first are sent once, and are no drift', async () => {
  const { service, bridge } = await start({ names: 'family first' });
  const ada = `/Users/${await addUser(bridge, 'ada')}`;
  const king = { op: 'replace', path: 'name.familyName', value: 'King' };
  await send(bridge, 'PATCH', ada, toPatch(king));
  await untilSettled(bridge);

  expect(readService(service).people['ada@example.com']?.fullName).toBe('King Ada');
  expect(service.calls.count({ operation: 'scim.updateUser' })).toBe(1);
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([]);
});

test('creates that were lost are not refused as being there already while lists are late', async () => {
  let aheadMs = 0;
  const shape = { listsLateMs: 60_000, groupNames: 'unique' } as const;
  const { service, bridge } = await start(shape, () => aheadMs);
  const lost = { kind: 'reset', at: 'after-effect' } as const;
  for (const operation of ['scim.addUser', 'groups.createGroup'] as const) {
    service.faults.add({ operation, fault: lost, times: 1 });
  }

  await addUser(bridge, 'ada');
  await addGroup(bridge, 'Pilots');
  // The second of each is answered with 409.
  for (const operation of ['scim.addUser', 'groups.createGroup'] as const) {
    await expect.poll(() => service.calls.count({ operation })).toBeGreaterThan(1);
  }
  aheadMs += 60_001;
  await untilSettled(bridge);

  expect(Object.keys(readService(service).people)).toContain('ada@example.com');
  expect(Object.keys(readService(service).groups)).toEqual(['Pilots']);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
});

test('a deactivation that somebody else made and the service does not repeat is no refusal', async () => {
  const { service, bridge } = await start({ repeated: 'invalid' });
  const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
  for (const name of ['ada', 'bob']) service.service.setActive(`${name}@example.com`, false);

  const path = 'active';
  await send(bridge, 'PATCH', `/Users/${ids[0]}`, toPatch({ op: 'replace', path, value: false }));
  await send(bridge, 'DELETE', `/Users/${ids[1]}`);
  await untilSettled(bridge);

  expect(service.calls.count({ operation: 'scim.updateUser' })).toBe(2);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
});

test('a user is created where the service fails at the form that its documents show', async () => {
  const { service, bridge } = await start({ emails: 'nothing but objects' });

  await addUser(bridge, 'ada');
  await untilSettled(bridge);
  await addUser(bridge, 'bob');

  expect(Object.keys(readService(service).people)).toContain('ada@example.com');
  // The first form, the other one, and of the next user the known one.
  expect(service.calls.count({ operation: 'scim.addUser' })).toBe(3);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
});

test('what the service does not have at all is refused, and the rest goes on', async () => {
  const { service, bridge } = await start({});
  const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  const ids = await Promise.all(names.map((name) => addUser(bridge, name)));
  service.faults.add({ operation: 'scim.updateUser', fault: { kind: 'status', status: 501 } });

  for (const id of ids) {
    const away = toPatch({ op: 'replace', path: 'active', value: false });
    await expect(send(bridge, 'PATCH', `/Users/${id}`, away)).rejects.toThrow(/answered with 403/);
  }
  await addGroup(bridge, 'Pilots');
  await untilSettled(bridge);

  expect(Object.keys(readService(service).groups)).toEqual(['Pilots']);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
});
