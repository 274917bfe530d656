import { expect, test } from 'vitest';
import { addGroup, addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { findNamed } from './names.ts';

describeStores('what a text names', ({ makeStore }) => {
  test('a person and a group of the same number are told apart', async () => {
    const store = await makeStore();
    const user = await addUser(store, { upstream_id: 14 });
    const group = await addGroup(store, { upstream_rest_id: 14 });

    const named = await findNamed(store.read, new Set(['14']));

    expect(named).toEqual({
      user: new Map([['14', new Set([user.id])]]),
      group: new Map([['14', new Set([group.id])]]),
      managed: new Set([user.id, group.id]),
      accounts: new Map([['14', new Set([14])]]),
    });
  });
});
