import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { listRequests, pruneRequests, saveRequests } from './requests.ts';

const all = { resourceId: undefined, status: undefined, beforeSeq: 1_000_000, limit: 1_000 };
const row = {
  request_id: 'r',
  method: 'PUT',
  route: '/Users/{id}',
  resource_type: 'user' as const,
  resource_id: 'u',
  written: '[]',
  status: 200,
  scim_type: null,
  refusal: null,
  duration_ms: 1,
  client: null,
  credential: 'settings-1',
};
describeStores('the log of requests', ({ makeStore }) => {
  test('forgets the oldest, by age and by number', async () => {
    const store = await makeStore();
    const rows = [1, 2, 3, 4, 5, 6].map((at) => ({ ...row, at }));
    await store.write((tx) => saveRequests(tx, rows));
    const prune = (before: number, rowsMax: number, limit = 10) =>
      store.write((tx) => pruneRequests(tx, { before, rowsMax, limit }));
    const list = async () => (await listRequests(store.read, all)).map(({ at }) => at);

    expect(await prune(0, 6)).toBe(0);
    expect(await prune(3, 6)).toBe(2);
    expect(await list()).toEqual([6, 5, 4, 3]);
    expect(await prune(0, 2, 1)).toBe(1);
    expect(await prune(0, 2)).toBe(1);
    expect(await list()).toEqual([6, 5]);
  });
});
