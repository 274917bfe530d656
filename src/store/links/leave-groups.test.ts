import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import {
  addGroup,
  addLink,
  addUser,
  type Facts,
  findFacts,
  getGroup,
  LINK_TABLES,
} from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { leaveGroups, notifyGroupsOf } from './work.ts';

const NOW = 1_000;

describeStores('a person whose account came or went', ({ makeStore, engine }) => {
  test('wakes the groups in which something waits for them, and no other', async () => {
    const store = await makeStore();
    const user = await addUser(store);
    const [member, admin, settled, stranger] = [
      await addGroup(store),
      await addGroup(store, { due_at: 99_999 }),
      await addGroup(store),
      await addGroup(store),
    ];
    await addLink(store, { group: member, user }, [1, 0, 4]);
    await addLink(store, { group: admin, user, table: 'group_admins' }, [1, 0, 4]);
    await addLink(store, { group: settled, user }, [1, 1, null]);
    await addLink(store, { group: stranger, user: await addUser(store) }, [1, 0, 4]);

    const notified = await store.write((tx) => notifyGroupsOf(tx, user.id, NOW));

    expect(new Set(notified)).toEqual(new Set([member.id, admin.id]));
    const groups = [member, admin, settled, stranger];
    const due = await Promise.all(
      groups.map(async (group) => (await getGroup(store, group)).due_at),
    );
    expect(due).toEqual([NOW, NOW, null, null]);
  });

  test.each(LINK_TABLES)('leaves managed groups once deleted, access first: %s', async (table) => {
    const store = await makeStore();
    const user = await addUser(store, { upstream_id: 7, deleted_at: 1 });
    const wanted = await addGroup(store, { version: 3 });
    const seen = await addGroup(store, { version: 4, origin: 'adopted' });
    await addLink(store, { group: wanted, user, table }, [1, 1, null]);
    await addLink(store, { group: seen, user, table }, [null, 1, null]);

    const left = await store.write((tx) => leaveGroups(tx, user.id, NOW));

    expect(new Set(left)).toEqual(new Set([wanted.id, seen.id]));
    expect(await findFacts(store, { group: wanted, user, table })).toEqual([0, 1, 4]);
    expect(await findFacts(store, { group: seen, user, table })).toEqual([0, 1, 5]);
    expect(await getGroup(store, wanted)).toMatchObject({
      version: 4,
      modified_at: NOW,
      due_at: NOW,
      due_class: 0,
    });
  });

  test.runIf(engine === 'sqlite')('reads nobody else', async () => {
    const store = await makeStore();
    const user = await addUser(store, { upstream_id: 7, deleted_at: 1 });

    const plan = await store.write((tx) =>
      explain({ read: tx }, (db) => leaveGroups(db, user.id, NOW)),
    );

    expect(plan.join()).toContain('SEARCH users');
    expect(plan.filter((line) => /SCAN users/.test(line))).toEqual([]);
  });

  test('an addition that may be on its way is followed by a removal', async () => {
    const store = await makeStore();
    const place = {
      user: await addUser(store, { upstream_id: 7, deleted_at: 1 }),
      group: await addGroup(store, { version: 3 }),
    };
    await addLink(store, place, [1, 0, 2]);

    await store.write((tx) => leaveGroups(tx, place.user.id, NOW));

    expect(await findFacts(store, place)).toEqual([0, 0, 4]);
  });

  test('unmanaged and deleted groups are never written', async () => {
    const store = await makeStore();
    const user = await addUser(store, { upstream_id: 7, deleted_at: 1 });
    const unmanaged = await addGroup(store, { origin: null });
    const gone = await addGroup(store, { deleted_at: 1 });
    for (const group of [unmanaged, gone]) await addLink(store, { group, user }, [null, 1, null]);

    const left = await store.write((tx) => leaveGroups(tx, user.id, NOW));

    expect(left).toEqual([]);
    for (const group of [unmanaged, gone]) {
      expect(await findFacts(store, { group, user })).toEqual([null, 1, null]);
      expect(await getGroup(store, group)).toMatchObject({ version: 1, due_at: null });
    }
  });

  test('a removal that waits already goes on waiting', async () => {
    const store = await makeStore();
    const place = {
      user: await addUser(store, { upstream_id: 7, deleted_at: 1 }),
      group: await addGroup(store),
    };
    await addLink(store, place, [0, 1, 2]);

    const left = await store.write((tx) => leaveGroups(tx, place.user.id, NOW));

    expect(left).toEqual([]);
    expect(await findFacts(store, place)).toEqual([0, 1, 2]);
  });

  test('what the service does not hold is forgotten, and the group shows it', async () => {
    const store = await makeStore();
    const place = {
      user: await addUser(store, { upstream_id: 7, deleted_at: 1 }),
      group: await addGroup(store, { version: 3 }),
    };
    await addLink(store, place, [1, 0, null]);

    await store.write((tx) => leaveGroups(tx, place.user.id, NOW));

    expect(await findFacts(store, place)).toBeUndefined();
    expect(await getGroup(store, place.group)).toMatchObject({ version: 4 });
  });

  test.each<Facts>([
    [1, 0, 2],
    [0, 0, 2],
    [0, 1, 2],
    [1, 1, null],
  ])('nothing waits for ever for somebody who has no account: %j %j %j', async (...facts) => {
    const store = await makeStore();
    const place = {
      user: await addUser(store, { deleted_at: 1 }),
      group: await addGroup(store),
    };
    await addLink(store, place, facts);

    await store.write((tx) => leaveGroups(tx, place.user.id, NOW));

    expect(await findFacts(store, place)).toBeUndefined();
  });

  test('nobody else leaves anything', async () => {
    const store = await makeStore();
    const place = { user: await addUser(store, { upstream_id: 8 }), group: await addGroup(store) };
    const leaver = await addUser(store, { upstream_id: 7, deleted_at: 1 });
    await addLink(store, place, [1, 1, null]);
    await addLink(store, { ...place, user: leaver }, [1, 1, null]);

    await store.write((tx) => leaveGroups(tx, leaver.id, NOW));

    expect(await findFacts(store, place)).toEqual([1, 1, null]);
  });
});
