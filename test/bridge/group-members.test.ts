import { expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';

test('the members of a group are told page by page, each once, with what is wanted and what was seen', async () => {
  const bridge = await forTest(startTestBridge());
  const ids = [];
  for (const name of ['ada', 'bob', 'eve']) ids.push(await bridge.addUser(name));
  const group = await bridge.addGroup('Pilots', ids.slice(0, 2));
  await bridge.untilSettled();
  bridge.sandbox.service.link('Pilots', 'eve@example.com');
  bridge.sandbox.service.unlink('Pilots', 'ada@example.com');
  await bridge.sweep();

  const { body: first } = await bridge.ops('GET', `/groups/${group}/members?limit=2`);
  const cursor = String(first.nextCursor);
  const next = await bridge.ops('GET', `/groups/${group}/members?limit=2&cursor=${cursor}`);
  const none = await bridge.ops('GET', '/groups/nobody/members');

  expect(first.items).toMatchObject([
    { id: ids[0], name: 'ada@example.com', desired: true, observed: false, standing: 'drifted' },
    { id: ids[1], desired: true, observed: true, standing: 'settled' },
  ]);
  expect(next.body).toMatchObject({
    items: [{ id: ids[2], desired: false, observed: true, standing: 'drifted' }],
    nextCursor: null,
  });
  expect(none.status).toBe(404);
});
