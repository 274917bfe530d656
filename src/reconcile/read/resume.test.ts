import { expect, test } from 'vitest';
import { describeCompany, describeStored } from '../../../test/support/company.ts';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { SELECTED, selectSome } from '../../../test/support/long.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import type { OperationName } from '../../sandbox/operations.ts';

const seed = { users: 250, groups: 30 };

describeBridges('first read, resumed', ({ makeStore }) => {
  const stops: { operation: OperationName; skip: number; calls: number }[] = [
    // Each process asks once whose token it has; the rest are pages.
    { operation: 'scim.getUsers', skip: 0, calls: 1 + 10 },
    { operation: 'scim.getUsers', skip: 2, calls: 1 + 8 },
    { operation: 'companyUsers.getListOfUsers', skip: 1, calls: 1 + 6 },
    { operation: 'scim.getGroups', skip: 0, calls: 1 + 3 },
    // The join needs this list whole, so it is read again.
    { operation: 'groups.getListOfGroups', skip: 1, calls: 1 + 2 },
  ];
  test.each(selectSome(stops))(
    'a process that ends at call $skip of $operation leaves the rest to the next',
    { tags: SELECTED },
    async ({ operation, skip, calls }) => {
      const store = await makeStore();
      const sandbox = await startCompany({ shape: 'narrowest', seed });
      const stuck = sandbox.faults.add({ operation, fault: { kind: 'hang' }, skip, times: 1 });
      const ended = await createReadForTest(sandbox, store);
      await ended.firstRead.start();
      await stuck.until(1);
      expect(ended.firstRead.finished).toBe(false);
      await ended.firstRead.stop();
      sandbox.calls.reset();

      const { firstRead } = await readAll(sandbox, store);

      expect(firstRead.finished).toBe(true);
      expect(await describeStored(store)).toEqual(describeCompany(sandbox));
      expect(sandbox.calls.count({ status: 200 })).toBe(calls);
    },
  );

  test.each(
    selectSome([
      { why: 'counts tell who is known', refused: 0 },
      { why: 'nothing tells how many there are', refused: 2 },
    ]),
  )(
    'members read group by group go on after the last one: $why',
    { tags: SELECTED },
    async ({ refused }) => {
      const store = await makeStore();
      const sandbox = await startCompany({ shape: { listCarriesMembers: false }, seed });
      const refuseParameters = () =>
        sandbox.faults.add({
          operation: 'groups.getListOfGroups',
          fault: { kind: 'status', status: 400 },
          times: refused,
        });
      const operation = 'groupUsers.getListOfGroupUsers';
      const fault = { kind: 'hang' } as const;
      const stuck = sandbox.faults.add({ operation, fault, skip: 20, times: 1 });
      refuseParameters();
      const ended = await createReadForTest(sandbox, store);
      await ended.firstRead.start();
      await stuck.until(1);
      await ended.firstRead.stop();
      sandbox.calls.reset();

      refuseParameters();
      await readAll(sandbox, store);

      expect(sandbox.calls.count({ operation, status: 200 })).toBe(10);
      expect(await describeStored(store)).toEqual(describeCompany(sandbox));
    },
  );

  test('a restart after the end serves at once and asks only whose token it has', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed: { users: 3, groups: 1 } });
    const { firstRead } = await readAll(sandbox, store);
    await firstRead.stop();
    sandbox.calls.reset();

    const next = await createReadForTest(sandbox, store);
    await next.firstRead.start();

    expect(next.firstRead.finished).toBe(true);
    expect(next.firstRead.ownAccount()).toBe(sandbox.service.owner.id);
    await next.idle();
    expect(sandbox.calls.count()).toBe(1);
    expect(sandbox.calls.count({ operation: 'users.retrieveCurrentUser' })).toBe(1);
  });

  test('a page that fails is asked for again, and the pages before it are not', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ shape: 'narrowest', seed });
    const fault = { kind: 'status', status: 503 } as const;
    sandbox.faults.add({ operation: 'scim.getUsers', fault, skip: 1, times: 2 });

    const { told } = await readAll(sandbox, store);

    expect(told.failures.map(({ step }) => step)).toEqual(['users', 'users']);
    expect(sandbox.calls.count({ operation: 'scim.getUsers' })).toBe(5);
    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
  });
});
