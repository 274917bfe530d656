import { describe, expect, test } from 'vitest';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  ada,
  addCompany,
  bob,
  driftCells,
  GROUP_EXTENSION,
  setActive,
} from '../support/drift-cells.ts';
import { addPilots, emailOf, intrude, readPlan } from '../support/pilots.ts';
import {
  addGroup,
  addUser,
  addUsers,
  findId,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PATIENT = { interval: 20, timeout: 10_000 };
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const USER_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const settings = {
  ...SWEEP_SETTINGS,
  SWEEP_INTERVAL: '0',
  SWEEP_ADMINS_EVERY: '1',
  GROUPS_PERMISSIONS_MAX: '31',
};

const idOf = (bridge: TestBridge, type: 'Users' | 'Groups', name: string) =>
  findId(bridge, { type, name });

/** Writes what the provider wants in the place of each difference. */
async function writeAll(bridge: TestBridge): Promise<void> {
  const [adaId, bobId] = [await idOf(bridge, 'Users', ada), await idOf(bridge, 'Users', bob)];
  const carlId = await idOf(bridge, 'Users', 'carl@example.com');
  const set = (path: string, value: string | number) => toPatch({ op: 'replace', path, value });
  const patch = (id: string, body: ReturnType<typeof toPatch>) =>
    send(bridge, 'PATCH', `/Users/${id}`, body);
  await patch(adaId, setActive(true));
  await patch(adaId, set(`${USER_EXTENSION}:appsPermissions`, 2));
  await patch(bobId, set('name.familyName', 'Example'));
  await patch(carlId, setActive(false));
  const group = `/Groups/${await idOf(bridge, 'Groups', 'Pilots')}`;
  const admins = toMembers([adaId]);
  await send(bridge, 'PATCH', group, set(`${GROUP_EXTENSION}:permissions`, 2));
  await send(bridge, 'PATCH', group, toPatch({ op: 'replace', path: 'members', value: admins }));
  const path = `${GROUP_EXTENSION}:admins`;
  await send(bridge, 'PATCH', group, toPatch({ op: 'replace', path, value: admins }));
}

async function listUnmanaged(bridge: TestBridge, status: string): Promise<string[]> {
  const { body } = await askOps(bridge, 'GET', `/drifts?status=${status}`);
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => `${Object(item).kind} ${Object(item).resource.name}`);
}

async function readText(bridge: TestBridge, path: string): Promise<string> {
  return (await bridge.request('GET', new URL(path, bridge.baseUrl).href)).text;
}

