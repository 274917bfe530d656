import { expect, test } from 'vitest';
import { addGroup, addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { foldCase } from '../../domain/fold.ts';
import type { Store } from '../../store/store.ts';
import { compareRow } from './compare-row.ts';
import { EVERY_LIST } from './comparison.ts';

const SINCE = 100;
const seen = { lists: EVERY_LIST, since: SINCE, deactivation: 'scim' } as const;

const kinds = [
  {
    what: 'an account',
    compareNew: async (store: Store, name: string) => {
      const observed = { active: true, at: SINCE };
      const row = await addUser(store, {
        ...{ origin: null, created_at: SINCE, upstream_id: 5 },
        observed: JSON.stringify(observed),
        observed_user_name_folded: foldCase(name),
      });
      return compareRow(store.read, row, seen);
    },
    addWanted: (store: Store, name: string, isConfirmed: boolean) =>
      addUser(store, { doc: { userName: name }, upstream_id: isConfirmed ? 6 : null }),
  },
  {
    what: 'a group',
    compareNew: async (store: Store, name: string) => {
      const row = await addGroup(store, {
        ...{ origin: null, created_at: SINCE, upstream_uid: 'u-5' },
        observed: JSON.stringify({ displayName: name, at: SINCE }),
        doc: { displayName: name },
      });
      return compareRow(store.read, row, seen);
    },
    addWanted: (store: Store, name: string, isConfirmed: boolean) =>
      addGroup(store, {
        doc: { displayName: name },
        upstream_uid: isConfirmed ? 'u-6' : null,
      }),
  },
];

describeStores('what a sweep shows for the first time', ({ makeStore }) => {
  for (const { what, compareNew, addWanted } of kinds) {
    test.each([
      {
        name: 'of one that the service has not confirmed',
        isConfirmed: false,
        seenAs: 'ADA',
        kind: 'unknown',
      },
      { name: 'of one that it has confirmed', isConfirmed: true, seenAs: 'ADA', kind: 'compared' },
      { name: 'of nobody', isConfirmed: false, seenAs: 'Bob', kind: 'compared' },
    ])(`${what} under the name $name is $kind`, async ({ isConfirmed, seenAs, kind }) => {
      const store = await makeStore();
      await addWanted(store, 'Ada', isConfirmed);

      expect(await compareNew(store, seenAs)).toMatchObject({ kind });
    });
  }
});
