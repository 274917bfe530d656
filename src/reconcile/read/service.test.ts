import { expect, test } from 'vitest';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import type { Fault } from '../../sandbox/faults.ts';
import type { Hold } from '../deps.ts';
import { SERVICE } from './service.ts';

const seed = { users: 3, groups: 1 };

/** Resolves to true when changes are let through. */
async function isOver({ over }: Pick<Hold, 'over'>): Promise<boolean> {
  const notYet = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([over.then(() => true), notYet]);
}

describeBridges('the service of a store', ({ makeStore }) => {
  test('it is remembered with its company and our own account', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });

    const { firstRead } = await readAll(sandbox, store);

    expect(await SERVICE.find(store.read)).toEqual({
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
    // The list of users names the company too.
    expect(await SERVICE.find(store.read)).toEqual({
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

  test('another company behind the same address stops the bridge: nothing is read, nothing changed', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const value = { identity: 'sandbox', companyId: -1 };
    await store.write((tx) => SERVICE.save(tx, value, 1));

    const { firstRead } = await createReadForTest(sandbox, store);
    await firstRead.start();

    expect(await firstRead.broken).toMatchObject({
      code: 'other-service',
      message: expect.stringContaining('DATABASE_URL'),
    });
    await firstRead.stop();
    expect(await isOver(firstRead.hold)).toBe(false);
    expect(sandbox.calls.count()).toBe(1);
  });

  test('a store that was read before is not used for another company either', async () => {
    const store = await makeStore();
    await (await readAll(await startCompany({ seed }), store)).firstRead.stop();
    const other = await startCompany({ seed });

    const { firstRead } = await createReadForTest(other, store);
    await firstRead.start();

    expect(await firstRead.broken).toMatchObject({ code: 'other-service' });
    await firstRead.stop();
    expect(await isOver(firstRead.hold)).toBe(false);
    expect(other.calls.count()).toBe(1);
  });

  test('the account of a new token is the one that is protected from then on', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const value = { identity: 'sandbox', accountId: 99 };
    await (await readAll(sandbox, store)).firstRead.stop();
    await store.write((tx) => SERVICE.save(tx, value, 1));

    const { firstRead } = await readAll(sandbox, store);

    expect(firstRead.ownAccount()).toBe(sandbox.service.owner.id);
  });

  test('nothing is changed while it is not known whose service answers, and a service that is down is asked again', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const down = sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });

    const { firstRead } = await createReadForTest(sandbox, store);
    await firstRead.start();
    await down.until(9);
    const whileDown = [firstRead.finished, await isOver(firstRead.hold), firstRead.hold.isLong()];
    down.remove();
    await firstRead.hold.over;
    await firstRead.stop();

    expect(whileDown).toEqual([true, false, true]);
  });

  test('an operation that fails for ever, while the others work, holds nothing up', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const fault = { kind: 'status', status: 500 } as const;
    sandbox.faults.add({ operation: 'users.retrieveCurrentUser', fault });

    const { firstRead } = await createReadForTest(sandbox, store);
    await firstRead.start();
    await firstRead.hold.over;
    await firstRead.stop();

    // Known facts stay known.
    expect(firstRead.ownAccount()).toBe(sandbox.service.owner.id);
  });
});
