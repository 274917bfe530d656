import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { logStatements } from '../../../test/support/statements.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { ObservedUser } from '../../domain/user.ts';
import type { Store } from '../../store/store.ts';
import { findUserByUpstreamId, type UserChange } from '../../store/users/users.ts';
import { saveUsers } from './save-users.ts';

const ACCOUNT = 7;
const FIRST = { sentAt: 1_000, now: 1_001 };
const SECOND = { sentAt: 2_000, now: 2_001 };

function seen(fullName: string, email = 'mary@example.com', at = FIRST.now) {
  const observed: ObservedUser = {
    userName: 'mary',
    email,
    fullName,
    active: true,
    at,
    by: 'list',
  };
  return { upstreamId: ACCOUNT, observe: () => observed };
}

/** Makes a store that knows the account, with the row changed for the case. */
async function makeKnown(store: Store, change: UserChange): Promise<void> {
  await store.write((tx) => saveUsers(tx, [seen('Mary Smith')], FIRST));
  if (Object.keys(change).length === 0) return;
  await store.write((tx) => tx.updateTable('users').set(change).execute());
}

describeStores('people of a list', ({ makeStore }) => {
  test('the same page again changes nothing but when it was seen', async () => {
    const store = await makeStore();
    await makeKnown(store, {});

    await store.write((tx) => saveUsers(tx, [seen('Mary Smith'), seen('Mary Smith')], SECOND));

    const rows = await store.read.selectFrom('users').selectAll().execute();
    expect(rows).toMatchObject([{ version: 1, modified_at: FIRST.now }]);
  });

  test('an account that was stored while a deleted user was linked to it is shown no more', async () => {
    const store = await makeStore();
    await addUser(store, { upstream_id: ACCOUNT, origin: 'created', deleted_at: 5 });
    await addUser(store, { upstream_id: ACCOUNT, origin: null });

    await store.write((tx) => saveUsers(tx, [seen('Mary Smith')], SECOND));

    expect(await findUserByUpstreamId(store.read, ACCOUNT)).toBeUndefined();
    const rows = await store.read.selectFrom('users').select('deleted_at').execute();
    expect(rows).toEqual([{ deleted_at: 5 }]);
  });

  test('an unmanaged person is shown as the service has them now', async () => {
    const store = await makeStore();
    await makeKnown(store, {});

    const renamed = seen('Mary Jones', 'jones@example.com');
    await store.write((tx) => saveUsers(tx, [renamed], SECOND));

    const row = await findUserByUpstreamId(store.read, ACCOUNT);
    expect(row).toMatchObject({ version: 2, observed_email_folded: 'jones@example.com' });
    expect(row?.attributes).toContain('Jones');
    const emails = await store.read.selectFrom('user_emails').select('email_folded').execute();
    expect(emails).toEqual([{ email_folded: 'jones@example.com' }]);
  });

  test('a person of whom a list tells more, but no other address, costs one statement beside the three that find a page', async () => {
    const { store, log } = logStatements(await makeStore());
    await makeKnown(store, {});
    log.reset();

    await store.write((tx) => saveUsers(tx, [seen('Mary Jones')], SECOND));

    expect(log.writes).toHaveLength(1);
    const kinds = log.writes[0]?.map((sql) => sql.split(' ', 1)[0]);
    expect(kinds).toEqual(['select', 'select', 'select', 'update']);
    const emails = await store.read.selectFrom('user_emails').select('email_folded').execute();
    expect(emails).toEqual([{ email_folded: 'mary@example.com' }]);
  });

  test.each<{ why: string; change: UserChange; shown: string; held: string; look?: number }>([
    {
      why: 'a managed person is shown as desired and observed as is',
      change: { origin: 'adopted' },
      shown: 'Smith',
      held: 'Jones',
    },
    {
      why: 'a person written since the list was asked for is looked at',
      change: { origin: 'adopted', modified_at: 2_000 },
      shown: 'Smith',
      held: 'Smith',
      look: 1,
    },
    {
      why: 'a person whom somebody converges now is left to them',
      change: { origin: 'adopted', in_flight: 1 },
      shown: 'Smith',
      held: 'Smith',
    },
    {
      why: 'a deleted person does not come back, but what the account holds is known',
      change: { origin: 'adopted', deleted_at: 1_500 },
      shown: 'Smith',
      held: 'Jones',
    },
    {
      why: 'a person deleted since the list was asked for keeps what is known',
      change: { origin: 'adopted', deleted_at: 2_000, modified_at: 2_000 },
      shown: 'Smith',
      held: 'Smith',
    },
  ])('$why', async ({ change, shown, held, look = 0 }) => {
    const store = await makeStore();
    await makeKnown(store, change);

    await store.write((tx) => saveUsers(tx, [seen('Mary Jones')], SECOND));

    const rows = await store.read.selectFrom('users').selectAll().execute();
    expect(rows).toMatchObject([{ ...change, must_look: look }]);
    expect(rows[0]?.attributes).toContain(shown);
    expect(rows[0]?.observed).toContain(held);
  });

  test.each<{ why: string; shown: ObservedUser['fullName']; look: 0 | 1 }>([
    { why: 'is not looked at again where the list says the same', shown: 'Mary Smith', look: 0 },
    { why: 'is looked at where the list says something else', shown: 'Mary Jones', look: 1 },
  ])('somebody created while a list was read $why', async ({ shown, look }) => {
    const store = await makeStore();
    const create = { fullName: 'Mary Smith', active: true, at: 2_000, by: 'scim.addUser' };
    const change = { origin: 'created', modified_at: 1_500, observed: JSON.stringify(create) };
    await makeKnown(store, { ...change, origin: 'created' });

    await store.write((tx) => saveUsers(tx, [seen(shown)], SECOND));

    const row = await findUserByUpstreamId(store.read, ACCOUNT);
    expect(row).toMatchObject({ must_look: look, due_at: look === 0 ? null : SECOND.now });
  });

  test('a live row is preferred to a tombstone of the same account', async () => {
    const store = await makeStore();
    await makeKnown(store, { deleted_at: 1_500, upstream_id: null });
    await store.write((tx) => saveUsers(tx, [seen('Mary Smith')], FIRST));
    await store.write((tx) => tx.updateTable('users').set({ upstream_id: ACCOUNT }).execute());

    await store.write((tx) => saveUsers(tx, [seen('Mary Jones')], SECOND));

    const live = await findUserByUpstreamId(store.read, ACCOUNT);
    expect(live?.attributes).toContain('Jones');
    expect(await store.read.selectFrom('users').select('id').execute()).toHaveLength(2);
  });
});
