import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import {
  ada,
  assertFindsEveryKind,
  driftCells,
  GROUP_EXTENSION,
  isMetAlone,
} from '../support/drift-cells.ts';
import { forTest } from '../support/lifetimes.ts';
import { toGroup, toMembers } from '../support/provider.ts';

const settings = { SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };

/** A store that outlives the bridges that use it. */
function makeFile() {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-sweep-'));
  return {
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Operations that change the service; a call of any of them is a failure. */
function listChanges({ sandbox }: TestBridge): string[] {
  const pattern = /\.(add|update|create|remove|delete)/;
  return Object.keys(sandbox.calls.counts()).filter((name) => pattern.test(name));
}

test('a sweep finds differences of every kind, writes nothing, and sees that they are gone', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const { service, calls } = bridge.sandbox;
  await assertFindsEveryKind(bridge);
  calls.reset();
  for (const { kind, name, change, changeBack } of driftCells.filter(isMetAlone)) {
    change(service);

    const first = await bridge.sweep();
    const found = await bridge.listDrifts();
    const second = await bridge.sweep();

    expect(first).toMatchObject({ status: 'complete', counts: { opened: 1, unknown: 0 } });
    expect(found).toEqual([`${kind} ${name}`]);
    expect(second).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
    expect(await bridge.listDrifts()).toEqual(found);
    if (changeBack === undefined) continue;
    changeBack(service);
    await bridge.sweep();
    expect(await bridge.listDrifts()).toEqual([]);
  }
  expect(listChanges(bridge)).toEqual([]);
  expect(await bridge.ops('GET', '/sweeps')).toMatchObject({ status: 200 });
});

test('whom others made an admin before the admins were first read differs, and not the account of the token', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const { service } = bridge.sandbox;
  const id = await bridge.addUser('ada');
  await bridge.addUser('bob');
  const extension: JsonObject = { admins: toMembers([id]) };
  await bridge.send('POST', '/Groups', { ...toGroup('Crew'), [GROUP_EXTENSION]: extension });
  await bridge.untilSettled();
  service.link('Crew', 'bob@example.com', 'admin');
  await bridge.sweep();

  expect(await bridge.listDrifts()).toEqual(['admin.added Crew of bob@example.com']);
});

test('20 people and 4 groups cost a call a page, and one a group when admin lists are due', async () => {
  const paid = { ...settings, SWEEP_ADMINS_EVERY: '2', UPSTREAM_PAGE_SIZE: '5' };
  const bridge = await forTest(
    startTestBridge({ settings: paid, sandbox: { seed: { users: 19 } } }),
  );
  const id = await bridge.addUser('ada');
  const extension: JsonObject = { admins: toMembers([id]) };
  const groups = Array.from({ length: 4 }, (_, index) => toGroup(`Group ${index}`, [id]));
  await Promise.all(
    groups.map((group) =>
      bridge.send('POST', '/Groups', { ...group, [GROUP_EXTENSION]: extension }),
    ),
  );
  await bridge.untilSettled();
  const { calls } = bridge.sandbox;

  calls.reset();
  const lists = await bridge.sweep();
  const listCalls = calls.count();
  calls.reset();
  const withAdmins = await bridge.sweep();

  expect(lists).toMatchObject({ status: 'complete', admins: false, calls: listCalls });
  expect(listCalls).toBeLessThanOrEqual(2 * 5 + 2 * 1 + 4);
  expect(withAdmins).toMatchObject({ status: 'complete', admins: true, calls: calls.count() });
  expect(calls.count()).toBe(listCalls + 4);
  expect(await bridge.listDrifts()).toEqual([]);
});

test('a start compares a store that was filled before, and not one that has just been read', async () => {
  const service = await forTest(startSandbox({ seed: { users: 1 } }));
  const logs: JsonObject[] = [];
  const onLog = (line: JsonObject) => void logs.push(line);
  const swept = () => logs.filter(({ msg }) => msg === 'the service was compared with the store');
  const { DATABASE_URL, remove } = makeFile();
  onTestFinished(remove);
  const hourly = { ...settings, SWEEP_INTERVAL: '1h', DATABASE_URL };
  const first = await startTestBridge({ service, settings: hourly, onLog });
  await first.addUser('ada');
  await first.untilSettled();
  const { body } = await first.ops('GET', '/sweeps');
  await first.stop();
  service.service.as('user00001@example.com').updateUser(ada, { active: false });

  const second = await forTest(startTestBridge({ service, settings: hourly, onLog }));
  await expect.poll(swept).toHaveLength(1);

  expect(body.items).toEqual([]);
  expect(await second.listDrifts()).toEqual([`user.deactivated ${ada}`]);
});

test('scim-bridge sweep tells what differs, and by its exit code whether anything managed does', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  await bridge.addUser('ada');
  const run = (args: string) => runner(bridge)(...args.split(' '));

  const before = await run('sweep --exit-code');
  bridge.sandbox.service.updateUser(ada, { active: false });
  const after = await run('sweep --exit-code --names');
  const json = await run('sweep --json');
  bridge.sandbox.faults.add({
    operation: 'scim.getGroups',
    fault: { kind: 'status', status: 400 },
  });
  const incomplete = await run('sweep');

  expect(before.code).toBe(0);
  expect(after.code).toBe(2);
  expect(after.text).toMatch(/user\.deactivated +ada@example\.com +\S+ +\{"active":false\}/);
  expect(json.code).toBe(0);
  expect(JSON.parse(json.text)).toMatchObject({ sweep: { status: 'complete' } });
  expect(incomplete.code).toBe(1);
  expect(incomplete.text).toContain('not concluded: scim.getGroups');
});
