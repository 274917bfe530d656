import { expect, onTestFinished, test } from 'vitest';
import { createLaneHost, type LaneHostOptions, readLane } from '../../test/support/lane-host.ts';
import { addUser, getUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import type { JsonObject } from '../domain/json.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { toUserColumns } from '../store/engine/columns.ts';
import { findHeldLane } from '../store/lanes.ts';
import type { Store } from '../store/store.ts';
import { updateUser } from '../store/users/users.ts';
import { scim } from '../upstream/operations/scim.ts';

const NAME = 'ada@example.com';
const RENAMED = { name: { givenName: 'Ada', familyName: 'Lovelace' } };
const RENAMED_ROW = { version: 3, pending: '{"active":2,"name":3}' };

/** An active account of the service whose person is to be inactive, and a host that is about to converge it. */
async function startLeaver(store: Store, options: LaneHostOptions = {}) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.stop());
  const account = sandbox.service.addUser({ email: NAME, fullName: 'Ada' });
  const observed = { userName: NAME, fullName: 'Ada', active: true, at: 1, by: 'test' };
  const row = await addUser(store, {
    doc: { userName: NAME, active: false },
    upstream_id: account.id,
    observed: JSON.stringify(observed),
    pending: '{"active":2}',
    version: 2,
    due_at: 1,
  });
  const host = await createLaneHost(sandbox, store, options);
  const key = { type: 'user', id: row.id } as const;

  /** What a provider's write stores. */
  async function write(attributes: JsonObject, change: { version: number; pending: string }) {
    const columns = toUserColumns({ userName: NAME, ...attributes });
    await store.write((tx) => updateUser(tx, row.id, { ...columns, ...change, due_at: 1 }));
  }
  return { sandbox, host, key, row, write };
}

/** Runs `act` at the first call only. */
function once(act: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

describeStores('the permit of a call', ({ makeStore }) => {
  test('holds a call back that a write has overtaken, and nothing counts as failed', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write({ active: true }, { version: 3, pending: '{"active":3}' }),
    );
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(await getUser(store, leaver.row)).toMatchObject({
      pending: '{}',
      due_at: null,
      attempts: 0,
      last_error: null,
      must_look: 0,
      lane_owner: null,
    });
  });

  test('has what is wanted by now sent at once, in the same lane', async () => {
    const store = await makeStore();
    const beforeChange = once(() => leaver.write({ active: false, ...RENAMED }, RENAMED_ROW));
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    const { calls, service } = leaver.sandbox;
    expect(calls.count()).toBe(1);
    expect(service.getUser(NAME)).toMatchObject({ active: false, fullName: 'Ada Lovelace' });
    expect(await getUser(store, leaver.row)).toMatchObject({ pending: '{}', lane_token: 1 });
  });

  test('is given when a write changed nothing about the step, and the write counts as sent', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write({ active: false, title: 'Countess' }, { version: 3, pending: '{"active":3}' }),
    );
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count()).toBe(1);
    expect(await getUser(store, leaver.row)).toMatchObject({ pending: '{}', version: 3 });
  });

  test('is given when a write asks for the same again, and a refusal is the answer to both', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write({ active: false }, { version: 3, pending: '{"active":3}' }),
    );
    const leaver = await startLeaver(store, { beforeChange });
    const fault = { kind: 'status', status: 400 } as const;
    leaver.sandbox.faults.add({ operation: 'scim.updateUser', fault });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count()).toBe(1);
    const row = await getUser(store, leaver.row);
    expect(row).toMatchObject({ pending: '{"active":3}', attempts: 1 });
    expect(row.stuck_at).not.toBeNull();
  });

  test('that was not given keeps the place of the call in the queue', async () => {
    const store = await makeStore();
    let others: Promise<unknown>[] = [];
    const beforeChange = once(async () => {
      await leaver.write({ active: false, ...RENAMED }, RENAMED_ROW);
      const fault = { kind: 'delay', delayMs: 20 } as const;
      leaver.sandbox.faults.add({ operation: 'scim.getUsers', fault });
      const wait = (n: number) =>
        leaver.host.upstream.call(scim.getUsers, {}, { class: 'remove', key: `other-${n}` });
      others = [1, 2, 3].map(wait);
    });
    const leaver = await startLeaver(store, { beforeChange, inFlightMax: 1 });

    await leaver.host.run(leaver.key);
    await Promise.all(others);

    const order = leaver.sandbox.calls.recent().map(({ operation }) => operation);
    expect(order.indexOf('scim.updateUser')).toBeLessThan(2);
    expect(order).toHaveLength(4);
  });

  test('is not given for a lane that was lost: nothing is sent', async () => {
    const store = await makeStore();
    const beforeChange = once(() => other.steal(leaver.key));
    const leaver = await startLeaver(store, { beforeChange });
    const other = await createLaneHost(leaver.sandbox, store, { owner: 'two' });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count()).toBe(0);
    const row = await getUser(store, leaver.row);
    expect(row).toMatchObject({ lane_owner: 'two', lane_token: 2, pending: '{"active":2}' });
    expect(row).toMatchObject({ attempts: 0, last_error: null });
  });

  test('is not given for looks either, once the lane was lost', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store, { inFlightMax: 1 });
    const { sandbox, host, key } = leaver;
    const other = await createLaneHost(sandbox, store, { owner: 'two' });
    await store.write((tx) => updateUser(tx, leaver.row.id, { must_look: 1 }));
    const hang = sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' } });
    const ahead = host.upstream.call(scim.getUsers, {});
    await hang.until(1);

    const run = host.run(key);
    await expect.poll(() => host.upstream.health().waiting.remove).toBe(1);
    await other.steal(key);
    sandbox.faults.clear();
    await Promise.all([ahead, run]);

    expect(sandbox.calls.count({ operation: 'scim.getUser' })).toBe(0);
  });

  test('makes a lease longer that has become shorter than the call may take', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store);
    const { host, key, sandbox } = leaver;
    const { neededMs, lengthMs } = host.deps.policy.lease;
    const hang = sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
    const lease = await host.take(key);
    await store.write((tx) =>
      updateUser(tx, key.id, { lane_until: Date.now() + neededMs - 1_000 }),
    );

    const run = host.runIn(key, lease);
    await hang.until(1);
    const held = await findHeldLane(store.read, key, { owner: 'one', lease, now: Date.now() });
    sandbox.faults.clear();
    await run;

    expect(held?.leftMs).toBeGreaterThan(neededMs);
    expect(held?.leftMs).toBeLessThanOrEqual(lengthMs);
  });
});

