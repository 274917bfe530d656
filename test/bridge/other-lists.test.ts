import { expect, onTestFinished, test } from 'vitest';
import { startBridgeOf, type TestBridgeOptions } from '../support/bridge.ts';
import { readService } from '../support/company.ts';
import { NOTED_SHAPE, type OtherShape } from '../support/other-service/shape.ts';
import { type OtherService, startOtherService } from '../support/other-service.ts';
import { addGroup, addUser, send, toPatch, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SCIM_WRITE_WAIT: '20s' };

async function startService(shape: Partial<OtherShape>): Promise<OtherService> {
  const service = await startOtherService({ shape: { ...NOTED_SHAPE, ...shape } });
  onTestFinished(() => service.stop());
  return service;
}

async function startInFrontOf(
  service: OtherService,
  options: TestBridgeOptions<OtherService> = {},
) {
  const bridge = await startBridgeOf(service, { settings, ...options });
  onTestFinished(() => bridge.stop());
  return bridge;
}

const blanks = ['null', 'no content'] as const;

test.each(blanks)(
  'a group without members, whose list is %s, is read, kept, renamed and never taken for missing',
  async (emptyLists) => {
    const service = await startService({ emptyLists, listedMembers: 'absent' });
    service.service.createGroup({ name: 'Old' });
    const bridge = await startInFrontOf(service);
    const pilots = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    const lost = { kind: 'reset', at: 'after-effect' } as const;
    service.faults.add({ operation: 'groups.updateGroup', fault: lost, times: 1 });

    const value = 'Aviators';
    await send(bridge, 'PATCH', pilots, toPatch({ op: 'replace', path: 'displayName', value }));
    await untilSettled(bridge);

    expect(service.calls.count({ operation: 'groups.createGroup' })).toBe(1);
    expect(Object.keys(readService(service).groups).toSorted()).toEqual(['Aviators', 'Old']);
    expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
    expect(await listManagedDrifts(bridge)).toEqual([]);
  },
);

test.each([204, 403])(
  'members whose list is suddenly answered with %d are asked of SCIM, and nobody counts as removed',
  async (status) => {
    const service = await startService({ listedMembers: 'absent' });
    const bridge = await startInFrontOf(service);
    const ada = await addUser(bridge, 'ada');
    await addGroup(bridge, 'Pilots', [ada]);
    const fault = { kind: 'status', status, body: 'empty' } as const;
    service.faults.add({ operation: 'groupUsers.getListOfGroupUsers', fault });

    expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
    expect(await listManagedDrifts(bridge)).toEqual([]);
    service.service.removeMember('Pilots', 'ada@example.com');
    await sweep(bridge);
    expect(await listManagedDrifts(bridge)).toEqual(['member.removed Pilots of ada@example.com']);
  },
);

test.each(blanks)('a service without groups, whose list is %s, is read', async (emptyLists) => {
  const service = await startService({ emptyLists });
  const bridge = await startInFrontOf(service);

  await addGroup(bridge, 'Pilots', [await addUser(bridge, 'ada')]);

  expect(service.service.members('Pilots')).toEqual(['ada@example.com']);
});
