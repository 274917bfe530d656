import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { ask, done } from '../../domain/cell.ts';
import { deferForSeat } from '../../domain/failure.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserField } from '../../domain/user.ts';
import { parseCells, toUserCellColumns } from '../engine/columns.ts';
import type { Store } from '../store.ts';
import {
  callNextForSeat,
  countTakenSeats,
  countWaitingForSeat,
  findFirstForSeat,
} from './seats.ts';
import { getUserRow } from './users.ts';

const LATER = 1_000_000;
const problem = { code: 'no-seat', words: 'no seats', status: 402 };

/** Somebody whose account waits for a seat since then. */
async function addWaiting(store: Store, since: number, isPending = true): Promise<UserId> {
  const asked = ask<UserField>({}, ['account'], 1);
  const wait = { fields: ['account'] as const, problem, now: since, retryAt: LATER };
  const columns = toUserCellColumns(deferForSeat(asked, wait));
  const cells = isPending ? columns.cells : JSON.stringify(done(asked, asked, ['account']));
  return (await addUser(store, { ...columns, cells, due_at: LATER })).id;
}

describeStores('the line for a seat', ({ makeStore }) => {
  test('is in the order of waiting, and its first is called', async () => {
    const store = await makeStore();
    const second = await addWaiting(store, 20);
    const first = await addWaiting(store, 10);

    const called = await store.write((tx) => callNextForSeat(tx, 50));

    const row = await getUserRow(store.read, first);
    const other = await getUserRow(store.read, second);
    expect(called).toBe(true);
    expect((await findFirstForSeat(store.read))?.id).toBe(first);
    expect([row.due_at, parseCells<UserField>(row).account?.failure?.retryAt]).toEqual([50, 50]);
    expect([other.due_at, parseCells<UserField>(other).account?.failure?.retryAt]).toEqual([
      LATER,
      LATER,
    ]);
    expect(await countWaitingForSeat(store.read)).toBe(2);
  });

  test('is left by whom nothing waits for any more', async () => {
    const store = await makeStore();
    await addWaiting(store, 10, false);
    const next = await addWaiting(store, 20);

    await store.write((tx) => callNextForSeat(tx, 50));

    expect((await findFirstForSeat(store.read))?.id).toBe(next);
    expect((await getUserRow(store.read, next)).due_at).toBe(50);
  });

  test('is empty where nobody waits', async () => {
    const store = await makeStore();
    await addWaiting(store, 10, false);

    const called = await store.write((tx) => callNextForSeat(tx, 50));

    expect(called).toBe(false);
    expect(await countWaitingForSeat(store.read)).toBe(0);
  });

  test('an account is counted once, also where two rows had it', async () => {
    const store = await makeStore();
    const rows = [
      { upstream_id: 7, takes_seat: 1 },
      { upstream_id: 7, takes_seat: 1, deleted_at: 5 },
      { upstream_id: 8, takes_seat: 0 },
      { upstream_id: null, takes_seat: 1 },
    ];
    for (const row of rows) await addUser(store, row);

    expect(await countTakenSeats(store.read)).toBe(1);
  });
});
