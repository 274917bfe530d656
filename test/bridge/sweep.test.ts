import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runSweep } from '../support/command.ts';
import {
  ada,
  addCompany,
  assertFindsEveryKind,
  bob,
  driftCells,
  GROUP_EXTENSION,
  isMetAlone,
  setActive,
} from '../support/drift-cells.ts';
import {
  addGroup,
  addUser,
  send,
  toGroup,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep, untilSwept } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };

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

for (const { kind, name, change, changeBack } of driftCells.filter(isMetAlone)) {
  test(`a sweep finds ${kind}, writes nothing, and sees that it is gone`, async () => {
    await withTestBridge({ settings }, async (bridge) => {
      const { service, calls } = bridge.sandbox;
      await addCompany(bridge);
      const quiet = await sweep(bridge);
      change(service);
      calls.reset();

      const first = await sweep(bridge);
      const found = await listManagedDrifts(bridge);
      const second = await sweep(bridge);
      const still = await listManagedDrifts(bridge);

      expect(quiet).toMatchObject({ status: 'complete', reasons: [] });
      expect(first).toMatchObject({ status: 'complete', counts: { opened: 1, unknown: 0 } });
      expect(found).toEqual([`${kind} ${name}`]);
      expect(second).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
      expect(still).toEqual(found);
      expect(listChanges(bridge)).toEqual([]);

      if (changeBack === undefined) return;
      changeBack(service);
      await sweep(bridge);
      expect(await listManagedDrifts(bridge)).toEqual([]);
      expect(await listManagedDrifts(bridge, 'gone')).toEqual(found);
      expect(listChanges(bridge)).toEqual([]);
    });
  });
}

describe('a sweep', () => {
  test('finds differences of every kind at once, and sees that they are gone', async () => {
    const options = { ...settings };
    await withTestBridge({ settings: options }, async (bridge) => {
      await assertFindsEveryKind(bridge);
      expect(await askOps(bridge, 'GET', '/sweeps')).toMatchObject({ status: 200 });
    });
  });
});

test('an account that works again after its deletion is drift, and is left as it is', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const { service, calls } = bridge.sandbox;
    const id = await addCompany(bridge);
    await send(bridge, 'DELETE', `/Users/${id}`);
    await sweep(bridge);
    const quiet = await listManagedDrifts(bridge);
    service.setActive(ada, true);
    calls.reset();

    await sweep(bridge);
    const found = await listManagedDrifts(bridge);
    const { status } = await bridge.request('GET', `/Users/${id}`);
    service.setActive(ada, false);
    await sweep(bridge);

    expect([quiet, found]).toEqual([[], [`user.activated ${ada}`]]);
    expect(status).toBe(404);
    expect(listChanges(bridge)).toEqual([]);
    expect(await listManagedDrifts(bridge)).toEqual([]);
    expect(await listManagedDrifts(bridge, 'gone')).toEqual(found);
  });
});

test('a new person with the account of somebody deleted is no drift of theirs', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const id = await addCompany(bridge);
    await send(bridge, 'DELETE', `/Users/${id}`);
    await untilSettled(bridge);
    await addUser(bridge, 'ada');

    const ended = await sweep(bridge);

    expect(ended).toMatchObject({ status: 'complete', counts: { unknown: 0 } });
    expect(bridge.sandbox.service.getUser(ada).active).toBe(true);
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});

test('what others did to a managed group changes nothing that a provider is shown', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const id = await addCompany(bridge);
    await sweep(bridge);
    const show = async () => {
      const groups = await send(bridge, 'GET', '/Groups');
      return [groups.body, (await send(bridge, 'GET', `/Users/${id}`)).body];
    };
    const before = await show();
    bridge.sandbox.service.addMember('Pilots', bob);
    bridge.sandbox.service.removeMember('Pilots', ada);
    await sweep(bridge);

    expect(await listManagedDrifts(bridge)).toHaveLength(2);
    expect(await show()).toEqual(before);
  });
});

