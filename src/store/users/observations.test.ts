import { expect, test } from 'vitest';
import { untilOthersWait } from '../../../test/support/postgres-locks.ts';
import { addUser } from '../../../test/support/rows.ts';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import { newId, userId } from '../../domain/ids.ts';
import { toUserColumns } from '../engine/columns.ts';
import type { Db } from '../store.ts';
import {
  insertObservedUsers,
  lockUsersByAccount,
  type ObservedAccount,
  type RowsOfAccounts,
} from './observations.ts';
import { updateUser } from './users.ts';

const GONE = { deleted_at: 5 };

describeStores('who stands for an account', ({ makeStore }) => {
  test('is the live row, else the tombstone, and nobody for an account that is not known', async () => {
    const store = await makeStore();
    const live = await addUser(store, { upstream_id: 1, origin: 'created' });
    await addUser(store, { upstream_id: 1, ...GONE });
    const gone = await addUser(store, { upstream_id: 2, ...GONE });

    const { byAccount: rows } = await store.write((tx) => lockUsersByAccount(tx, [1, 2, 3]));

    expect([1, 2, 3].map((account) => rows.get(account)?.id)).toEqual([
      live.id,
      gone.id,
      undefined,
    ]);
  });
});

describePostgres('an account that two see at the same time', ({ makeStore }) => {
  test('is stored once, and known to the one that comes second', async () => {
    const store = await makeStore();
    const see = async (tx: Db) => {
      const { byAccount: known } = await lockUsersByAccount(tx, [1]);
      if (known.size === 0) await insertObservedUsers(tx, [toSeen(1)]);
      return known.size;
    };
    let second: Promise<number> | undefined;

    await store.write(async (tx) => {
      await see(tx);
      second = store.write(see);
      await untilOthersWait(tx, store);
    });

    expect(await second).toBe(1);
  });
});

/** User whom the service shows. */
function toSeen(upstreamId: number): ObservedAccount {
  const born = { created_at: 1, modified_at: 1 };
  const columns = toUserColumns({ userName: `name${upstreamId}` });
  const row = { ...columns, ...born, id: userId(newId()), upstream_id: upstreamId };
  return { row, emailsFolded: [] };
}

describePostgres('who stands for an account, while somebody writes the row', ({ makeStore }) => {
  const changes = [
    { what: 'deleted', before: {}, change: GONE },
    { what: 'taken back from the dead', before: GONE, change: { deleted_at: null } },
  ];
  test.each(changes)('is the row that is $what meanwhile', async ({ before, change }) => {
    const store = await makeStore();
    const { id } = await addUser(store, { upstream_id: 1, ...before });
    let locking: Promise<RowsOfAccounts> | undefined;

    await store.write(async (tx) => {
      await updateUser(tx, id, change);
      locking = store.write((other) => lockUsersByAccount(other, [1]));
      await untilOthersWait(tx, store);
    });

    const row = (await locking)?.byAccount.get(1);
    expect(row).toMatchObject({ id, ...change });
  });
});
