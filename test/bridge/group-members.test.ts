import { expect, test } from 'vitest';
import { withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

test('the members of a group are told page by page, each once, with what is wanted and what was seen', () =>
  withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    const ids = [];
    for (const name of ['ada', 'bob', 'eve']) ids.push(await addUser(bridge, name));
    const group = await addGroup(bridge, 'Pilots', ids.slice(0, 2));
    await untilSettled(bridge);
    bridge.sandbox.service.addMember('Pilots', 'eve@example.com');
    bridge.sandbox.service.removeMember('Pilots', 'ada@example.com');
    await sweep(bridge);

    const { body: first } = await askOps(bridge, 'GET', `/groups/${group}/members?limit=2`);
    const cursor = String(first.nextCursor);
    const next = await askOps(bridge, 'GET', `/groups/${group}/members?limit=2&cursor=${cursor}`);
    const none = await askOps(bridge, 'GET', '/groups/nobody/members');

    expect(first.items).toMatchObject([
      { id: ids[0], name: 'ada@example.com', desired: true, observed: false, standing: 'drifted' },
      { id: ids[1], desired: true, observed: true, standing: 'settled' },
    ]);
    expect(next.body).toMatchObject({
      items: [{ id: ids[2], desired: false, observed: true, standing: 'drifted' }],
      nextCursor: null,
    });
    expect(none.status).toBe(404);
  }));
