import { describe, expect, test } from 'vitest';
import { addUser, getUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { userId } from '../../domain/ids.ts';
import { countUsers } from '../resources/views.ts';
import { insertUserEmails, replaceUserEmails } from './emails.ts';
import {
  deleteUser,
  findUser,
  findUserByUpstreamId,
  findUserRow,
  listTombstones,
  listUserRows,
  listUsersByAccount,
  listUsersByAnyName,
  listUsersByName,
  lockOtherOwners,
  lockUser,
  toUserState,
  type UserRow,
  updateUser,
} from './users.ts';

const ids = (rows: readonly UserRow[]) => rows.map(({ id }) => id);

/** Names as they are indexed. */
const ada = { user_name: 'Ada', user_name_folded: 'ada' };
const observedAda = { observed_user_name_folded: 'ada', observed_email_folded: 'ada@x' };
const GONE = { deleted_at: 5 };

describeStores('finding people', ({ makeStore }) => {
  test('by id: the live ones, or the row whatever became of it', async () => {
    const store = await makeStore();
    const [live, gone] = [await addUser(store), await addUser(store, GONE)];

    const found = await Promise.all(
      [live.id, gone.id, userId('nobody')].map(async (id) => [
        (await findUser(store.read, id))?.id,
        (await findUserRow(store.read, id))?.id,
        (await store.write((tx) => lockUser(tx, id)))?.id,
      ]),
    );

    expect(found).toEqual([
      [live.id, live.id, live.id],
      [undefined, gone.id, gone.id],
      [undefined, undefined, undefined],
    ]);
  });

  test('by account: at most one live user, whoever had it before', async () => {
    const store = await makeStore();
    await addUser(store, { upstream_id: 7, ...GONE });
    const live = await addUser(store, { upstream_id: 7 });

    expect((await findUserByUpstreamId(store.read, 7))?.id).toBe(live.id);
    expect(await findUserByUpstreamId(store.read, 8)).toBeUndefined();
    await expect(addUser(store, { upstream_id: 7 })).rejects.toMatchObject({
      code: 'store-conflict',
    });
  });

  test('by userName: one managed user at most, with those who are only observed, none deleted', async () => {
    const store = await makeStore();
    const managed = await addUser(store, ada);
    const seen = await addUser(store, { ...ada, origin: null });
    await addUser(store, { ...ada, ...GONE });

    expect(new Set(ids(await listUsersByName(store.read, 'ada')))).toEqual(
      new Set([managed.id, seen.id]),
    );
    expect(await listUsersByName(store.read, 'Ada')).toEqual([]);
    await expect(addUser(store, ada)).rejects.toMatchObject({ code: 'store-conflict' });
  });

  test('a name that a deleted user had is free', async () => {
    const store = await makeStore();
    await addUser(store, { ...ada, ...GONE });

    await expect(addUser(store, ada)).resolves.toMatchObject(ada);
  });

  test('by what the service shows: its userName or its address, either of them', async () => {
    const store = await makeStore();
    const byName = await addUser(store, { observed_user_name_folded: 'ada' });
    const byAddress = await addUser(store, { observed_email_folded: 'ada@x' });
    const crossed = await addUser(store, { observed_user_name_folded: 'ada@x' });
    await addUser(store, { ...observedAda, ...GONE });
    await addUser(store, { ...ada, observed_email_folded: 'else@x' });

    const both = await listUsersByAccount(store.read, ['ada', 'ada@x']);
    const nameOnly = await listUsersByAccount(store.read, ['ada']);

    expect(new Set(ids(both))).toEqual(new Set([byName.id, byAddress.id, crossed.id]));
    expect(ids(nameOnly)).toEqual([byName.id]);
  });

  test('by any name: shown under it, or with an account of one of these names, each once', async () => {
    const store = await makeStore();
    const shown = await addUser(store, { ...ada, observed_user_name_folded: 'ada' });
    const byAddress = await addUser(store, { observed_email_folded: 'ada@x' });
    await addUser(store, { ...observedAda, ...GONE });

    const found = await listUsersByAnyName(store.read, 'ada', ['ada', 'ada@x']);
    const byNameAlone = await listUsersByAnyName(store.read, 'ada', ['else@x']);

    expect(ids(found).toSorted()).toEqual([shown.id, byAddress.id].toSorted());
    expect(ids(byNameAlone)).toEqual([shown.id]);
  });

  test('by the address that is wanted for the account of a managed one', async () => {
    const store = await makeStore();
    const emails = [{ value: 'second@x' }, { value: 'Ada@X ', primary: true }];
    const wanted = await addUser(store, { doc: { emails } });
    const byName = await addUser(store, { doc: { userName: 'ADA@x' } });
    await addUser(store, { doc: { emails }, origin: null });
    await addUser(store, { doc: { emails }, ...GONE });

    const found = await listUsersByAccount(store.read, ['ada@x']);

    expect(new Set(ids(found))).toEqual(new Set([wanted.id, byName.id]));
    expect(await listUsersByAccount(store.read, ['second@x'])).toEqual([]);
  });

  test('deleted ones by their last userName or by what the service showed, the newest first', async () => {
    const store = await makeStore();
    const account = { upstream_id: 7 };
    const older = await addUser(store, { ...account, ...ada, deleted_at: 4 });
    const newer = await addUser(store, {
      ...account,
      observed_user_name_folded: 'ada',
      deleted_at: 6,
    });
    const byAddress = await addUser(store, {
      ...account,
      observed_email_folded: 'ada@x',
      deleted_at: 5,
    });
    await addUser(store, { ...ada, deleted_at: 9 });
    await addUser(store, { ...account, ...ada });

    const names = { userNameFolded: 'ada', emailFolded: 'ada@x' };
    const found = await listTombstones(store.read, names);
    const byName = await listTombstones(store.read, { ...names, emailFolded: undefined });

    expect(ids(found)).toEqual([newer.id, byAddress.id, older.id]);
    expect(ids(byName)).toEqual([newer.id, older.id]);
  });

  test('a thousand at once, deleted or not', async () => {
    const store = await makeStore();
    const [live, gone] = [await addUser(store), await addUser(store, GONE)];
    const strangers = Array.from({ length: 1_200 }, (_, index) => userId(`nobody-${index}`));

    const rows = await listUserRows(store.read, [live.id, ...strangers, gone.id]);

    expect(new Set(ids(rows))).toEqual(new Set([live.id, gone.id]));
  });
});

describeStores('owners of the company', ({ makeStore }) => {
  test('the others are the live ones, managed or not', async () => {
    const store = await makeStore();
    const self = await addUser(store, { owner: 1 });
    const others = [
      await addUser(store, { owner: 1 }),
      await addUser(store, { owner: 1, origin: null }),
    ];
    await addUser(store, { owner: 0 });
    await addUser(store, { owner: 1, ...GONE });

    const rows = await store.write((tx) => lockOtherOwners(tx, self.id));

    expect(new Set(ids(rows))).toEqual(new Set(ids(others)));
  });
});

describeStores('changing people', ({ makeStore }) => {
  test('one row and no other', async () => {
    const store = await makeStore();
    const [user, other] = [await addUser(store), await addUser(store)];

    await store.write((tx) => updateUser(tx, user.id, { version: 8 }));

    expect([(await getUser(store, user)).version, (await getUser(store, other)).version]).toEqual([
      8, 1,
    ]);
  });

  test('the addresses that filters find a person by are replaced, nobody else’s', async () => {
    const store = await makeStore();
    const [user, other] = [await addUser(store), await addUser(store)];
    const count = (value: string) => {
      const selector = { kind: 'email', op: 'eq', value } as const;
      return countUsers(store.read, { selector, provider: 'default' });
    };
    await store.write((tx) => insertUserEmails(tx, user.id, ['a@x', 'b@x']));
    await store.write((tx) => insertUserEmails(tx, other.id, ['a@x']));

    await store.write((tx) => replaceUserEmails(tx, user.id, ['c@x']));
    const replaced = [await count('a@x'), await count('b@x'), await count('c@x')];
    await store.write((tx) => replaceUserEmails(tx, user.id, []));

    expect(replaced).toEqual([1, 0, 1]);
    expect(await count('c@x')).toBe(0);
  });

  test('who never came to be leaves nothing', async () => {
    const store = await makeStore();
    const [user, other] = [await addUser(store), await addUser(store)];
    await store.write((tx) => insertUserEmails(tx, user.id, ['a@x']));

    await store.write((tx) => deleteUser(tx, user.id));

    expect(await findUserRow(store.read, user.id)).toBeUndefined();
    expect(await store.read.selectFrom('user_emails').selectAll().execute()).toEqual([]);
    expect((await getUser(store, other)).id).toBe(other.id);
  });
});

describeStores('the state that a plan is made from', ({ makeStore }) => {
  const observed = { fullName: 'Ada', active: true, at: 1, by: 'scim.getUser' };

  describe('of a person', () => {
    test('everything that is stored', async () => {
      const store = await makeStore();
      const row = await addUser(store, {
        doc: { userName: 'ada', active: false },
        upstream_id: 7,
        observed: JSON.stringify(observed),
        cells: '{"active":{"pending":3},"name":{"echo":{"sent":"a","back":"b"}}}',
        version: 9,
        must_look: 1,
      });

      expect(toUserState(row)).toMatchObject({
        id: row.id,
        upstreamId: 7,
        desired: { userName: 'ada', active: false },
        observed,
        cells: { active: { pending: 3 }, name: { echo: { sent: 'a', back: 'b' } } },
        version: 9,
        deleted: false,
        mustLook: true,
      });
    });

    test('what nobody knows is undefined, and a deleted person is to be inactive', async () => {
      const row = await addUser(await makeStore(), { deleted_at: 1 });

      expect(toUserState(row)).toMatchObject({
        upstreamId: undefined,
        desired: { active: false },
        observed: undefined,
        cells: {},
        deleted: true,
        mustLook: false,
      });
    });
  });
});
