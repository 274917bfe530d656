import { expect, onTestFinished, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { GROUP_EXTENSION } from '../support/drift-cells.ts';
import {
  addGroup,
  addUser,
  findId,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep, untilSwept } from '../support/sweep.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const NAMES = ['ada', 'bob'];

async function startWorld(prepare?: (service: Sandbox['service']) => void) {
  const sandbox = await startSandbox();
  prepare?.(sandbox.service);
  const proxy = await tamperWith(sandbox);
  const settings = { ...SWEEP_SETTINGS, SCIM_WRITE_WAIT: '0' };
  const bridge = await startTestBridge({ settings, service: proxy.service });
  onTestFinished(async () => {
    await bridge.stop();
    await proxy.stop();
    await sandbox.stop();
  });
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
    const ids = await Promise.all(NAMES.map((name) => addUser(bridge, name)));
    const group = await addGroup(bridge, 'Pilots', ids);
    await untilSettled(bridge);
    await sweep(bridge);
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

    await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(toOperation('remove', members)));
    await removal.until(1);
    const { body } = await askOps(bridge, 'POST', '/sweeps');
    await listed.promise;
    sandbox.faults.release(hang);
    await untilSettled(bridge);
    shown.resolve();
    await stored.promise;
    await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(toOperation('add', members)));
    await untilSettled(bridge);
    await untilSwept(bridge, String(body.id));

    expect(sandbox.service.members('Pilots').toSorted()).toEqual(
      NAMES.map((name) => `${name}@example.com`),
    );
  },
);

test('a list of admins that was read before one was made does not pass for news', async () => {
  const { sandbox, proxy, bridge } = await startWorld((service) =>
    service.createGroup({ name: 'Pilots' }),
  );
  const [ada, bob] = await Promise.all(NAMES.map((name) => addUser(bridge, name)));
  const path = `/Groups/${await findId(bridge, { type: 'Groups', name: 'Pilots' })}`;
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

  const first = send(bridge, 'PATCH', path, toPatch({ op: 'add', ...admins }));
  await reads[0]?.asked.promise;
  const members = toMembers([String(bob)]);
  const second = send(bridge, 'PATCH', path, toPatch(toOperation('add', members)));
  await reads[1]?.asked.promise;
  reads[0]?.shown.resolve();
  await first;
  await untilSettled(bridge);
  reads[1]?.shown.resolve();
  await second;
  await send(bridge, 'PATCH', path, toPatch({ op: 'remove', ...admins }));
  await untilSettled(bridge);

  expect(sandbox.service.admins('Pilots')).toEqual([]);
});

function toOperation(op: 'add' | 'remove', value: ReturnType<typeof toMembers>) {
  return { op, path: 'members', value };
}

function open(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}
