import { expect, test } from 'vitest';
import { startForTest } from './start-for-test.ts';

test('a change behind the back of the API is the owner’s unless another author is named', async () => {
  const { sandbox } = await startForTest({ seed: { users: 1 } });
  const { service } = sandbox;
  service.createGroup({ name: 'A' });
  service.as('user00001@example.com', '198.51.100.1').createGroup({ name: 'B' });
  expect(service.auditEvents()).toMatchObject([
    { authorId: 1, authorUserName: 'owner', authorAddress: '192.0.2.20' },
    { authorId: 2, authorUserName: 'user00001', authorAddress: '198.51.100.1' },
  ]);
  expect(() => service.as('nobody@example.com')).toThrow('no user nobody@example.com');
});

test('users go by id or address, groups by id or name', async () => {
  const { sandbox } = await startForTest({ seed: { users: 2, groups: 1, membersPerGroup: 0 } });
  const { service } = sandbox;
  service.addMember(1, 2);
  service.addMember('Group 001', 'USER00002@example.com');
  expect(service.members('Group 001')).toEqual(['user00001@example.com', 'user00002@example.com']);
  service.removeMember('Group 001', 2);
  expect(service.members(1)).toEqual(['user00002@example.com']);
  expect(service.findUser('x@example.com')).toBeUndefined();
  expect(service.findGroup('X')).toBeUndefined();
  expect(() => service.addMember('X', 2)).toThrow('no group X');
});

test('a seed is the same company each time, with groups of the sizes asked for', async () => {
  const seed = { users: 12, groups: 3, groupSizes: [0, 100], membersPerGroup: 2 };
  const { sandbox } = await startForTest({ seed });
  const { service } = sandbox;
  expect(service.users()).toHaveLength(13);
  expect(service.getUser('user00012@example.com').fullName).toBe('Boris Braun');
  expect(service.groups().map(({ id }) => service.members(id).length)).toEqual([0, 12, 2]);
  expect(service.auditEvents()).toEqual([]);
});

test('of two groups with one name the oldest answers to it', async () => {
  const { sandbox } = await startForTest({ shape: { uniqueGroupNames: 'nowhere' } });
  const { service } = sandbox;
  const older = service.createGroup({ name: 'A' });
  const newer = service.createGroup({ name: 'A' });
  expect(service.getGroup('A').id).toBe(older.id);
  service.renameGroup('A', 'B');
  expect(service.getGroup('A').id).toBe(newer.id);
});

test('an address or a name that was given up is free again', async () => {
  const { sandbox } = await startForTest();
  const { service } = sandbox;
  service.addUser({ email: 'ann@example.com', userName: 'ann' });
  service.updateUser('ann@example.com', { email: 'bee@example.com', userName: 'bee' });
  expect(service.findUser('ann@example.com')).toBeUndefined();
  expect(service.addUser({ email: 'ann@example.com', userName: 'ann' }).id).toBe(3);
});

test('whoever is removed leaves every group', async () => {
  const { sandbox } = await startForTest();
  const { service } = sandbox;
  service.addUser({ email: 'v@example.com', virtual: true });
  service.createGroup({ name: 'A' });
  service.addMember('A', 'v@example.com');
  service.addAdmin('A', 'v@example.com');
  service.removeUser('v@example.com');
  expect([service.members('A'), service.admins('A')]).toEqual([[], []]);
});