describe('a drift that a write has made up for', () => {
  const run = async (act: (bridge: TestBridge) => Promise<void>, more = {}) => {
    await withTestBridge({ settings: { ...settings, ...more } }, act);
  };

  test('is over without another sweep, of every kind', () =>
    run(async (bridge) => {
      const isOther = ({ kind }: { kind: string }) =>
        ['group.renamed', 'group.missing'].includes(kind);
      const cells = driftCells.filter((cell) => !isOther(cell));
      await addCompany(bridge);
      await sweep(bridge);
      for (const { change } of cells) change(bridge.sandbox.service);
      await sweep(bridge);
      const found = await listManagedDrifts(bridge);
      await writeAll(bridge);

      expect(found).toEqual(cells.map(({ kind, name }) => `${kind} ${name}`).toSorted());
      await expect.poll(() => listManagedDrifts(bridge), PATIENT).toEqual([]);
      expect(await listManagedDrifts(bridge, 'gone')).toEqual(found);
    }));

  test('is over where the provider wants by now what the service holds, and of whom it deleted', () =>
    run(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addCompany(bridge);
      await sweep(bridge);
      service.updateUser(ada, { appsPermissions: 4 });
      service.setActive(bob, false);
      service.renameGroup('Pilots', 'Aviators');
      await sweep(bridge);
      bridge.sandbox.calls.reset();
      await send(bridge, 'PATCH', `/Users/${await idOf(bridge, 'Users', bob)}`, setActive(false));
      const name = toPatch({ op: 'replace', path: 'displayName', value: 'Aviators' });
      await send(bridge, 'PATCH', `/Groups/${await idOf(bridge, 'Groups', 'Pilots')}`, name);
      await send(bridge, 'DELETE', `/Users/${id}`);

      await expect.poll(() => listManagedDrifts(bridge), PATIENT).toEqual([]);
      expect(await listManagedDrifts(bridge, 'gone')).toHaveLength(3);
    }));

  test('is over for the places in groups of whom a write has deactivated', () =>
    run(async (bridge) => {
      const { service } = bridge.sandbox;
      const people = await addUsers(bridge, 2);
      await addGroup(bridge, 'Pilots', people);
      await sweep(bridge);
      for (const index of [0, 1]) service.removeMember('Pilots', emailOf(index));
      await sweep(bridge);
      const found = await listManagedDrifts(bridge);
      await send(bridge, 'PATCH', `/Users/${people[0]}`, setActive(false));

      expect(found).toEqual([0, 1].map((index) => `member.removed Pilots of ${emailOf(index)}`));
      await expect
        .poll(() => listManagedDrifts(bridge), PATIENT)
        .toEqual([`member.removed Pilots of ${emailOf(1)}`]);
    }));

  test('stays while the write names another field', () =>
    run(async (bridge) => {
      const id = await addCompany(bridge);
      await sweep(bridge);
      bridge.sandbox.service.setActive(ada, false);
      bridge.sandbox.service.setActive(bob, false);
      await sweep(bridge);
      const rename = toPatch({ op: 'replace', path: 'name.familyName', value: 'Lovelace' });
      await send(bridge, 'PATCH', `/Users/${id}`, rename);
      await untilSettled(bridge);
      await send(bridge, 'PATCH', `/Users/${await idOf(bridge, 'Users', bob)}`, setActive(true));

      await expect
        .poll(() => listManagedDrifts(bridge, 'gone'), PATIENT)
        .toEqual([`user.deactivated ${bob}`]);
      expect(await listManagedDrifts(bridge)).toEqual([`user.deactivated ${ada}`]);
    }));

  test('is over once what nobody asked for is taken over, by a provider or an operator', () =>
    run(async (bridge) => {
      const { service } = bridge.sandbox;
      for (const email of [ada, bob]) service.addUser({ email, userName: email });
      for (const name of ['Skunks', 'Otters']) service.createGroup({ name });
      await sweep(bridge);
      const adopt = async (type: 'Users' | 'Groups', name: string) =>
        askOps(
          bridge,
          'POST',
          `/${type.toLowerCase()}/${await idOf(bridge, type, name)}/adopt`,
          {},
        );
      const answers = [await adopt('Users', bob), await adopt('Groups', 'Otters')];
      const accepted = await listUnmanaged(bridge, 'accepted');
      await addUser(bridge, 'ada');
      await send(bridge, 'POST', '/Groups', { schemas: [GROUP_SCHEMA], displayName: 'Skunks' });

      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(accepted).toEqual([`user.unmanaged ${bob}`, 'group.unmanaged Otters']);
      await expect
        .poll(() => listUnmanaged(bridge, 'open'), PATIENT)
        .toEqual(['user.unmanaged owner']);
      expect(await listUnmanaged(bridge, 'gone')).toEqual([
        `user.unmanaged ${ada}`,
        'group.unmanaged Skunks',
      ]);
    }));

  test('drops out of the plan that waits, and of an empty plan nothing is told', () =>
    run(
      async (bridge) => {
        const group = await addPilots(bridge, 3);
        intrude(bridge, 0, 3);
        const { planId } = await sweep(bridge);
        const held = await readPlan(bridge, planId);
        const readyz = await readText(bridge, '/readyz');
        const ids = await Promise.all([0, 1, 2].map((n) => idOf(bridge, 'Users', emailOf(n))));
        const remove = (id: string) => toPatch({ op: 'remove', path: `members[value eq "${id}"]` });
        const [first = '', ...rest] = ids;
        await send(bridge, 'PATCH', `/Groups/${group}`, remove(first));
        await expect
          .poll(() => readText(bridge, '/readyz'), PATIENT)
          .toContain('plan of 2 repairs');
        for (const id of rest) await send(bridge, 'PATCH', `/Groups/${group}`, remove(id));

        expect(held).toMatchObject({ status: 'held', counts: { total: 3 } });
        expect(readyz).toContain('plan of 3 repairs');
        await expect.poll(() => readText(bridge, '/readyz'), PATIENT).not.toContain('plan-held');
        const after = await readPlan(bridge, planId);
        const dropped = { kind: 'member.remove', status: 'dropped' };
        expect(after).toMatchObject({
          status: 'discarded',
          actions: [dropped, dropped, dropped],
        });
        expect(await listManagedDrifts(bridge)).toEqual([]);
      },
      { DRIFT_POLICY: 'repair', LIMITS_REMOVE_MEMBER_COUNT: '2' },
    ));
});
