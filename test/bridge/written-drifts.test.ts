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
import { findId, send, toMembers, toPatch, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

/** The bridge looks for what a write has made up for every two seconds. */
const PATIENT = { interval: 200, timeout: 10_000 };
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
