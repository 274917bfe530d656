import { expect, onTestFinished, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { ada, addCompany, bob } from '../support/drift-cells.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addGroup, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep, untilSwept } from '../support/sweep.ts';

const settings = {
  ...SWEEP_SETTINGS,
  SWEEP_ADMINS_EVERY: '1',
  GROUPS_PERMISSIONS_MAX: '31',
  UPSTREAM_PAGE_SIZE: '2',
};
const ADMIN = 'admin@example.com';
const DRIFTS = ['group.missing Cooks', `member.added Pilots of ${bob}`, `user.deactivated ${ada}`];

/** Where a sweep stands when its process is killed: the call that is on its way, after so many of the same. */
const places: readonly {
  readonly what: string;
  readonly operation: OperationName;
  readonly skip?: number;
}[] = [
  { what: 'in the list of people', operation: 'scim.getUsers', skip: 1 },
  { what: 'in the list of company users', operation: 'companyUsers.getListOfUsers', skip: 1 },
  { what: 'in the list of groups', operation: 'scim.getGroups' },
  { what: 'in the list of rights', operation: 'groups.getListOfGroups' },
  { what: 'in the lists of admins', operation: 'groupAdmins.getListOfGroupAdmins' },
  { what: 'when it looks for a missing group', operation: 'groups.getGroup' },
  { what: 'when it looks at a person again', operation: 'scim.getUser' },
  { what: 'when it looks at a group again', operation: 'groupUsers.getListOfGroupUsers' },
];

/** A service, and a store that outlives the bridges that use it. */
async function startWorld(): Promise<{ service: Sandbox; DATABASE_URL: string }> {
  const service = await startSandbox();
  service.service.addUser({ email: ADMIN, fullName: 'An Admin' });
  onTestFinished(() => service.stop());
  return { service, DATABASE_URL: await makeStoreUrl() };
}

/** A company that was compared, and then changed by others in three ways. */
async function addChangedCompany(bridge: TestBridge): Promise<void> {
  await addCompany(bridge);
  await addGroup(bridge, 'Cooks');
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', counts: { unknown: 0 } });
  // By somebody else: by our own account it would look like a restored backup.
  const behind = bridge.sandbox.service.as(ADMIN);
  behind.setActive(ada, false);
  behind.addMember('Pilots', bob);
  behind.deleteGroup('Cooks');
}

/** As `kill -9` leaves a store: nothing is stored any more, nothing given back. */
async function kill(bridge: TestBridge, { faults }: Sandbox): Promise<void> {
  await bridge.store.close();
  faults.clear();
  await bridge.stop().catch(() => undefined);
}

async function listAllDrifts(bridge: TestBridge): Promise<unknown[]> {
  const { body } = await askOps(bridge, 'GET', '/drifts');
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.filter((item) => !String(Object(item).kind).endsWith('.unmanaged'));
}

for (const { what, operation, skip } of places) {
  test(`a sweep that is killed ${what} goes on at the next start, and finds each difference once`, async () => {
    const { service, DATABASE_URL } = await startWorld();
    const first = await startTestBridge({ service, settings: { ...settings, DATABASE_URL } });
    await addChangedCompany(first);
    const hang = service.faults.add({ operation, fault: { kind: 'hang' }, skip });
    const { body } = await askOps(first, 'POST', '/sweeps');
    await hang.until(1);
    await kill(first, service);

    const second = await startTestBridge({ service, settings: { ...settings, DATABASE_URL } });
    onTestFinished(() => second.stop());
    const ended = await untilSwept(second, String(body.id));
    const found = await listManagedDrifts(second);
    const again = await sweep(second);

    expect(ended).toMatchObject({ status: 'complete', reasons: [] });
    expect(found).toEqual(DRIFTS);
    expect(again).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
    expect(await listAllDrifts(second)).toHaveLength(DRIFTS.length);
  });
}

test('a page of the audit log that is on its way at a kill is read at the next start, each event once', async () => {
  const { service, DATABASE_URL } = await startWorld();
  const polled = { ...settings, DATABASE_URL, AUDIT_POLL_INTERVAL: '1s', UPSTREAM_PAGE_SIZE: '2' };
  const first = await startTestBridge({ service, settings: polled });
  await addCompany(first);
  await untilSettled(first);
  const operation = 'auditLogs.retrieveAuditLogEvents';
  const hang = service.faults.add({ operation, fault: { kind: 'hang' }, skip: 1 });
  const behind = service.service.as(ADMIN);
  behind.setActive(ada, false);
  behind.addMember('Pilots', bob);
  await hang.until(1);
  await kill(first, service);

  const clock = createLeapingClock();
  const second = await startTestBridge({ service, settings: polled, clock });
  onTestFinished(() => second.stop());
  const listEvents = () => second.store.read.selectFrom('audit_events').select('id').execute();
  const all = service.service.auditEvents().length;
  await expect.poll(async () => (await listEvents()).length).toBe(all);
  await untilSettled(second);

  expect(new Set((await listEvents()).map(({ id }) => id)).size).toBe(all);
  const row = await second.store.read
    .selectFrom('users')
    .select('observed')
    .where('user_name', '=', ada)
    .executeTakeFirst();
  expect(JSON.parse(row?.observed ?? '{}')).toMatchObject({ active: false });
});
