import { expect, onTestFinished, test } from 'vitest';
import { describeSqlite } from '../../../test/support/stores.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { listWhere } from '../../store/tables.ts';
import { createRequestLog } from './logs.ts';

const kept = {
  at: 1,
  request_id: 'r',
  method: 'PUT',
  route: '/Users/{id}',
  resource_type: 'user',
  resource_id: 'u',
  written: [],
  status: 200,
  scim_type: null,
  refusal: null,
  duration_ms: 1,
  client: null,
  credential: 'settings-1',
} as const;

describeSqlite('the log of requests', ({ makeStore }) => {
  test('waits for a store that takes no writes, and keeps the order', async () => {
    const store = await makeStore();
    const failures: unknown[] = [];
    let isBroken = true;
    const log = createRequestLog({
      store: {
        records: store.records,
        write: (work) => {
          if (isBroken) return Promise.reject(new StoreError('store-full', 'full'));
          return store.write(work);
        },
      },
      onFailure: (error) => void failures.push(error),
    });
    onTestFinished(() => log.stored());
    log.open(() => kept).end([{ ...kept, at: 1 }]);
    await log.stored();
    isBroken = false;
    log.open(() => kept).end([{ ...kept, at: 2 }]);
    await log.stored();

    expect(failures).toHaveLength(1);
    const stored = await listWhere(store.read, 'requests', {}, { order: 'seq' });
    expect(stored.map(({ at }) => at)).toEqual([1, 2]);
  });
});
