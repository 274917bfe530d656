import { expect, test } from 'vitest';
import { readBacklog } from '../src/store/lanes.ts';
import { withTestBridge } from './support/bridge.ts';
import {
  addGroup,
  listResources,
  readMemberIds,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from './support/provider.ts';
import { describeStores } from './support/stores.ts';

const MEMBERS = 500;
const GROUP = 'Pilots';
const CALLS_MAX = 59;

describeStores('500 PATCHes of one member each at the same time', ({ makeUrl }) => {
  test('nobody is lost, and they go in fewer than 60 calls', async () => {
    const options = {
      settings: { DATABASE_URL: await makeUrl('migrated') },
      sandbox: { seed: { users: MEMBERS } },
    };
    await withTestBridge(options, async (bridge) => {
      const { sandbox, store } = bridge;
      const list = await send(bridge, 'GET', '/Users?count=1000');
      const people = listResources(list).filter(({ userName }) => userName !== 'owner');
      const ids = people.map(({ id }) => String(id));
      const path = `/Groups/${await addGroup(bridge, GROUP)}`;
      sandbox.calls.reset();

      const answers = await Promise.all(
        ids.map((id) => {
          const operation = { op: 'add', path: 'members', value: toMembers([id]) };
          return bridge.request('PATCH', path, toPatch(operation));
        }),
      );
      await untilSettled(bridge);

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await readMemberIds(bridge, path.replace('/Groups/', ''))).toEqual(ids.toSorted());
      expect(sandbox.service.members(GROUP)).toHaveLength(MEMBERS);
      expect(sandbox.calls.count()).toBeLessThanOrEqual(CALLS_MAX);
      expect(await readBacklog(store.read)).toMatchObject({ due: 0, stuck: 0 });
    });
  });
});
