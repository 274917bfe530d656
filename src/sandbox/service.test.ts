import { expect, test } from 'vitest';
import { startForTest } from './start-for-test.ts';

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
