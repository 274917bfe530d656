import { expect, onTestFinished, test } from 'vitest';
import { createConvergeHost } from '../../test/support/converge-host.ts';
import { addGroup, addUser, getGroup, getUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

/** A create whose answer was lost: it is tried again in an hour, as nobody knew yet that it was carried out. */
function lostCreate() {
  const problem = { code: 'timeout', words: 'no answer' };
  const failure = {
    version: 1,
    since: null,
    retryAt: Date.now() + 3_600_000,
    problem,
    attempts: 1,
  };
  return { pending: 1, failure };
}

describeStores('what was created without an answer', ({ makeStore }) => {
  test('is looked at: the account works and has its name, though its create rests', async () => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const account = sandbox.service.addUser({ email: 'ada@example.com', fullName: 'Ada Two' });
    sandbox.service.updateUser(account.id, { active: false });
    const seen = { fullName: 'Ada Two', active: false, at: 1, by: 'test' };
    const [active, name] = [{ pending: 1 }, { pending: 1 }];
    const user = await addUser(store, {
      doc: { userName: 'ada@example.com', name: { givenName: 'Ada', familyName: 'One' } },
      upstream_id: account.id,
      observed: JSON.stringify(seen),
      cells: JSON.stringify({ account: lostCreate(), active, name }),
      version: 1,
      must_look: 1,
      due_at: 1,
    });
    const host = await createConvergeHost(sandbox, store);

    await host.run({ type: 'user', id: user.id });

    expect(host.failures).toEqual([]);
    expect(sandbox.service.findUser(account.id)).toMatchObject({
      active: true,
      fullName: 'Ada One',
    });
    expect(await getUser(store, user)).toMatchObject({ cells: '{}', due_at: null, must_look: 0 });
  });

  test('is looked at: the group has its name, though its create rests', async () => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { id: restId, uid } = sandbox.service.createGroup({ name: 'Before' });
    const group = await addGroup(store, {
      doc: { displayName: 'After' },
      upstream_rest_id: restId,
      upstream_scim_id: String(restId),
      upstream_uid: uid,
      observed: JSON.stringify({ displayName: 'Before', at: 1, by: 'test' }),
      cells: JSON.stringify({ existence: lostCreate(), displayName: { pending: 1 } }),
      version: 1,
      must_look: 1,
      due_at: 1,
    });
    const host = await createConvergeHost(sandbox, store);

    await host.run({ type: 'group', id: group.id });

    expect(host.failures).toEqual([]);
    expect(sandbox.service.groups().map(({ name }) => name)).toEqual(['After']);
    expect(await getGroup(store, group)).toMatchObject({ due_at: null, must_look: 0 });
  });
});
