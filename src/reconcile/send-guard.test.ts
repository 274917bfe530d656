import { expect, onTestFinished, test } from 'vitest';
import { type ConvergeHostOptions, createConvergeHost } from '../../test/support/converge-host.ts';
import { addUser, getUser } from '../../test/support/rows.ts';
import { describePostgres, describeStores } from '../../test/support/stores.ts';
import { toVersions } from '../domain/cell-test-support.ts';
import type { JsonObject } from '../domain/json.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { listOwnCalls } from '../store/audit/own-calls.ts';
import { parseCells, toUserColumns } from '../store/engine/columns.ts';
import { recoverInFlight } from '../store/in-flight.ts';
import { takeLead, yieldLead } from '../store/leader.ts';
import type { Store } from '../store/store.ts';
import { updateUser } from '../store/users/users.ts';
import { scim } from '../upstream/operations/scim.ts';
import { toLeadersStore } from './lead.ts';
import { LOOK_AGAIN } from './retry-columns.ts';
import { writeCall } from './send-guard.ts';

const NAME = 'ada@example.com';
const RENAMED = { name: { givenName: 'Ada', familyName: 'Lovelace' } };
const RENAMED_ROW = { version: 3, cells: '{"active":{"pending":2},"name":{"pending":3}}' };

/** An active account of the service whose person is to be inactive, and a host that is about to converge it. */
async function startLeaver(
  store: Store,
  { hostStore = store, ...options }: ConvergeHostOptions & { readonly hostStore?: Store } = {},
) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.stop());
  const account = sandbox.service.addUser({ email: NAME, fullName: 'Ada' });
  const observed = { userName: NAME, fullName: 'Ada', active: true, at: 1, by: 'test' };
  const row = await addUser(store, {
    doc: { userName: NAME, active: false },
    upstream_id: account.id,
    observed: JSON.stringify(observed),
    cells: '{"active":{"pending":2}}',
    version: 2,
    due_at: 1,
  });
  const host = await createConvergeHost(sandbox, hostStore, options);
  const key = { type: 'user', id: row.id } as const;

  /** Stores a write of a provider. */
  async function write(attributes: JsonObject, change: { version: number; cells: string }) {
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

describeStores('the guard of a call', ({ makeStore }) => {
  test('stops a call that does not say what it changes', async () => {
    const store = await makeStore();
    const { host, key } = await startLeaver(store);
    const call = { operation: scim.updateUser, args: {}, changes: [] };

    const written = store.write((tx) => writeCall(tx, host.deps, { key, call }));

    await expect(written).rejects.toThrow('nobody says what scim.updateUser changes');
    expect(await listOwnCalls(store.read, { from: 0, to: 9, limit: 9 })).toEqual([]);
  });

  test('holds a call back that a write has overtaken, and nothing counts as failed', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write({ active: true }, { version: 3, cells: '{"active":{"pending":3}}' }),
    );
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count({ mutating: true })).toBe(0);
    expect(await getUser(store, leaver.row)).toMatchObject({
      cells: '{}',
      due_at: null,
      attempts: 0,
      last_error: null,
      must_look: 0,
      in_flight: 0,
    });
  });

  test('has what is wanted by now sent at once', async () => {
    const store = await makeStore();
    const beforeChange = once(() => leaver.write({ active: false, ...RENAMED }, RENAMED_ROW));
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    const { calls, service } = leaver.sandbox;
    expect(calls.count()).toBe(1);
    expect(service.getUser(NAME)).toMatchObject({ active: false, fullName: 'Ada Lovelace' });
    expect(await getUser(store, leaver.row)).toMatchObject({ cells: '{}', in_flight: 0 });
  });

  test('is given when a write changed nothing about the step, and the write counts as sent', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write(
        { active: false, title: 'Countess' },
        { version: 3, cells: '{"active":{"pending":3}}' },
      ),
    );
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count()).toBe(1);
    expect(await getUser(store, leaver.row)).toMatchObject({ cells: '{}', version: 3 });
  });

  test('is given when a write asks for the same again, and a refusal is the answer to both', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      leaver.write({ active: false }, { version: 3, cells: '{"active":{"pending":3}}' }),
    );
    const leaver = await startLeaver(store, { beforeChange });
    const fault = { kind: 'status', status: 400 } as const;
    leaver.sandbox.faults.add({ operation: 'scim.updateUser', fault });

    await leaver.host.run(leaver.key);

    // The look tells that it is not so already.
    expect(leaver.sandbox.calls.counts()).toEqual({
      'scim.updateUser': { 400: 1 },
      'scim.getUser': { 200: 1 },
    });
    const row = await getUser(store, leaver.row);
    expect(toVersions(parseCells(row))).toEqual({ active: 3 });
    expect(row.attempts).toBe(1);
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

  test('marks the resource as in flight until the outcome is stored', async () => {
    const store = await makeStore();
    const leaver = await startLeaver(store);
    const { sandbox, host, key } = leaver;
    const hang = sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });

    const run = host.run(key);
    await hang.until(1);
    const during = await getUser(store, leaver.row);
    sandbox.faults.clear();
    await run;

    expect(during).toMatchObject({ in_flight: 1, steps: 1 });
    expect(await getUser(store, leaver.row)).toMatchObject({ in_flight: 0, steps: 2 });
  });

  test('holds a call back for a look that was asked for since it was planned', async () => {
    const store = await makeStore();
    const beforeChange = once(() =>
      store.write((tx) => updateUser(tx, leaver.row.id, { must_look: LOOK_AGAIN })),
    );
    const leaver = await startLeaver(store, { beforeChange });

    await leaver.host.run(leaver.key);

    const operations = leaver.sandbox.calls.recent().map(({ operation }) => operation);
    expect(operations[0]).toBe('scim.getUser');
    expect(operations).toContain('scim.updateUser');
  });
});

