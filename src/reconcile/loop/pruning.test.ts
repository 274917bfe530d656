import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { addGroup } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { groupId, newId, userId } from '../../domain/ids.ts';
import { insertAuditEvents } from '../../store/audit/events.ts';
import { insertOwnCall } from '../../store/audit/own-calls.ts';
import { insertAccessToken } from '../../store/credentials/clients.ts';
import { insertUsedAssertion } from '../../store/credentials/used-assertions.ts';
import { listDriftViews } from '../../store/drift-views.ts';
import { insertDrifts } from '../../store/drifts.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import { insertErrand } from '../../store/errands.ts';
import { insertPlan } from '../../store/plans/plans.ts';
import { saveDispute } from '../../store/resources/disputes.ts';
import { keepFormerNames, listNamesAfter } from '../../store/resources/former-names.ts';
import type { Store } from '../../store/store.ts';
import { endSweep, findRunningSweep, insertSweep, listSweeps } from '../../store/sweeps.ts';
import { insertUser } from '../../store/users/users.ts';
import { insertWait } from '../../store/waits.ts';
import { toObservedColumns } from '../user/observe.ts';
import { createPruning, type Pruning, type Retention } from './pruning.ts';

const DAY_MS = 24 * 3_600_000;
const now = 100 * DAY_MS;
const end = { status: 'complete', calls: 3, counts: '{}', reasons: '[]', plan_id: null } as const;

async function addSweep(store: Store, endedAt: number): Promise<void> {
  await store.write(async (tx) => {
    await insertSweep(tx, { readsAdmins: false, isDryRun: false, now: endedAt - 1 });
    const id = (await findRunningSweep(tx))?.id ?? '';
    await endSweep(tx, id, { ...end, ended_at: endedAt });
  });
}

/** One drift of each status, of a group of that name, last seen then. */
async function addDrifts(store: Store, seenAt: number): Promise<void> {
  const drift = {
    kind: 'group.missing',
    type: 'group',
    memberId: '',
    desired: 1,
    observed: 0,
  } as const;
  const differences = ['open', 'gone'].map((status) => ({
    ...drift,
    resourceId: `${status}-${seenAt}`,
  }));
  await store.write(async (tx) => {
    await insertDrifts(tx, differences, { detector: 'sweep', now: seenAt });
    const gone = tx.updateTable('drifts').set({ status: 'gone' });
    await gone.where('resource_id', 'like', 'gone-%').execute();
  });
}

/** A plan of so many actions that ended then. */
async function addPlan(store: Store, id: string, ended: { at: number; actions: number }) {
  const none = { reason: null, undoes: null, decided_at: null, decided_by: null } as const;
  const plan = { ...none, id, hash: '', source: 'sweep', counts: '{}', automatic: 1 } as const;
  const action = {
    ...({ kind: 'group.create', type: 'group', resourceId: id, memberId: '' } as const),
    ...{ desired: 1, observed: 0, harm: undefined },
  };
  const actions = Array.from({ length: ended.actions }, () => action);
  await store.write((tx) =>
    insertPlan(tx, { ...plan, status: 'applied', created_at: 1, ended_at: ended.at }, actions),
  );
}

async function addCall(store: Store, at: number): Promise<void> {
  const key = { type: 'group', id: groupId('g') } as const;
  const call = { at, operation: 'groups.createGroup', key };
  await store.write((tx) => insertOwnCall(tx, { ...call, changes: [{ kind: 'group.create' }] }));
}

async function addEvent(store: Store, createdAt: number): Promise<void> {
  const said = { message: null, details: null, origin: 'foreign', explained_by: null } as const;
  const author = { author_id: 1, author_uid: null, author_username: null, author_address: null };
  const times = { created_at: createdAt, seen_at: createdAt };
  const event = { id: newId(), category: 'user', action: 'update', ...times, ...said, ...author };
  await store.write((tx) => insertAuditEvents(tx, [event]));
}

/** Somebody of this name who was deleted then, and whose account does not work. */
async function addTombstone(store: Store, name: string, deletedAt: number): Promise<void> {
  const observed = { fullName: name, active: false, at: deletedAt, by: 'scim.getUsers' };
  await store.write((tx) =>
    insertUser(tx, {
      ...toUserColumns({ userName: name, active: false }),
      ...toObservedColumns({ erased_at: null }, observed),
      ...{ id: userId(newId()), origin: 'created', upstream_id: deletedAt / DAY_MS },
      ...{ created_at: 1, modified_at: deletedAt, deleted_at: deletedAt },
    }),
  );
}

