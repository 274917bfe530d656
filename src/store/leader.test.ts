import { expect, test } from 'vitest';
import { untilOthersWait } from '../../test/support/postgres-locks.ts';
import { describePostgres } from '../../test/support/stores.ts';
import {
  findLeader,
  holdLead,
  type Lead,
  type LeadTimes,
  renewLead,
  takeLead,
  yieldLead,
} from './leader.ts';
import type { Store } from './store.ts';

const times = { leaseMs: 60_000, callMs: 5_000 };
/** A lease that is over as soon as it is given. */
const over = { leaseMs: -1_000, callMs: 5_000 };

const take = (store: Store, owner: string, given = times) =>
  store.write((tx) => takeLead(tx, owner, given));

async function takeFirst(store: Store, times: LeadTimes): Promise<Lead> {
  const lead = await take(store, 'a', times);
  if (lead === undefined) throw new Error('nobody leads');
  return lead;
}

describePostgres('the leader', ({ makeStore }) => {
  test('is one of many who ask at the same time', async () => {
    const store = await makeStore();

    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => take(store, owner)));

    const leads = taken.filter((lead) => lead !== undefined);
    expect(leads).toMatchObject([{ epoch: 1, quietInMs: 0, before: undefined }]);
    expect(await findLeader(store)).toMatchObject({ owner: leads[0]?.owner, epoch: 1 });
  });

  test('is another one once its lease is over, in a higher epoch, and its calls are waited for', async () => {
    const store = await makeStore();
    await take(store, 'a', over);

    const lead = await take(store, 'b');

    expect(lead).toMatchObject({ owner: 'b', epoch: 2, before: 'a' });
    expect(lead?.quietInMs).toBeGreaterThan(3_000);
    expect(lead?.quietInMs).toBeLessThanOrEqual(4_000);
  });

  test('that gives the lead up is followed at once, and its calls are not waited for', async () => {
    const store = await makeStore();
    const lead = await take(store, 'a');
    if (lead) await store.write((tx) => yieldLead(tx, lead, true));

    expect(await take(store, 'b')).toMatchObject({ owner: 'b', epoch: 2, quietInMs: 0 });
  });

  test('that gives the lead up before it was quiet leaves the wait to the next', async () => {
    const store = await makeStore();
    await take(store, 'a', over);
    const lead = await take(store, 'b');
    if (lead) await store.write((tx) => yieldLead(tx, lead, false));

    expect((await take(store, 'c'))?.quietInMs).toBeGreaterThan(3_000);
  });

  test('keeps the lead by renewals, which say what the others have to know', async () => {
    const store = await makeStore();
    const lead = await take(store, 'a', over);
    if (lead === undefined) throw new Error('nobody leads');

    expect(await renewLead(store, { ...lead, news: '{"n":1}' }, times)).toMatchObject({ epoch: 1 });
    expect(await renewLead(store, { ...lead, news: null }, times)).toMatchObject({ epoch: 1 });

    expect(await take(store, 'b')).toBeUndefined();
    expect(await findLeader(store)).toMatchObject({ owner: 'a', epoch: 1, news: '{"n":1}' });
  });

  test('that was taken over neither renews nor stores', async () => {
    const store = await makeStore();
    const lead = await takeFirst(store, over);
    await take(store, 'b');

    expect(await renewLead(store, { ...lead, news: null }, times)).toBeUndefined();
    expect(await store.write((tx) => holdLead(tx, lead))).toBe(false);
  });

  test('renews beside a transaction that proved the lead, which a takeover waits for', async () => {
    const store = await makeStore();
    const lead = await takeFirst(store, over);
    const order: string[] = [];

    let taking: Promise<unknown> | undefined;
    const isProven = await store.write(async (tx) => {
      const isHeld = await holdLead(tx, lead);
      const isRenewed = await renewLead(store, { ...lead, news: null }, over);
      taking = take(store, 'b').then(() => order.push('taken'));
      await untilOthersWait(tx, store);
      order.push('stored');
      return isHeld && isRenewed !== undefined;
    });
    await taking;

    expect(isProven).toBe(true);
    expect(order).toEqual(['stored', 'taken']);
  });
});
