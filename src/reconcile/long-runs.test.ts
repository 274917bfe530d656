import { expect, onTestFinished, test } from 'vitest';
import { createConvergeHost } from '../../test/support/converge-host.ts';
import { LONG } from '../../test/support/long.ts';
import { addGroup, addLink, addUser, getGroup } from '../../test/support/rows.ts';
import { describeBridges } from '../../test/support/stores.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

describeBridges('a long run', ({ makeStore }) => {
  test('of 250 members, changed one by one, is one run to its end, and quiet', {
    tags: LONG,
  }, async () => {
    const store = await makeStore();
    const sandbox = await startSandbox({ seed: { users: 250 } });
    onTestFinished(() => sandbox.stop());
    const { id: restId, uid, name } = sandbox.service.createGroup({ name: 'Everybody' });
    const seen = { displayName: name, at: 1, by: 'test' };
    const group = await addGroup(store, {
      doc: { displayName: name },
      upstream_rest_id: restId,
      upstream_uid: uid,
      observed: JSON.stringify(seen),
      version: 2,
      due_at: 1,
    });
    const [, ...accounts] = sandbox.service.users();
    for (const { id } of accounts) {
      const user = await addUser(store, { upstream_id: id });
      await addLink(store, { group, user }, [1, 0, 2]);
    }
    const host = await createConvergeHost(sandbox, store, { policy: { membersPerCall: 1 } });

    await host.run({ type: 'group', id: group.id });

    expect(host.failures).toEqual([]);
    expect(sandbox.service.members('Everybody')).toHaveLength(250);
    expect(await getGroup(store, group)).toMatchObject({
      due_at: null,
      in_flight: 0,
      attempts: 0,
    });
  });

  test('that goes round in a circle is reported as a bug, and the resource rests', async () => {
    const store = await makeStore();
    const sandbox = await startSandbox({ shape: { inactiveMembers: 'refused' } });
    onTestFinished(() => sandbox.stop());
    const { id: restId, uid, name } = sandbox.service.createGroup({ name: 'Everybody' });
    const { id: upstream_id } = sandbox.service.addUser({ email: 'a@example.com', active: false });
    const group = await addGroup(store, {
      doc: { displayName: name },
      upstream_rest_id: restId,
      upstream_uid: uid,
      observed: JSON.stringify({ displayName: name, at: 1, by: 'test' }),
      version: 2,
    });
    const user = await addUser(store, { upstream_id, doc: { userName: 'a', active: false } });
    await addLink(store, { group, user }, [1, 0, 2]);
    // "Inactive users have to wait" is learned again and again, and never used.
    const host = await createConvergeHost(sandbox, store, { fixed: { inactiveMembers: true } });

    await host.run({ type: 'group', id: group.id });

    expect(host.failures).toEqual([expect.objectContaining({ code: 'bug' })]);
    expect(sandbox.calls.count()).toBeLessThan(25);
    const after = await getGroup(store, group);
    expect(after.in_flight).toBe(0);
    expect(after.due_at).toBeGreaterThan(Date.now());
  });

  test('that would need an id which nobody knows ends at once and waits', async () => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { id: restId, name } = sandbox.service.createGroup({ name: 'Everybody' });
    const group = await addGroup(store, {
      doc: { displayName: name },
      upstream_scim_id: String(restId),
      observed: JSON.stringify({ displayName: name, at: 1, by: 'test' }),
      cells: '{"existence":{"pending":2}}',
      version: 2,
      deleted_at: 1,
    });
    const host = await createConvergeHost(sandbox, store);

    await host.run({ type: 'group', id: group.id });

    expect(host.failures).toEqual([]);
    expect(sandbox.calls.count()).toBe(0);
    expect(await getGroup(store, group)).toMatchObject({ attempts: 1, in_flight: 0 });
  });
});
