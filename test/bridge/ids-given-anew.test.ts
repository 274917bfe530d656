import { beforeAll, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { Change, SandboxGroup, SandboxUser } from '../../src/sandbox/model.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startBridgeOf } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forSuite } from '../support/lifetimes.ts';
import { admit, dismiss, replace } from '../support/provider.ts';

const OUT = replace('active', false);
const toAddress = (name: string) => `${name}@example.com`;

/** Shows an account under another id, with its memberships: what the service does to its people when it is moved. */
function renumber({ service }: Sandbox, numbers: ReadonlyMap<SandboxUser, number>): void {
  const { state } = service;
  const gone: Change[] = [];
  const again: Change[] = [];
  for (const [user, id] of numbers) {
    gone.push({ kind: 'user-removed', userId: user.id });
    again.push({ kind: 'user', user: { ...user, id } });
    for (const link of ['member', 'admin'] as const) {
      for (const group of state.groupsOf(link, user.id))
        again.push({ kind: 'link', link, groupId: group.id, userId: id, present: true });
    }
  }
  state.commit([...gone, ...again]);
}

type GroupIds = Pick<SandboxGroup, 'id' | 'uid'>;

function renumberGroups({ service }: Sandbox, ids: ReadonlyMap<SandboxGroup, GroupIds>): void {
  const { state } = service;
  const gone: Change[] = [];
  const again: Change[] = [];
  for (const [group, { id, uid }] of ids) {
    gone.push({ kind: 'group-removed', groupId: group.id });
    again.push({ kind: 'group', group: { ...group, id, uid } });
    for (const userId of state.usersOf('member', group.id))
      again.push({ kind: 'link', link: 'member', groupId: id, userId, present: true });
  }
  state.commit([...gone, ...again]);
}

describe('ids that the service gave anew', () => {
  const settings = { DRIFT_POLICY: '{"default":"repair"}', LIMITS_REPAIR: '1000' };
  const sandbox = forSuite(() => startSandbox());
  const bridge = forSuite(() => startBridgeOf(sandbox, { settings }));

  const account = (name: string) => sandbox.service.getUser(toAddress(name));
  const listMembers = (group: string) => {
    const members = sandbox.service.state.usersOf('member', sandbox.service.getGroup(group).id);
    return [...members].map((id) => sandbox.service.getUser(id).email).toSorted();
  };

  const swap = (one: SandboxUser, other: SandboxUser) =>
    renumber(sandbox, new Map([[one, other.id]]).set(other, one.id));

  test('to everybody: people stay who they are, and in their groups', async () => {
    const names = ['ann', 'ben', 'cem', 'dea'];
    const ids: string[] = [];
    for (const name of names) ids.push(await bridge.addUser(name));
    const [ann = '', ben = '', , dea = ''] = ids;
    const group = await bridge.settled(bridge.addGroup('Moved', ids.slice(0, 3)));
    renumber(sandbox, new Map(names.map((name, n) => [account(name), 90_000 + n])));

    await bridge.patch(`/Users/${ann}`, OUT);
    await bridge.settled(bridge.sweep());
    expect(sandbox.service.auditEvents().map(({ action }) => action)).not.toContain('delete_user');
    await bridge.settled(bridge.patch(`/Groups/${group}`, dismiss(ben), admit(dea)));

    expect(account('ann').active).toBe(false);
    expect(listMembers('Moved')).toEqual(['ann', 'cem', 'dea'].map(toAddress));
    expect(sandbox.service.users()).toHaveLength(names.length + 1);
    await bridge.sweep();
    expect(await bridge.listDrifts()).toEqual([]);
  });

  test('to two people, of whom one is inactive: that the service refuses to deactivate this one proves nothing', async () => {
    const { faults, service } = sandbox;
    const [leaver] = await bridge.settled(bridge.addPeople('leaver', 'former'));
    const [first, second] = [account('leaver'), { ...account('former'), active: false }];
    swap(first, second);
    faults.add({ operation: 'scim.updateUser', times: 1, fault: failing(422) });
    await bridge.settled(bridge.patch(`/Users/${leaver}`, OUT));

    expect(service.getUser(second.id).active).toBe(false);
    expect(account('leaver').active).toBe(false);
  });

  test('to two people, each the id of the other: a deactivation reaches the right one', async () => {
    const [one] = await bridge.settled(bridge.addPeople('one', 'two'));
    const [first, second] = [account('one'), account('two')];
    swap(first, second);
    await bridge.settled(bridge.sweep());
    await bridge.settled(bridge.patch(`/Users/${one}`, OUT));

    expect([account('one').active, account('two').active]).toEqual([false, true]);
    expect(account('two').fullName).toBe(second.fullName);
  });

  test.each([
    ['near', OUT, { active: false }],
    ['next', replace(`${USER_EXTENSION}:appsPermissions`, 4), { appsPermissions: 4 }],
  ])(
    'to another one than %s, and nobody has looked since: what a write changed of the wrong person is brought back at once',
    async (name, write, wanted) => {
      const asked = { [USER_EXTENSION]: { appsPermissions: 2 } };
      const id = await bridge.addUser(name, asked);
      const other = `${name}-other`;
      await bridge.settled(bridge.addUser(other, asked));
      const moved = account(name);
      renumber(sandbox, new Map([[moved, 91_000 + moved.id]]).set(account(other), moved.id));
      await bridge.settled(bridge.patch(`/Users/${id}`, write));

      expect(account(name)).toMatchObject(wanted);
      expect(account(other)).toMatchObject({ active: true, appsPermissions: 2 });
    },
  );

  test('to somebody new, after a person was deleted there: nothing is written to the stranger', async () => {
    const gone = await bridge.settled(bridge.addUser('gone'));
    const { id } = account('gone');
    sandbox.service.state.commit([{ kind: 'user-removed', userId: id }]);
    const stranger = sandbox.service.addUser({ email: 'stranger@elsewhere.com' });
    renumber(sandbox, new Map([[{ ...stranger, created: '2031-01-01T00:00:00.000Z' }, id]]));
    await bridge.settled(bridge.sweep());
    await bridge.patch(`/Users/${gone}`, OUT);
    await bridge.settled(bridge.sweep());

    const { email, fullName } = stranger;
    expect(sandbox.service.getUser(id)).toMatchObject({ email, fullName, active: true });
  });

  describe('to groups', () => {
    let people: string[] = [];
    beforeAll(async () => {
      people = await bridge.addPeople('eve', 'fay');
    });
    const group = (name: string) => sandbox.service.getGroup(name);
    const toIds = (id: number): GroupIds => ({ id, uid: `uid-${id}` });
    const count = (name: string) =>
      sandbox.service.groups().filter((one) => one.name === name).length;

    test('nobody keeps access through the old group', async () => {
      const id = await bridge.settled(bridge.addGroup('Renumbered', people));
      renumberGroups(sandbox, new Map([[group('Renumbered'), toIds(700)]]));
      await bridge.settled(bridge.patch(`/Groups/${id}`, dismiss(people[0])));

      expect(count('Renumbered')).toBe(1);
      expect(listMembers('Renumbered')).toEqual([toAddress('fay')]);
      await bridge.sweep();
      expect(await bridge.listDrifts()).toEqual([]);
    });

    test('a sweep finds the group, and makes no second one', async () => {
      const id = await bridge.settled(bridge.addGroup('Swept', people));
      renumberGroups(sandbox, new Map([[group('Swept'), toIds(710)]]));
      await bridge.settled(bridge.sweep());
      const unmanaged = await bridge.listOps('/unmanaged?kind=group.unmanaged');
      expect([await bridge.listDrifts(), unmanaged]).toEqual([[], []]);
      await bridge.settled(bridge.send('DELETE', `/Groups/${id}`));

      expect(count('Swept')).toBe(0);
    });

    test('a deleted group is removed under its new id', async () => {
      const id = await bridge.settled(bridge.addGroup('Removed', people));
      renumberGroups(sandbox, new Map([[group('Removed'), toIds(720)]]));
      await bridge.settled(bridge.send('DELETE', `/Groups/${id}`));

      expect(count('Removed')).toBe(0);
    });

    test('two groups, each the id of the other: members stay where they are', async () => {
      const left = await bridge.addGroup('Left', people.slice(0, 1));
      await bridge.addGroup('Right', people.slice(1));
      await bridge.untilSettled();
      const [first, second] = [group('Left'), group('Right')];
      renumberGroups(sandbox, new Map([[first, second]]).set(second, first));
      await bridge.settled(bridge.sweep());
      await bridge.settled(bridge.patch(`/Groups/${left}`, { op: 'remove', path: 'members' }));

      expect([listMembers('Left'), listMembers('Right')]).toEqual([[], [toAddress('fay')]]);
      await bridge.sweep();
      expect(await bridge.listDrifts()).toEqual([]);
    });
  });
});
