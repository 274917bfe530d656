import { expect, onTestFinished, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { ada, addCompany, bob } from '../support/drift-cells.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { copyStore, makeStoreFile } from '../support/store-file.ts';

const settings = {
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
  { what: 'when it looks at a group again', operation: 'groupUsers.getListOfGroupUsers' },
];

/** A service that outlives the bridges in front of it. */
async function startWorld(): Promise<Sandbox> {
  const service = await startSandbox();
  service.service.addUser({ email: ADMIN, fullName: 'An Admin' });
  onTestFinished(() => service.stop());
  return service;
}

/** A company that was compared, and then changed by others in three ways. */
async function addChangedCompany(bridge: TestBridge): Promise<void> {
  await addCompany(bridge);
  await bridge.addGroup('Cooks');
  expect(await bridge.sweep()).toMatchObject({ status: 'complete', counts: { unknown: 0 } });
  // By somebody else: by our own account it would look like a restored backup.
  const behind = bridge.sandbox.service.as(ADMIN);
  behind.updateUser(ada, { active: false });
  behind.link('Pilots', bob);
  behind.deleteGroup('Cooks');
}

/** Ends a bridge in the middle. Gives the store as `kill -9` would have left it: nothing given back. */
async function kill(bridge: TestBridge, { faults }: Sandbox, url: string): Promise<string> {
  const copy = copyStore(url);
  faults.clear();
  await bridge.stop();
  return copy;
}

async function listAllDrifts(bridge: TestBridge): Promise<unknown[]> {
  return bridge.listOps('/drifts');
}

for (const { what, operation, skip } of places) {
  test(`a sweep that is killed ${what} begins again at the next start, and finds each difference once`, async () => {
    const service = await startWorld();
    const url = makeStoreFile();
    const first = await startTestBridge({ service, settings: { ...settings, DATABASE_URL: url } });
    await addChangedCompany(first);
    const hang = service.faults.add({ operation, fault: { kind: 'hang' }, skip });
    const { body } = await first.ops('POST', '/sweeps');
    await hang.until(1);
    const DATABASE_URL = await kill(first, service, url);

    const second = await forTest(
      startTestBridge({ service, settings: { ...settings, DATABASE_URL } }),
    );
    const ended = await second.untilSwept(String(body.id));
    const found = await second.listDrifts();
    const again = await second.sweep();

    expect(ended).toMatchObject({ status: 'complete', reasons: [] });
    expect(found).toEqual(DRIFTS);
    expect(again).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
    expect(await listAllDrifts(second)).toHaveLength(DRIFTS.length);
  });
}

test('a page of the audit log that is on its way at a kill is read at the next start, each event once', async () => {
  const service = await startWorld();
  const url = makeStoreFile();
  const polled = { ...settings, AUDIT_POLL_INTERVAL: '1s', UPSTREAM_PAGE_SIZE: '2' };
  const first = await startTestBridge({ service, settings: { ...polled, DATABASE_URL: url } });
  await addCompany(first);
  await first.untilSettled();
  const operation = 'auditLogs.retrieveAuditLogEvents';
  const hang = service.faults.add({ operation, fault: { kind: 'hang' }, skip: 1 });
  const behind = service.service.as(ADMIN);
  behind.updateUser(ada, { active: false });
  behind.link('Pilots', bob);
  await hang.until(1);
  const DATABASE_URL = await kill(first, service, url);

  const clock = createLeapingClock();
  const second = await forTest(
    startTestBridge({ service, settings: { ...polled, DATABASE_URL }, clock }),
  );
  const found = DRIFTS.filter((drift) => !drift.startsWith('group.'));
  await expect.poll(() => second.listDrifts()).toEqual(found);
  await second.untilSettled();

  expect(await listAllDrifts(second)).toHaveLength(found.length);
});
