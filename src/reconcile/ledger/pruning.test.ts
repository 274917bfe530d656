import { expect, onTestFinished, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { insertAccessToken } from '../../store/access-tokens.ts';
import type { Store } from '../../store/database.ts';
import { insertDrifts, listDriftViews } from '../../store/drifts.ts';
import { endSweep, findRunningSweep, insertSweep, listSweeps } from '../../store/sweeps.ts';
import { createPruning } from './pruning.ts';

const DAY_MS = 24 * 3_600_000;
const now = 100 * DAY_MS;
const end = { status: 'complete', calls: 3, counts: '{}', reasons: '[]', plan_id: null } as const;

async function addSweep(store: Store, endedAt: number): Promise<void> {
  await store.write(async (tx) => {
    await insertSweep(tx, { readsAdmins: false, isDryRun: false, now: endedAt - 1 });
    const id = (await findRunningSweep(tx))?.id ?? '';
    await tx.updateTable('sweeps').set({ owner: 'a' }).where('id', '=', id).execute();
    await endSweep(tx, { id, owner: 'a' }, { ...end, ended_at: endedAt });
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

/** Begins to forget, and gives what fails. */
function startPruning(store: Store): readonly unknown[] {
  const failures: unknown[] = [];
  const pruning = createPruning(
    {
      store,
      clock: { now: () => now, sleep: async () => undefined },
      policy: { deactivation: 'scim' },
      events: { failed: ({ error }) => void failures.push(error) },
    },
    {
      ...{ ledgerMs: DAY_MS, auditMs: DAY_MS, requestsMs: DAY_MS, requestRowsMax: 10 },
      ...{ driftsMs: 30 * DAY_MS, plansMs: 30 * DAY_MS, tombstonesMs: 0 },
    },
  );
  onTestFinished(() => pruning.stop());
  pruning.start();
  return failures;
}

describeStores('what the store remembers of the past', ({ makeStore }) => {
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

    const all = { kind: undefined, status: undefined, afterSeq: 0, limit: 10 };
    const left = (await listDriftViews(store.read, all)).map(({ resourceId }) => resourceId);
    expect(left).toEqual([`open-${old}`, `open-${young}`, `gone-${young}`]);
    expect(failures).toEqual([]);
  });

  test('holds no access token that has expired', async () => {
    const store = await makeStore();
    const token = { client_id: 'c', secret_id: 's', digest: '', created_at: 0 };
    await store.write(async (tx) => {
      await insertAccessToken(tx, { ...token, id: 'old', expires_at: now - 1 });
      await insertAccessToken(tx, { ...token, id: 'young', expires_at: now + 1 });
    });
    const failures = startPruning(store);
    const list = async () =>
      (await store.read.selectFrom('access_tokens').select('id').execute()).map(({ id }) => id);

    await expect.poll(list, { interval: 5 }).toEqual(['young']);
    expect(failures).toEqual([]);
  });
});