/** Not begun; what fails is added to `failures`. */
function makePruning(store: Store, failures: unknown[], change: Partial<Retention> = {}): Pruning {
  return createPruning(
    {
      store,
      clock: { now: () => now, sleep: async () => undefined },
      policy: { deactivation: 'scim' },
      events: { failed: ({ error }) => void failures.push(error) },
      rules: { protection: { protectsName: (type, name) => type === 'user' && name === 'ada' } },
    },
    {
      ...{ ledgerMs: 30 * DAY_MS, ledgerRowsMax: 1_000, auditMs: 30 * DAY_MS, auditRowsMax: 1_000 },
      ...{ requestsMs: DAY_MS, requestRowsMax: 10, actsMs: 30 * DAY_MS, actRowsMax: 1_000 },
      ...{ driftsMs: 30 * DAY_MS, plansMs: 30 * DAY_MS, tombstonesMs: 0 },
      ...change,
    },
  );
}

/** Begins to forget, and gives what fails. */
function startPruning(store: Store, change: Partial<Retention> = {}): readonly unknown[] {
  const failures: unknown[] = [];
  const pruning = makePruning(store, failures, change);
  onTestFinished(() => pruning.stop());
  pruning.start();
  return failures;
}

describeStores('what the store remembers of the past', ({ makeStore }) => {
  test('is left alone after a stop, which waits for the transaction that runs', async () => {
    const store = await makeStore();
    const writes = { begun: 0, running: 0 };
    const watched: Store = {
      ...store,
      async write(work) {
        writes.begun += 1;
        writes.running += 1;
        return store.write(work).finally(() => {
          writes.running -= 1;
        });
      },
    };
    const pruning = makePruning(watched, []);
    pruning.start();
    await expect.poll(() => writes.begun, { interval: 0 }).toBeGreaterThan(0);
    const { begun } = writes;

    await pruning.stop();

    expect(writes.running).toBe(0);
    expect(writes.begun).toBe(begun);
  });

  test('is bounded in rows, but for what is younger than two days', async () => {
    const store = await makeStore();
    const ages = [5, 4, 3, 1, 0];
    for (const days of ages) await addCall(store, now - days * DAY_MS);
    for (const days of ages) await addEvent(store, now - days * DAY_MS);

    startPruning(store, { ledgerRowsMax: 1, auditRowsMax: 4 });

    const listDays = (times: readonly number[]) => times.map((at) => (now - at) / DAY_MS);
    await expect
      .poll(async () => {
        const calls = await store.read.selectFrom('own_calls').select('at').orderBy('at').execute();
        return listDays(calls.map(({ at }) => at));
      })
      .toEqual([1, 0]);
    await expect
      .poll(async () => {
        const events = store.read.selectFrom('audit_events').select('created_at');
        const rows = await events.orderBy('created_at').execute();
        return listDays(rows.map(({ created_at }) => created_at));
      })
      .toEqual([4, 3, 1, 0]);
  });

  test('is forgotten of names that are disputed no longer, and of groups that are deleted', async () => {
    const store = await makeStore();
    const [old, young] = [now - 91 * DAY_MS, now - 29 * DAY_MS];
    await store.write(async (tx) => {
      for (const [nameFolded, at] of [
        ['old', old],
        ['young', young],
      ] as const) {
        await saveDispute(tx, { type: 'user', nameFolded, reason: 'two accounts', now: at });
      }
    });
    const gone = await addGroup(store, { deleted_at: old });
    const kept = [
      await addGroup(store, { deleted_at: young }),
      await addGroup(store, { deleted_at: old, due_at: now }),
      await addGroup(store, { deleted_at: old, upstream_uid: 'still-there' }),
      await addGroup(store),
    ];

    startPruning(store, { tombstonesMs: 90 * DAY_MS });

    const listIds = async () => {
      const rows = await store.read.selectFrom('groups').select('id').orderBy('seq').execute();
      return rows.map(({ id }) => id);
    };
    await expect.poll(listIds).toEqual(kept.map(({ id }) => id));
    expect(await listIds()).not.toContain(gone.id);
    const disputes = await store.read.selectFrom('disputes').select('name_folded').execute();
    expect(disputes).toEqual([{ name_folded: 'young' }]);
  });

  test('is forgotten when its time is over without any sweep, but for drifts that are there', async () => {
    const store = await makeStore();
    const [old, young] = [now - 31 * DAY_MS, now - 29 * DAY_MS];
    for (const at of [old, young]) {
      await addSweep(store, at);
      await addDrifts(store, at);
    }
    const failures = startPruning(store);
    const countSweeps = async () =>
      (await listSweeps(store.read, { beforeSeq: 1_000, limit: 10 })).length;
    await expect.poll(countSweeps, { interval: 5 }).toBe(1);

    const all = { kind: undefined, statuses: undefined, afterSeq: 0, limit: 10 };
    const left = (await listDriftViews(store.read, all)).map(({ resourceId }) => resourceId);
    expect(left).toEqual([`open-${old}`, `open-${young}`, `gone-${young}`]);
    expect(failures).toEqual([]);
  });

  test('of names goes where nobody is protected by them', async () => {
    const store = await makeStore();
    const many = Array.from({ length: 501 }, (_, index) => `bob${index}`);
    await store.write(async (tx) => {
      await keepFormerNames(tx, { type: 'user', id: 'a' }, { old: [...many, 'ada'], names: [] });
      await keepFormerNames(tx, { type: 'group', id: 'b' }, { old: ['ada'], names: [] });
    });
    const failures = startPruning(store);
    const list = () => listNamesAfter(store.read, { after: undefined, limit: 1_000 });

    const left = { resource_type: 'user', resource_id: 'a', name_folded: 'ada' };
    await expect.poll(list, { interval: 5 }).toEqual([left]);
    expect(failures).toEqual([]);
  });

  test('of plans goes in parts, with all of their actions', async () => {
    const store = await makeStore();
    await addPlan(store, 'old', { at: now - 31 * DAY_MS, actions: 2_001 });
    await addPlan(store, 'young', { at: now - 29 * DAY_MS, actions: 1 });
    const failures = startPruning(store);
    const list = async (table: 'plans' | 'plan_actions') => {
      const column = table === 'plans' ? 'id' : 'resource_id';
      const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id
        from ${sql.table(table)}`.execute(store.read);
      return rows.map(({ id }) => id);
    };

    await expect.poll(() => list('plans'), { interval: 5 }).toEqual(['young']);
    expect(await list('plan_actions')).toEqual(['young']);
    expect(failures).toEqual([]);
  });

  for (const { retention, want } of [
    { retention: 30 * DAY_MS, want: ['erased', 'bea'] },
    { retention: 0, want: ['ada', 'bea'] },
  ]) {
    test(`of deleted people ${retention === 0 ? 'stays for ever where nothing else is set' : 'is without names after a time'}`, async () => {
      const store = await makeStore();
      await addTombstone(store, 'ada', now - 31 * DAY_MS);
      await addTombstone(store, 'bea', now - 29 * DAY_MS);
      await addSweep(store, now - 31 * DAY_MS);
      const failures = startPruning(store, { tombstonesMs: retention, plansMs: DAY_MS });
      const list = async () => {
        const users = store.read.selectFrom('users').select('user_name').orderBy('seq');
        return (await users.execute()).map(({ user_name }) => user_name);
      };
      const countSweeps = async () =>
        (await listSweeps(store.read, { beforeSeq: 1_000, limit: 10 })).length;

      // Sweeps are forgotten just before people are.
      await expect.poll(countSweeps, { interval: 5 }).toBe(0);
      await expect.poll(list, { interval: 5 }).toEqual(want);
      expect(failures).toEqual([]);
    });
  }

  test('holds no access token, assertion, wait or errand that is over', async () => {
    const store = await makeStore();
    const HOUR_MS = DAY_MS / 24;
    const token = { client_id: 'c', secret_id: 's', digest: '', created_at: 0 };
    const wait = { resource_type: 'user', resource_id: 'ada', version: 1, undo: '{}' } as const;
    const add = (id: string, { over, told }: { over: number; told: number }) =>
      store.write(async (tx) => {
        await insertAccessToken(tx, { ...token, id, expires_at: over });
        await insertUsedAssertion(tx, { client_id: 'c', digest: id, expires_at: over }, now);
        await insertWait(tx, { ...wait, id, until: told });
        await insertErrand(tx, { id, task: 'call', until: told });
      });
    await add('old', { over: now - 1, told: now - HOUR_MS - 1 });
    await add('young', { over: now + 1, told: now - HOUR_MS });
    const failures = startPruning(store);
    const list = async () => {
      const { read } = store;
      const ids = await sql<{ id: string }>`select id from access_tokens union all
        select digest from used_assertions union all select id from waits union all
        select id from errands`.execute(read);
      return ids.rows.map(({ id }) => id);
    };

    await expect.poll(list, { interval: 5 }).toEqual(['young', 'young', 'young', 'young']);
    expect(failures).toEqual([]);
  });
});
