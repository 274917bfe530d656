import { expect, test } from 'vitest';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Fault } from '../../sandbox/faults.ts';
import { saveFact } from '../../store/facts.ts';
import { findService } from './service.ts';

const seed = { users: 3, groups: 1 };

describeStores('the service of a store', ({ makeStore }) => {
  test('it is remembered with its company and our own account', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });

    const { firstRead } = await readAll(sandbox, store);

    expect(await findService(store.read)).toEqual({
      identity: 'sandbox',
      accountId: sandbox.service.owner.id,
      companyId: expect.any(Number),
    });
    expect(firstRead.ownAccount()).toBe(sandbox.service.owner.id);
  });

  test.each<Fault>([
    { kind: 'status', status: 404 },
    { kind: 'status', status: 403 },
    { kind: 'html' },
  ])('a service that does not tell who we are is read all the same: %o', async (fault) => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    sandbox.faults.add({ operation: 'users.retrieveCurrentUser', fault });

    const { firstRead } = await readAll(sandbox, store);

    expect(firstRead.finished).toBe(true);
    expect(firstRead.ownAccount()).toBeUndefined();
    // The list of people names the company too.
    expect(await findService(store.read)).toEqual({
      identity: 'sandbox',
      companyId: expect.any(Number),
    });
  });

  test('another base URL stops the start and says what to do', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    sandbox.calls.reset();

    const identity = 'https://other.example';
    const { firstRead } = await createReadForTest(sandbox, store, { identity });

    await expect(firstRead.start()).rejects.toMatchObject({
      code: 'other-service',
      message: expect.stringContaining('UPSTREAM_URL'),
    });
    expect(sandbox.calls.count()).toBe(0);
  });

  test('another company is never read into the store', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const value = { identity: 'sandbox', companyId: -1 };
    await store.write((tx) => saveFact(tx, { name: 'service', value, now: 1 }));
    const operation = 'users.retrieveCurrentUser';
    const asked = sandbox.faults.add({ operation, fault: { kind: 'delay', delayMs: 0 } });

    const { firstRead } = await createReadForTest(sandbox, store);
    await firstRead.start();
    await asked.until(3);

    expect(firstRead.state()).toMatchObject({
      kind: 'running',
      step: 'service',
      problem: { code: 'other-service' },
    });
    expect(sandbox.calls.count({ operation: 'scim.getUsers' })).toBe(0);
  });
});
