import { expect, test } from 'vitest';
import { describeCompany, describeStored } from '../../../test/support/company.ts';
import { createReadForTest, readAll, startCompany } from '../../../test/support/first-read.ts';
import { LONG } from '../../../test/support/long.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import { groupId } from '../../domain/ids.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { Store } from '../../store/store.ts';
import { listUsersByAccount, type UserRow } from '../../store/users/users.ts';

const seed = { users: 20, groups: 3, membersPerGroup: 5 };

async function listGroupRows({ read }: Store): Promise<GroupRow[]> {
  return read.selectFrom('groups').selectAll().orderBy('seq').execute();
}

async function findByAccount(store: Store, emailFolded: string): Promise<UserRow | undefined> {
  const [row] = await listUsersByAccount(store.read, [emailFolded]);
  return row;
}

/** Makes a store that was read begin again, as if the groups had never been read. */
async function forgetRead(store: Store): Promise<void> {
  await store.write((tx) => tx.deleteFrom('facts').where('name', '=', 'first-read').execute());
}

describeBridges('first read of groups', ({ makeStore }) => {
  test('reading everything again adds nothing and changes no ETag', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const before = await listGroupRows(store);
    await forgetRead(store);

    await readAll(sandbox, store);

    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
    const versions = (rows: GroupRow[]) => rows.map(({ id, version }) => ({ id, version }));
    expect(versions(await listGroupRows(store))).toEqual(versions(before));
  });

  test('a list ends no waiting change of a member while the group is owed a look', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const [group] = await listGroupRows(store);
    await store.write(async (tx) => {
      await tx.updateTable('groups').set({ origin: 'created', must_look: 1 }).execute();
      const waiting = { desired: 1, observed: 0, pending: 7 };
      await tx.updateTable('memberships').set(waiting).execute();
    });
    await forgetRead(store);

    await readAll(sandbox, store);

    const links = store.read.selectFrom('memberships').select('pending').distinct();
    const rows = await links.where('group_id', '=', group?.id ?? groupId('')).execute();
    expect(rows).toEqual([{ pending: 7 }]);
  });

  test('a page in which thousands of people are named is stored whole', {
    tags: LONG,
  }, async () => {
    const store = await makeStore();
    const large = { users: 1_200, groups: 3, membersPerGroup: 1_100 };
    const sandbox = await startCompany({ seed: large });

    await readAll(sandbox, store);

    const members = await store.read
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('observed', '=', 1)
      .executeTakeFirstOrThrow();
    expect(members.count).toBe(3 * 1_100);
    expect(Object.keys(sandbox.calls.counts())).not.toContain('groupUsers.getListOfGroupUsers');
  });

  test('groups of one name that ids do not tell apart get no REST ids and are disputed', async () => {
    const store = await makeStore();
    const shape = { groupId: 'own', uniqueGroupNames: 'nowhere' } as const;
    const sandbox = await startCompany({ shape, seed });
    sandbox.service.createGroup({ name: 'GROUP 001' });

    await readAll(sandbox, store);

    const rows = await listGroupRows(store);
    const joined = rows.filter((row) => row.upstream_uid !== null);
    expect(rows).toHaveLength(4);
    expect(joined.map(({ display_name }) => display_name)).toEqual(['Group 002', 'Group 003']);
    const disputes = await store.read.selectFrom('disputes').selectAll().execute();
    expect(disputes).toMatchObject([{ resource_type: 'group', name_folded: 'group 001' }]);
  });

  test('groups of one name are disputed no more once another read tells them apart', async () => {
    const store = await makeStore();
    const shape = { groupId: 'own', uniqueGroupNames: 'nowhere' } as const;
    const sandbox = await startCompany({ shape, seed });
    const second = sandbox.service.createGroup({ name: 'Group 001' });
    await (await readAll(sandbox, store)).firstRead.stop();
    sandbox.service.deleteGroup(second.id);
    await forgetRead(store);

    await readAll(sandbox, store);

    const named = store.read.selectFrom('groups').select('upstream_uid');
    const rows = await named.where('display_name', '=', 'Group 001').execute();
    expect(rows.filter(({ upstream_uid }) => upstream_uid !== null)).toHaveLength(1);
    expect(await store.read.selectFrom('disputes').selectAll().execute()).toEqual([]);
  });

  test('a group that was known through REST alone stays one group', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const [first] = await listGroupRows(store);
    await store.write((tx) =>
      tx
        .updateTable('groups')
        .set({ origin: 'created', upstream_scim_id: null })
        .where('upstream_scim_id', '=', first?.upstream_scim_id ?? '')
        .execute(),
    );
    await store.write((tx) => tx.deleteFrom('facts').execute());

    await readAll(sandbox, store);

    const rows = await listGroupRows(store);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ id: first?.id, upstream_scim_id: first?.upstream_scim_id });
  });

  test('a group that was deleted and is still there does not come back', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    await store.write(async (tx) => {
      const gone = { deleted_at: 1, upstream_scim_id: null };
      await tx.updateTable('groups').set(gone).where('display_name', '=', 'Group 002').execute();
      await tx.deleteFrom('facts').execute();
    });

    await readAll(sandbox, store);

    const live = (await listGroupRows(store)).filter(({ deleted_at }) => deleted_at === null);
    expect(live.map(({ display_name }) => display_name)).toEqual(['Group 001', 'Group 003']);
  });

  test('a change behind a finished read is seen by the next one, with new ETags', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    await (await readAll(sandbox, store)).firstRead.stop();
    const [before] = await listGroupRows(store);
    const person = await findByAccount(store, 'user00001@example.com');
    sandbox.service.removeMember('Group 001', 'user00001@example.com');
    sandbox.service.renameGroup('Group 002', 'Crew');
    await forgetRead(store);

    await readAll(sandbox, store);

    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
    const [after] = await listGroupRows(store);
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    const left = await findByAccount(store, 'user00001@example.com');
    expect(left?.version).toBe((person?.version ?? 0) + 1);
  });

  test('a list that does not take our parameters is asked without them', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    const fault = { kind: 'status', status: 400 } as const;
    sandbox.faults.add({ operation: 'groups.getListOfGroups', fault, times: 2 });

    const { told } = await readAll(sandbox, store);

    expect(told.failures).toEqual([]);
    expect(await describeStored(store)).toEqual(describeCompany(sandbox));
  });

  test('a list of members that says less than the count is not believed', async () => {
    const store = await makeStore();
    const sandbox = await startCompany({ seed });
    // A user that no list showed yet.
    const late = sandbox.faults.add({
      operation: 'scim.getGroups',
      fault: { kind: 'hang' },
      times: 1,
    });
    const { firstRead, idle } = await createReadForTest(sandbox, store);
    await firstRead.start();
    await late.until(1);
    sandbox.service.addUser({ email: 'late@example.com' });
    sandbox.service.addMember('Group 001', 'late@example.com');
    sandbox.faults.release();
    await idle();

    expect(sandbox.calls.count({ operation: 'groupUsers.getListOfGroupUsers' })).toBe(1);
    expect(firstRead.finished).toBe(true);
  });
});