describeStores('a lane', ({ makeStore }) => {
  test('that was lost in the middle of a call records nothing and is looked at first', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store);
    const { sandbox, host, key } = leaver;
    const other = await createLaneHost(sandbox, store, { owner: 'two' });
    const hang = sandbox.faults.add({
      operation: 'scim.updateUser',
      fault: { kind: 'hang', effect: 'done' },
    });
    const run = host.run(key);
    await hang.until(1);

    const lease = await other.steal(key);
    sandbox.faults.clear();
    await run;
    const after = await getUser(store, leaver.row);
    sandbox.calls.reset();
    await other.runIn(key, lease);

    expect(after).toMatchObject({ pending: '{"active":2}', lane_owner: 'two', lane_token: 2 });
    expect(after.observed).toBe(leaver.row.observed);
    expect(sandbox.calls.recent().at(0)?.operation).toBe('scim.getUser');
    expect(sandbox.calls.count({ mutating: true })).toBe(0);
    expect(await getUser(store, leaver.row)).toMatchObject({ pending: '{}', lane_owner: null });
  });

  test('is looked at again when the call of the one who lost it ended after the look', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store);
    const { sandbox, host, key } = leaver;
    const other = await createLaneHost(sandbox, store, { owner: 'two' });
    const late = { operation: 'scim.updateUser', fault: { kind: 'delay', delayMs: 200 } } as const;
    const lateCall = sandbox.faults.add({ ...late, times: 1 });
    const run = host.run(key);
    await lateCall.until(1);
    const lease = await other.steal(key);
    // Wanted active again meanwhile, so the late call does harm.
    await leaver.write({ active: true }, { version: 3, pending: '{"active":3}' });
    const seen = { operation: 'scim.getUser', fault: { kind: 'hang', effect: 'done' } } as const;
    const look = sandbox.faults.add({ ...seen, times: 1 });

    const second = other.runIn(key, lease);
    await look.until(1);
    await run;
    sandbox.faults.clear();
    await second;

    expect(sandbox.service.getUser(NAME).active).toBe(true);
    expect(await getUser(store, leaver.row)).toMatchObject({ pending: '{}', must_look: 0 });
  });

  test('is kept while its call waits for its turn, for longer than a lease', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store, { callMs: 300, inFlightMax: 1 });
    const { sandbox, host, key } = leaver;
    const other = await createLaneHost(sandbox, store, { owner: 'two' });
    const hang = sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' } });
    const ahead = host.upstream.call(scim.getUsers, {}, { timeoutMs: 20_000 });
    await hang.until(1);

    const lease = await host.take(key);
    const { lane_until } = await readLane(store, key);
    const run = host.runIn(key, lease);
    const end = (lane_until ?? 0) + 2 * host.deps.policy.lease.lengthMs;
    await expect
      .poll(async () => (await readLane(store, key)).lane_until, { interval: 10, timeout: 5_000 })
      .toBeGreaterThan(end);
    await expect(other.take(key)).rejects.toThrow('somebody else has the lane');
    sandbox.faults.clear();
    await Promise.all([ahead, run]);

    expect(sandbox.service.getUser(NAME).active).toBe(false);
    expect(await getUser(store, leaver.row)).toMatchObject({ lane_token: 1, pending: '{}' });
  });
});