test('what still waits for the service is no drift, also when the service refuses it', async () => {
  const impatient = { ...settings, SCIM_WRITE_WAIT: '0' };
  await withTestBridge({ settings: impatient }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    await untilSettled(bridge);
    const refusal = { kind: 'status', status: 400 } as const;
    bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: refusal });
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
    const findStuck = async () => (await askOps(bridge, 'GET', '/status')).body.stuckCount;
    await expect.poll(findStuck, { interval: 10 }).toBe(1);
    const { body } = await askOps(bridge, 'POST', '/sweeps');
    const ended = await untilSwept(bridge, String(body.id));

    expect(ended).toMatchObject({ status: 'complete', counts: { unknown: 0 } });
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});

test('a list that comes while somebody is worked on does not seem to leave them out', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    const { faults } = bridge.sandbox;
    const stop = (operation: OperationName) => {
      const fault = { kind: 'hang' } as const;
      const hang = faults.add({ operation, fault, times: 1 });
      return { until: () => hang.until(1), goOn: () => faults.release(fault) };
    };
    const id = await addCompany(bridge);
    await sweep(bridge);
    const change = stop('scim.updateUser');
    const rename = toPatch({ op: 'replace', path: 'name.familyName', value: 'Lovelace' });
    const written = send(bridge, 'PATCH', `/Users/${id}`, rename);
    await change.until();
    const later = stop('scim.getGroups');
    const { body } = await askOps(bridge, 'POST', '/sweeps');
    await later.until();
    change.goOn();
    await written;
    later.goOn();

    const ended = await untilSwept(bridge, String(body.id));

    expect(ended).toMatchObject({ status: 'complete', reasons: [] });
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});

test('accounts and groups that nobody asked for are listed and never touched', async () => {
  const sandbox = { seed: { users: 2, groups: 1 } };
  await withTestBridge({ settings, sandbox }, async (bridge) => {
    bridge.sandbox.calls.reset();
    await sweep(bridge);
    const known = await askOps(bridge, 'GET', '/drifts?kind=user.unmanaged&status=open');
    const calls = bridge.sandbox.calls.count();
    bridge.sandbox.service.addUser({ email: 'new@example.com', fullName: 'New' });
    await sweep(bridge);
    const all = await askOps(bridge, 'GET', '/drifts?status=open');
    const id = await addUser(bridge, 'new');
    await sweep(bridge);
    const adopted = await askOps(bridge, 'GET', '/drifts?status=gone');

    expect(known.body.items).toHaveLength(3);
    expect(calls).toBeLessThanOrEqual(8);
    expect(JSON.stringify(all.body)).toContain('new@example.com');
    expect(JSON.stringify(all.body)).toContain('group.unmanaged');
    expect(JSON.stringify(adopted.body)).toContain(id);
  });
});

