import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import { addGroup, addLink, addUser, getGroup } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { waitingFor } from '../../domain/cell-test-support.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { groupId } from '../../domain/ids.ts';
import { listLinks } from '../links/links.ts';
import {
  deleteGroup,
  findGroup,
  findGroupByUpstream,
  findGroupRow,
  type GroupRow,
  listGroupsByName,
  listGroupTombstones,
  listLeavingGroups,
  lockGroup,
  toGroupState,
  updateGroup,
} from './groups.ts';

const ids = (rows: readonly GroupRow[]) => rows.map(({ id }) => id);
const board = { display_name: 'Board', display_name_folded: 'board' };
const GONE = { deleted_at: 5 };

describeStores('finding groups', ({ makeStore, engine }) => {
  test('by id: the live ones, or the row whatever became of it', async () => {
    const store = await makeStore();
    const [live, gone] = [await addGroup(store), await addGroup(store, GONE)];

    const found = await Promise.all(
      [live.id, gone.id, groupId('nothing')].map(async (id) => [
        (await findGroup(store.read, id))?.id,
        (await findGroupRow(store.read, id))?.id,
        (await store.write((tx) => lockGroup(tx, id)))?.id,
      ]),
    );

    expect(found).toEqual([
      [live.id, live.id, live.id],
      [undefined, gone.id, gone.id],
      [undefined, undefined, undefined],
    ]);
  });

  test('by name: one managed group at most, with those that are only observed, none deleted', async () => {
    const store = await makeStore();
    const managed = await addGroup(store, board);
    const seen = await addGroup(store, { ...board, origin: null });
    await addGroup(store, { ...board, ...GONE });

    expect(new Set(ids(await listGroupsByName(store.read, 'board')))).toEqual(
      new Set([managed.id, seen.id]),
    );
    expect(await listGroupsByName(store.read, 'Board')).toEqual([]);
    await expect(addGroup(store, board)).rejects.toMatchObject({ code: 'store-conflict' });
  });

  test('deleted ones by name, the newest first', async () => {
    const store = await makeStore();
    const older = await addGroup(store, { ...board, deleted_at: 4 });
    const newer = await addGroup(store, { ...board, deleted_at: 6 });
    await addGroup(store, board);

    expect(ids(await listGroupTombstones(store.read, 'board'))).toEqual([newer.id, older.id]);
  });

  test('those whose name in the service is about to be free', async () => {
    const store = await makeStore();
    const observed = '{"displayName":"Board","at":1,"by":"x"}';
    const removed = await addGroup(store, {
      ...GONE,
      observed,
      cells: '{"existence":{"pending":3}}',
    });
    const renamed = await addGroup(store, { observed, cells: '{"displayName":{"pending":3}}' });
    await addGroup(store, { observed, cells: '{"permissions":{"pending":3}}' });
    await addGroup(store, { ...GONE, observed });
    await addGroup(store, { cells: '{"displayName":{"pending":3}}' });

    expect(new Set(ids(await listLeavingGroups(store.read)))).toEqual(
      new Set([removed.id, renamed.id]),
    );
  });

  test('by any of the service’s names for it, the live one before the deleted', async () => {
    const store = await makeStore();
    const names = { upstream_scim_id: 's', upstream_rest_id: 5, upstream_uid: 'u' };
    const gone = await addGroup(store, { ...names, ...GONE });
    const onlyGone = await findGroupByUpstream(store.read, { uid: 'u' });
    const live = await addGroup(store, names);

    const found = await Promise.all([
      findGroupByUpstream(store.read, { scimId: 's' }),
      findGroupByUpstream(store.read, { restId: 5 }),
      findGroupByUpstream(store.read, { uid: 'u' }),
      findGroupByUpstream(store.read, { uid: 's' }),
    ]);

    expect(onlyGone?.id).toBe(gone.id);
    expect(found.map((row) => row?.id)).toEqual([live.id, live.id, live.id, undefined]);
  });

  test('of several deleted ones, the one that was deleted first', async () => {
    const store = await makeStore();
    await addGroup(store, { upstream_uid: 'u', deleted_at: 7 });
    const first = await addGroup(store, { upstream_uid: 'u', ...GONE });

    expect((await findGroupByUpstream(store.read, { uid: 'u' }))?.id).toBe(first.id);
  });

  test.skipIf(engine !== 'sqlite')(
    'a live one is found by an index of each of its names',
    async () => {
      const store = await makeStore();
      await addGroup(store, { upstream_scim_id: 's' });
      const ids = { scimId: 's', restId: 5, uid: 'u' };

      const plan = await explain(store, (db) => findGroupByUpstream(db, ids));

      expect(plan.filter((line) => line.includes('USING INDEX'))).toEqual(
        ['scim_id', 'rest_id', 'uid'].map((name) =>
          expect.stringContaining(`USING INDEX groups_upstream_${name}`),
        ),
      );
      expect(plan.filter((line) => line.startsWith('SCAN'))).toEqual([]);
    },
  );

  test('a group that the service does not know is found by none of its names', async () => {
    const store = await makeStore();
    await addGroup(store);

    expect(await findGroupByUpstream(store.read, {})).toBeUndefined();
    expect(await findGroupByUpstream(store.read, { uid: undefined })).toBeUndefined();
  });

  test.each(['upstream_scim_id', 'upstream_uid'] as const)(
    'two live groups never stand for the same one: %s',
    async (column) => {
      const store = await makeStore();
      await addGroup(store, { [column]: 'x', ...GONE });
      await addGroup(store, { [column]: 'x' });

      await expect(addGroup(store, { [column]: 'x' })).rejects.toMatchObject({
        code: 'store-conflict',
      });
    },
  );
});