/** As a process is to the database that leads, or led. */
describePostgres('a process that does not lead any more', ({ makeStore }) => {
  const times = { leaseMs: 60_000, callMs: 0 };

  async function startLeader(options: ConvergeHostOptions = {}) {
    const store = await makeStore();
    const lead = await store.write((tx) => takeLead(tx, 'one', times));
    if (lead === undefined) throw new Error('somebody leads already');
    const takeOver = () =>
      store.write(async (tx) => {
        await yieldLead(tx, lead, true);
        await takeLead(tx, 'two', times);
        await recoverInFlight(tx, Date.now());
      });
    const own = toLeadersStore(store, lead);
    const leaver = await startLeaver(store, { ...options, hostStore: own });
    return { store, takeOver, leaver };
  }

  test('sends nothing', async () => {
    const beforeChange = once(() => leader.takeOver());
    const leader = await startLeader({ beforeChange });
    const { leaver, store } = leader;

    await leaver.host.run(leaver.key);

    expect(leaver.sandbox.calls.count()).toBe(0);
    expect(leaver.host.failures).toEqual([]);
    const row = await getUser(store, leaver.row);
    expect(row).toMatchObject({ cells: '{"active":{"pending":2}}', attempts: 0, in_flight: 0 });
  });

  test('records nothing of a call that was on its way, which the next leader looks after first', async () => {
    const { leaver, store, takeOver } = await startLeader();
    const { sandbox, host, key } = leaver;
    const fault = { kind: 'hang', effect: 'done' } as const;
    const hang = sandbox.faults.add({ operation: 'scim.updateUser', fault });
    const run = host.run(key);
    await hang.until(1);

    await takeOver();
    sandbox.faults.clear();
    await run;
    const after = await getUser(store, leaver.row);
    sandbox.calls.reset();
    const next = await createConvergeHost(sandbox, store);
    await next.run(key);

    expect(after).toMatchObject({ cells: '{"active":{"pending":2}}', must_look: 1, in_flight: 0 });
    expect(after.observed).toBe(leaver.row.observed);
    expect(host.failures).toEqual([]);
    expect(sandbox.calls.recent().map(({ operation }) => operation)).toEqual(['scim.getUser']);
    expect(await getUser(store, leaver.row)).toMatchObject({ cells: '{}', must_look: 0 });
  });
});
