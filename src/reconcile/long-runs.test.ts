import { expect, onTestFinished, test } from 'vitest';
import { createLaneHost } from '../../test/support/lane-host.ts';
import { addGroup, addLink, addUser, getGroup, getUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

describeStores('a long run', ({ makeStore }) => {
  test('of 250 members, changed one by one, is one run to its end, and quiet', async () => {
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
    const host = await createLaneHost(sandbox, store, { policy: { membersPerCall: 1 } });

    await host.run({ type: 'group', id: group.id });

    expect(host.failures).toEqual([]);
    expect(sandbox.service.members('Everybody')).toHaveLength(250);
    expect(await getGroup(store, group)).toMatchObject({
      due_at: null,
      lane_token: 1,
      attempts: 0,
    });
  });

  test('that goes round in a circle is reported as a bug, and the resource rests', async () => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { id } = sandbox.service.addUser({ email: 'ada@example.com', fullName: 'Ada' });
    const observed = {
      userName: 'ada@example.com',
      fullName: 'Ada',
      active: true,
      at: 1,
      by: 'test',
    };
    const user = await addUser(store, {
      doc: { userName: 'ada@example.com', active: false },
      upstream_id: id,
      observed: JSON.stringify(observed),
      pending: '{"active":2}',
      version: 2,
    });
    // Not there for the change, there for the look.
    const fault = { kind: 'status', status: 404 } as const;
    sandbox.faults.add({ operation: 'scim.updateUser', fault });
    const host = await createLaneHost(sandbox, store);

    await host.run({ type: 'user', id: user.id });

    expect(host.failures).toEqual([expect.objectContaining({ code: 'bug' })]);
    expect(sandbox.calls.count()).toBeLessThan(25);
    const after = await getUser(store, user);
    expect(after).toMatchObject({ lane_owner: null, pending: '{"active":2}' });
    expect(after.due_at).toBeGreaterThan(Date.now());
  });
});