describeStores('changing groups', ({ makeStore }) => {
  test('one row and no other', async () => {
    const store = await makeStore();
    const [group, other] = [await addGroup(store), await addGroup(store)];

    await store.write((tx) => updateGroup(tx, group.id, { version: 8 }));

    expect([
      (await getGroup(store, group)).version,
      (await getGroup(store, other)).version,
    ]).toEqual([8, 1]);
  });

  test('a group that is gone takes its links along, and no other’s', async () => {
    const store = await makeStore();
    const [group, other, user] = [
      await addGroup(store),
      await addGroup(store),
      await addUser(store),
    ];
    for (const one of [group, other]) await addLink(store, { group: one, user }, [1, 1, null]);

    await store.write((tx) => deleteGroup(tx, group.id));

    expect(await findGroupRow(store.read, group.id)).toBeUndefined();
    expect(await listLinks(store.read, 'memberships', group.id)).toEqual([]);
    expect(await listLinks(store.read, 'memberships', other.id)).toHaveLength(1);
  });
});

describeStores('the state that a plan of a group is made from', ({ makeStore }) => {
  const links = { members: [], admins: [] };

  test('everything that is stored', async () => {
    const observed = { displayName: 'Bored', permissions: 4, at: 1, by: 'groups.getGroup' };
    const row = await addGroup(await makeStore(), {
      doc: { displayName: 'Board', [GROUP_EXTENSION]: { permissions: 16 } },
      upstream_scim_id: 's',
      upstream_rest_id: 5,
      upstream_uid: 'u',
      observed: JSON.stringify(observed),
      cells: '{"displayName":{"pending":3}}',
      version: 9,
      must_look: 1,
      sent_creates: '[{"name":"Bored"}]',
    });

    expect(toGroupState(row, links)).toEqual({
      id: row.id,
      ids: { scimId: 's', restId: 5, uid: 'u' },
      desired: { displayName: 'Board', permissions: 16, addToCardsAndSpacesEnabled: undefined },
      observed,
      cells: waitingFor({ displayName: 3 }),
      version: 9,
      deleted: false,
      created: true,
      mustLook: true,
      sentCreates: [{ name: 'Bored' }],
      ...links,
    });
  });

  test('what nobody knows is undefined, and only what the bridge created counts as created', async () => {
    const row = await addGroup(await makeStore(), { origin: 'adopted', ...GONE });

    expect(toGroupState(row, links)).toMatchObject({
      ids: { scimId: undefined, restId: undefined, uid: undefined },
      observed: undefined,
      cells: {},
      deleted: true,
      created: false,
      mustLook: false,
    });
  });
});