test('1,000 people and 50 groups cost a call a page, and one a group when admin lists are due', async () => {
  const paid = { ...settings, SWEEP_ADMINS_EVERY: '2' };
  await withTestBridge({ settings: paid, sandbox: { seed: { users: 999 } } }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    const extension: JsonObject = { admins: toMembers([id]) };
    const groups = Array.from({ length: 50 }, (_, index) => toGroup(`Group ${index}`, [id]));
    await Promise.all(
      groups.map((group) =>
        send(bridge, 'POST', '/Groups', { ...group, [GROUP_EXTENSION]: extension }),
      ),
    );
    await untilSettled(bridge);
    const { calls } = bridge.sandbox;

    calls.reset();
    const lists = await sweep(bridge);
    const listCalls = calls.count();
    calls.reset();
    const withAdmins = await sweep(bridge);

    expect(lists).toMatchObject({ status: 'complete', admins: false, calls: listCalls });
    expect(listCalls).toBeLessThanOrEqual(2 * 10 + 2 * 1 + 4);
    expect(withAdmins).toMatchObject({ status: 'complete', admins: true, calls: calls.count() });
    expect(calls.count()).toBe(listCalls + 50);
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});

test('a start compares a store that was filled before, and not one that has just been read', async () => {
  const service = await startSandbox({ seed: { users: 1 } });
  onTestFinished(() => service.stop());
  const logs: JsonObject[] = [];
  const onLog = (line: JsonObject) => void logs.push(line);
  const swept = () => logs.filter(({ msg }) => msg === 'the service was compared with the store');
  const { DATABASE_URL, remove } = makeFile();
  onTestFinished(remove);
  const hourly = { ...settings, SWEEP_INTERVAL: '1h', DATABASE_URL };
  const first = await startTestBridge({ service, settings: hourly, onLog });
  await addUser(first, 'ada');
  await untilSettled(first);
  const { body } = await askOps(first, 'GET', '/sweeps');
  await first.stop();
  service.service.as('user00001@example.com').setActive(ada, false);

  const second = await startTestBridge({ service, settings: hourly, onLog });
  onTestFinished(() => second.stop());
  await expect.poll(swept).toHaveLength(1);

  expect(body.items).toEqual([]);
  expect(await listManagedDrifts(second)).toEqual([`user.deactivated ${ada}`]);
});

test('/ops/sweeps and /ops/drifts page, filter and refuse what they do not know', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    await addCompany(bridge);
    await addGroup(bridge, 'Cooks');
    bridge.sandbox.service.renameGroup('Cooks', 'Chefs');
    bridge.sandbox.service.setActive(ada, false);
    const { id } = await sweep(bridge);
    const managed = '/drifts?kind=user.deactivated&status=open';

    const [one, page, unknown, wrong, sweeps, none] = await Promise.all([
      askOps(bridge, 'GET', managed),
      askOps(bridge, 'GET', '/drifts?limit=1'),
      askOps(bridge, 'GET', '/drifts?kind=user.gone'),
      askOps(bridge, 'GET', '/drifts?cursor=x'),
      askOps(bridge, 'GET', '/sweeps?limit=1'),
      askOps(bridge, 'GET', '/sweeps/unknown'),
    ]);
    const next = await askOps(bridge, 'GET', `/drifts?cursor=${page.body.nextCursor}`);

    expect(one.body).toMatchObject({
      items: [
        {
          kind: 'user.deactivated',
          status: 'open',
          resource: { type: 'user', name: ada },
          member: null,
          desired: { active: true },
          observed: { active: false },
        },
      ],
      nextCursor: null,
    });
    expect(page.body.items).toHaveLength(1);
    expect(next.body.items).toHaveLength(2);
    expect([unknown.status, wrong.status, none.status]).toEqual([400, 400, 404]);
    expect(sweeps.body.items).toMatchObject([{ id, status: 'complete' }]);
  });
});

test('scim-bridge sweep tells what differs, and by its exit code whether anything managed does', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    await addCompany(bridge);
    const run = (args: string) => runSweep(bridge, args, settings);

    const before = await run('sweep --exit-code');
    bridge.sandbox.service.setActive(ada, false);
    const after = await run('sweep --exit-code --names');
    const json = await run('sweep --json');
    bridge.sandbox.faults.add({
      operation: 'scim.getGroups',
      fault: { kind: 'status', status: 400 },
    });
    const incomplete = await run('sweep');

    expect(before.code).toBe(0);
    expect(after.code).toBe(2);
    expect(after.text).toContain(`user.deactivated   ${ada}: {"active":true} → {"active":false}`);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.text)).toMatchObject({ sweep: { status: 'complete' } });
    expect(incomplete.code).toBe(1);
    expect(incomplete.text).toContain('not concluded: scim.getGroups');
  });
});

test('metrics count drift by kind and sweeps by how they ended', async () => {
  await withTestBridge({ settings }, async (bridge) => {
    await addCompany(bridge);
    bridge.sandbox.service.setActive(ada, false);
    await sweep(bridge);
    const url = new URL('/metrics', bridge.baseUrl).href;
    const headers = { authorization: `Bearer ${SWEEP_SETTINGS.OPS_TOKEN}` };
    const text = await (await fetch(url, { headers })).text();

    expect(text).toContain('scim_bridge_drift{kind="user.deactivated",status="open"} 1');
    expect(text).toContain('scim_bridge_sweep_duration_seconds_count{status="complete"} 1');
  });
});
