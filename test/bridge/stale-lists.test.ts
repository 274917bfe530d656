import { expect, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { GROUP_EXTENSION } from '../support/drift-cells.ts';
import { forTest } from '../support/lifetimes.ts';
import { toMembers } from '../support/provider.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const NAMES = ['ada', 'bob'];

async function startWorld(prepare?: (service: Sandbox['service']) => void) {
  const sandbox = await forTest(startSandbox());
  prepare?.(sandbox.service);
  const proxy = await forTest(tamperWith(sandbox));
  const settings = { SCIM_WRITE_WAIT: '0' };
  const bridge = await forTest(startTestBridge({ settings, service: proxy.service }));
  return { sandbox, proxy, bridge };
}

const removals: { what: string; names: string[]; operation: OperationName }[] = [
  { what: 'several members', names: NAMES, operation: 'scim.updateGroup' },
  { what: 'one member', names: ['ada'], operation: 'groupUsers.removeUserFromGroup' },
];

test.each(removals)(
  'a list that was asked for before the removal of $what ended does not pass for news',
  async ({ names, operation }) => {
    const { sandbox, proxy, bridge } = await startWorld();
    const ids = await Promise.all(NAMES.map((name) => bridge.addUser(name)));
    const group = await bridge.addGroup('Pilots', ids);
    await bridge.untilSettled();
    await bridge.sweep();
    const members = toMembers(ids.slice(0, names.length));
    const hang = { kind: 'hang' } as const;
    const removal = sandbox.faults.add({ operation, fault: hang, times: 1 });
    const [listed, shown, stored] = [open(), open(), open()];
    proxy.setTamper(async (url, body) => {
      if (url.pathname === '/scim/v2/Groups') {
        listed.resolve();
        await shown.promise;
      }
      // The next list is asked for when the one before is stored.
      if (url.pathname.endsWith('/groups')) stored.resolve();
      return body;
    });

    await bridge.patch(`/Groups/${group}`, toOperation('remove', members));
    await removal.until(1);
    const { body } = await bridge.ops('POST', '/sweeps');
    await listed.promise;
    sandbox.faults.release(hang);
    await bridge.untilSettled();
    shown.resolve();
    await stored.promise;
    await bridge.patch(`/Groups/${group}`, toOperation('add', members));
    await bridge.untilSettled();
    await bridge.untilSwept(String(body.id));

    expect(sandbox.service.members('Pilots').toSorted()).toEqual(
      NAMES.map((name) => `${name}@example.com`),
    );
  },
);

test('a list of admins that was read before one was made does not pass for news', async () => {
  const { sandbox, proxy, bridge } = await startWorld((service) =>
    service.createGroup({ name: 'Pilots' }),
  );
  const [ada, bob] = await Promise.all(NAMES.map((name) => bridge.addUser(name)));
  const path = `/Groups/${await bridge.findId({ type: 'Groups', name: 'Pilots' })}`;
  const admins = { path: `${GROUP_EXTENSION}:admins`, value: toMembers([String(ada)]) };
  const reads = [
    { asked: open(), shown: open() },
    { asked: open(), shown: open() },
  ];
  let count = 0;
  proxy.setTamper(async (url, body) => {
    if (!url.pathname.endsWith('/admins')) return body;
    const read = reads[count];
    count += 1;
    read?.asked.resolve();
    await read?.shown.promise;
    return body;
  });

  const first = bridge.patch(path, { op: 'add', ...admins });
  await reads[0]?.asked.promise;
  const members = toMembers([String(bob)]);
  const second = bridge.patch(path, toOperation('add', members));
  await reads[1]?.asked.promise;
  reads[0]?.shown.resolve();
  await first;
  await bridge.untilSettled();
  reads[1]?.shown.resolve();
  await second;
  await bridge.patch(path, { op: 'remove', ...admins });
  await bridge.untilSettled();

  expect(sandbox.service.admins('Pilots')).toEqual([]);
});

function toOperation(op: 'add' | 'remove', value: ReturnType<typeof toMembers>) {
  return { op, path: 'members', value };
}

function open(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}
