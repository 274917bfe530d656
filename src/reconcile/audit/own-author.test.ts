import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Store } from '../../store/store.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import {
  findLearnedAccount,
  findOwn,
  learnAuthors,
  readAuthors,
  readForeignAuthors,
  saveAuthors,
} from './own-author.ts';

function by(author: Record<string, unknown>) {
  const created = '2026-04-01T12:00:00.000Z';
  return parseAuditEvent({ id: 'e', category: 'x', action: 'create', created, ...author });
}

const learn = (store: Store, author: Record<string, unknown>, times = 1, isCreation = false) =>
  store.write(async (tx) => {
    const explained = Array(times).fill({ audit: by(author), isCreation });
    await saveAuthors(tx, learnAuthors(await readAuthors(tx), explained), 1);
  });

async function isForeign(store: Store, author: Record<string, unknown>, ownAccount?: number) {
  const event = by(author);
  const own =
    ownAccount === undefined ? findOwn(await readAuthors(store.read)) : { authorId: ownAccount };
  return (await readForeignAuthors(store.read, [event], own))(event);
}

describeStores('the author of an event', ({ makeStore }) => {
  test('is somebody else when the account is another one than that of our token', async () => {
    const store = await makeStore();
    await addUser(store, { upstream_id: 8, observed_user_name_folded: 'admin' });

    expect(await isForeign(store, { author_id: 8 }, 7)).toBe(true);
    expect(await isForeign(store, { author_id: 7 }, 7)).toBe(false);
    expect(await isForeign(store, { author_username: 'Admin' }, 7)).toBe(true);
    expect(await isForeign(store, { author_username: 'Admin' }, 8)).toBe(false);
    // Nothing is known of either.
    expect(await isForeign(store, { author_username: 'Robot' }, 7)).toBe(false);
    expect(await isForeign(store, {}, 7)).toBe(false);
  });

  test('is learned from what our calls explain, where the service does not tell whose token it is', async () => {
    const store = await makeStore();
    const before = await isForeign(store, { author_id: 8 });
    await learn(store, { author_id: 7 }, 2);
    const afterTwo = await isForeign(store, { author_id: 8 });
    await learn(store, { author_id: 7 });

    expect([before, afterTwo]).toEqual([false, false]);
    expect(await isForeign(store, { author_id: 8 })).toBe(true);
    expect(await isForeign(store, { author_id: 7 })).toBe(false);
    expect(await findLearnedAccount(store.read)).toBe(7);
  });

  test('is learned from one creation, which nobody else can have made', async () => {
    const store = await makeStore();
    await learn(store, { author_uid: 'u-7' }, 1, true);

    expect(await isForeign(store, { author_uid: 'u-8' })).toBe(true);
    expect(await isForeign(store, { author_uid: 'u-7' })).toBe(false);
    expect(await findLearnedAccount(store.read)).toBeUndefined();
  });

  test('is nobody in particular while two are as likely, and another one once the token is another', async () => {
    const store = await makeStore();
    await learn(store, { author_id: 7 }, 4);
    await learn(store, { author_id: 8 }, 4);
    const tied = await findLearnedAccount(store.read);
    for (let times = 0; times < 30; times += 1) await learn(store, { author_id: 8 }, 3);

    expect(tied).toBeUndefined();
    expect(await findLearnedAccount(store.read)).toBe(8);
  });
});
