import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { listActsOf } from '../../store/audit/acts.ts';
import type { Store } from '../../store/store.ts';
import { createActLog } from './act-log.ts';

const ACT = {
  requestId: 'r-1',
  method: 'POST',
  credential: 'token-1',
  remoteAddress: '192.0.2.1',
  change: undefined,
};
const EVER = { id: 'nobody', since: 0, limit: 10 };

function createLog(store: Store, now: () => number) {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  return { ...createActLog({ store, clock: { now }, onFailure }), failures };
}

async function listOutages(store: Store): Promise<object[]> {
  const rows = await listActsOf(store.read, EVER);
  return rows.map(({ act, at, ended_at }) => ({ act, at, ended_at }));
}

describeStores('outages of the service', ({ makeStore }) => {
  test('are kept once, whichever process sees them, with their end', async () => {
    const store = await makeStore();
    let now = 1_000;
    const [first, second] = [createLog(store, () => now), createLog(store, () => now)];

    first.gateChanged({ gate: 'service', isShut: true });
    await first.stop();
    second.gateChanged({ gate: 'service', isShut: true });
    now = 2_000;
    second.gateChanged({ gate: 'service', isShut: false });
    await second.stop();

    expect(await listOutages(store)).toEqual([{ act: 'service', at: 1_000, ended_at: 2_000 }]);
  });

  test('end with the next start where a process was killed meanwhile', async () => {
    const store = await makeStore();
    const killed = createLog(store, () => 1_000);
    killed.gateChanged({ gate: 'credentials', isShut: true });
    await killed.stop();

    const next = createLog(store, () => 5_000);
    next.start();
    await next.stop();

    expect(await listOutages(store)).toEqual([{ act: 'credentials', at: 1_000, ended_at: 5_000 }]);
  });
});

describeStores('decisions of operators', ({ makeStore }) => {
  test('are kept where they were done and decide something', async () => {
    const store = await makeStore();
    const log = createLog(store, () => 1_000);
    const by = { ...ACT, operator: 'alice', target: 'id-1' };

    log.acted({ ...by, route: '/ops/users/:id/adopt', status: 200 });
    log.acted({ ...by, route: '/ops/users/:id/look', status: 409 });
    log.acted({ ...by, target: 'token-1', route: '/ops/tokens/', status: 201 });
    log.acted({ ...ACT, operator: 'bob', target: undefined, route: '/ops/pause/', status: 200 });
    await log.stop();

    const ofOne = await listActsOf(store.read, { ...EVER, id: 'id-1' });
    const ofOther = await listActsOf(store.read, { ...EVER, id: 'id-2' });
    expect(ofOne.map(({ operator, act }) => `${operator} ${act}`)).toEqual([
      'bob paused all changes',
      'alice adopted it',
    ]);
    expect(ofOther.map(({ operator }) => operator)).toEqual(['bob']);
  });

  test("that changed nothing stand in nobody else's line of time", async () => {
    const store = await makeStore();
    const log = createLog(store, () => 1_000);
    const [open, paused] = [{ paused: false }, { paused: true }];
    const by = { ...ACT, operator: 'alice', target: undefined, status: 200 };

    log.acted({ ...by, route: '/ops/resume', change: { before: open, after: open } });
    log.acted({ ...by, route: '/ops/pause', change: { before: open, after: paused } });
    log.acted({ ...by, route: '/ops/pause', change: { before: paused, after: paused } });
    await log.stop();

    expect((await listActsOf(store.read, EVER)).map(({ act }) => act)).toEqual([
      'paused all changes',
    ]);
  });

  test('that the store does not take are told, and the next is kept', async () => {
    const store = await makeStore();
    let isFull = true;
    const failures: unknown[] = [];
    const log = createActLog({
      store: {
        read: store.read,
        write: (run) => (isFull ? Promise.reject(new Error('full')) : store.write(run)),
      },
      clock: { now: () => 1_000 },
      onFailure: (error) => failures.push(error),
    });
    const act = { ...ACT, operator: 'alice', target: undefined, status: 200 };

    log.acted({ ...act, route: '/ops/pause' });
    await log.stop();
    isFull = false;
    log.acted({ ...act, route: '/ops/resume' });
    await log.stop();

    expect(failures).toHaveLength(1);
    expect((await listActsOf(store.read, EVER)).map(({ act: word }) => word)).toEqual([
      'ended the pause of all changes',
    ]);
  });
});
