import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change, SandboxUser } from '../../src/sandbox/model.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startBridgeOf, type TestBridge } from '../support/bridge.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';

const OUT = toPatch(replace('active', false));
const toAddress = (name: string) => `${name}@example.com`;

/** Shows an account under another id, with its memberships: what the service does to its people when it is moved. */
function renumber({ service }: Sandbox, numbers: ReadonlyMap<SandboxUser, number>): void {
  const { state } = service.directory;
  const kinds = ['member', 'admin'] as const;
  const gone: Change[] = [];
  const again: Change[] = [];
  for (const [user, id] of numbers) {
    gone.push({ kind: 'user-removed', userId: user.id });
    again.push({ kind: 'user', user: { ...user, id } });
    for (const link of kinds) {
      for (const groupId of state.links[link].groupsOf(user.id))
        again.push({ kind: 'link', link, groupId, userId: id, present: true });
    }
  }
  state.commit([...gone, ...again]);
}

describe('ids that the service gave anew', () => {
  let sandbox: Sandbox;
  let bridge: TestBridge;
  beforeAll(async () => {
    sandbox = await startSandbox();
    const settings = { DRIFT_POLICY: '{"default":"repair"}', LIMITS_REPAIR: '1000' };
    bridge = await startBridgeOf(sandbox, { settings });
  });
  afterAll(async () => {
    await bridge.stop();
    await sandbox.stop();
  });

  const account = (name: string) => sandbox.service.getUser(toAddress(name));
  const listMembers = (group: string) => {
    const { state } = sandbox.service.directory;
    const members = state.links.member.usersOf(sandbox.service.getGroup(group).id);
    return [...members].map((id) => sandbox.service.getUser(id).email).toSorted();
  };

  test('to everybody: people stay who they are, and in their groups', async () => {
    const names = ['ann', 'ben', 'cem', 'dea'];
    const ids: string[] = [];
    for (const name of names) ids.push(await bridge.addUser(name));
    const [ann = '', ben = '', , dea = ''] = ids;
    const group = await bridge.addGroup('Moved', ids.slice(0, 3));
    await bridge.untilSettled();
    renumber(sandbox, new Map(names.map((name, n) => [account(name), 90_000 + n])));

    await bridge.send('PATCH', `/Users/${ann}`, OUT);
    await bridge.sweep();
    await bridge.untilSettled();
    const actions = sandbox.service.auditEvents().map(({ action }) => action);
    expect(actions).not.toContain('delete_user');
    const taken = { op: 'remove', path: `members[value eq "${ben}"]` };
    const added = { op: 'add', path: 'members', value: toMembers([dea]) };
    await bridge.send('PATCH', `/Groups/${group}`, toPatch(taken, added));
    await bridge.untilSettled();

    expect(account('ann').active).toBe(false);
    expect(listMembers('Moved')).toEqual(['ann', 'cem', 'dea'].map(toAddress));
    expect(sandbox.service.users()).toHaveLength(names.length + 1);
    await bridge.sweep();
    expect(await bridge.listDrifts()).toEqual([]);
  });

  test('to two people, each the id of the other: a deactivation reaches the right one', async () => {
    const [one] = [await bridge.addUser('one'), await bridge.addUser('two')];
    await bridge.untilSettled();
    const [first, second] = [account('one'), account('two')];
    renumber(
      sandbox,
      new Map([
        [first, second.id],
        [second, first.id],
      ]),
    );
    await bridge.sweep();
    await bridge.untilSettled();
    await bridge.send('PATCH', `/Users/${one}`, OUT);
    await bridge.untilSettled();

    expect([account('one').active, account('two').active]).toEqual([false, true]);
    expect(account('two').fullName).toBe(second.fullName);
  });

  test('to somebody new, after a person was deleted there: nothing is written to the stranger', async () => {
    const gone = await bridge.addUser('gone');
    await bridge.untilSettled();
    const { id } = account('gone');
    sandbox.service.directory.state.commit([{ kind: 'user-removed', userId: id }]);
    const stranger = sandbox.service.addUser({ email: 'stranger@elsewhere.com' });
    renumber(sandbox, new Map([[{ ...stranger, created: '2031-01-01T00:00:00.000Z' }, id]]));
    await bridge.sweep();
    await bridge.untilSettled();
    await bridge.send('PATCH', `/Users/${gone}`, OUT);
    await bridge.sweep();
    await bridge.untilSettled();

    expect(sandbox.service.getUser(id)).toMatchObject({
      email: stranger.email,
      fullName: stranger.fullName,
      active: true,
    });
  });

  test('not at all: somebody whose names an administrator changed is the same person', async () => {
    const id = await bridge.addUser('maiden');
    await bridge.untilSettled();
    sandbox.service.updateUser(account('maiden').id, {
      email: toAddress('married'),
      userName: 'married',
    });
    await bridge.sweep();
    await bridge.untilSettled();
    await bridge.send('PATCH', `/Users/${id}`, OUT);
    await bridge.untilSettled();

    expect(account('married').active).toBe(false);
    expect(sandbox.service.findUser(toAddress('maiden'))).toBeUndefined();
  });
});
