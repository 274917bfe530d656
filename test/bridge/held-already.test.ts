import { expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { toMembers, toPatch } from '../support/provider.ts';

test('who was in an adopted group before the bridge asked stays when the group is let go', async () => {
  const bridge = await forTest(
    startTestBridge({ prepare: ({ service }) => void service.createGroup({ name: 'Old' }) }),
  );
  const { service } = bridge.sandbox;
  const [first, second] = [await bridge.addUser('first'), await bridge.addUser('second')];
  const group = await bridge.findId({ type: 'Groups', name: 'Old' });
  const address = (name: string) => service.users().find((u) => u.email.startsWith(name))?.email;
  service.link('Old', address('first') ?? '');

  for (const id of [first, second]) {
    const change = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
    await bridge.send('PATCH', `/Groups/${group}`, change);
  }
  expect(service.members('Old')).toHaveLength(2);
  await bridge.send('DELETE', `/Groups/${group}`);

  await expect.poll(() => service.members('Old')).toEqual([address('first')]);
});
