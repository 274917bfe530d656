import { describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import {
  ada,
  addCompany,
  bob,
  driftCells,
  GROUP_EXTENSION,
  setActive,
} from '../support/drift-cells.ts';
import { forTest } from '../support/lifetimes.ts';
import { addPilots, emailOf, intrude, readPlan } from '../support/pilots.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';

/** The bridge looks for what a write has made up for every two seconds. */
const PATIENT = { interval: 200 };
const USER_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const settings = {
  SWEEP_INTERVAL: '0',
  SWEEP_ADMINS_EVERY: '1',
  GROUPS_PERMISSIONS_MAX: '31',
};

const idOf = (bridge: TestBridge, type: 'Users' | 'Groups', name: string) =>
  bridge.findId({ type, name });

/** Writes what the provider wants in the place of each difference. */
async function writeAll(bridge: TestBridge): Promise<void> {
  const [adaId, bobId] = [await idOf(bridge, 'Users', ada), await idOf(bridge, 'Users', bob)];
  const carlId = await idOf(bridge, 'Users', 'carl@example.com');
  const set = (path: string, value: string | number) => toPatch(replace(path, value));
  const patch = (id: string, body: ReturnType<typeof toPatch>) =>
    bridge.send('PATCH', `/Users/${id}`, body);
  await patch(adaId, setActive(true));
  await patch(adaId, set(`${USER_EXTENSION}:appsPermissions`, 2));
  await patch(bobId, set('name.familyName', 'Example'));
  await patch(carlId, setActive(false));
  const group = `/Groups/${await idOf(bridge, 'Groups', 'Pilots')}`;
  const admins = toMembers([adaId]);
  await bridge.send('PATCH', group, set(`${GROUP_EXTENSION}:permissions`, 2));
  await bridge.patch(group, replace('members', admins));
  const path = `${GROUP_EXTENSION}:admins`;
  await bridge.patch(group, replace(path, admins));
}

async function readText(bridge: TestBridge, path: string): Promise<string> {
  return (await bridge.request('GET', new URL(path, bridge.baseUrl).href)).text;
}

describe('a drift that a write has made up for', () => {
  test('is over without another sweep, of every kind, and stays while the write names another field', async () => {
    const bridge = await forTest(startTestBridge({ settings }));
    const isOther = ({ kind }: { kind: string }) =>
      ['group.renamed', 'group.missing'].includes(kind);
    const cells = driftCells.filter((cell) => !isOther(cell));
    await addCompany(bridge);
    const emma = await bridge.addUser('emma');
    await bridge.sweep();
    for (const { change } of cells) change(bridge.sandbox.service);
    bridge.sandbox.service.updateUser('emma@example.com', { active: false });
    await bridge.sweep();
    const found = await bridge.listDrifts();
    const rename = toPatch(replace('name.familyName', 'Lovelace'));
    await bridge.send('PATCH', `/Users/${emma}`, rename);
    await bridge.untilSettled();
    await writeAll(bridge);

    const over = cells.map(({ kind, name }) => `${kind} ${name}`).toSorted();
    const stays = 'user.deactivated emma@example.com';
    expect(found).toEqual([...over, stays].toSorted());
    await expect.poll(() => bridge.listDrifts(), PATIENT).toEqual([stays]);
    expect(await bridge.listDrifts('gone')).toEqual(over);
  });

  test('drops out of the plan that waits, and of an empty plan nothing is told', async () => {
    const bridge = await forTest(
      startTestBridge({ settings: { ...settings, DRIFT_POLICY: 'repair', LIMITS_REPAIR: '1' } }),
    );
    const group = await addPilots(bridge, 2);
    intrude(bridge, 0, 2);
    const { planId } = await bridge.sweep();
    const held = await readPlan(bridge, planId);
    const readReady = () => readText(bridge, '/readyz');
    const readyz = await readText(bridge, '/readyz');
    const remove = async (n: number) => {
      const id = await idOf(bridge, 'Users', emailOf(n));
      const one = toPatch({ op: 'remove', path: `members[value eq "${id}"]` });
      await bridge.send('PATCH', `/Groups/${group}`, one);
    };
    await remove(0);
    await expect.poll(readReady, PATIENT).toContain('plan of 1 repair');
    await remove(1);

    expect(held).toMatchObject({ status: 'held', counts: { total: 2 } });
    expect(readyz).toContain('plan of 2 repairs');
    await expect.poll(readReady, PATIENT).not.toContain('plan-held');
    const after = await readPlan(bridge, planId);
    const dropped = { kind: 'member.remove', status: 'dropped' };
    expect(after).toMatchObject({ status: 'discarded', actions: [dropped, dropped] });
    expect(await bridge.listDrifts()).toEqual([]);
  });
});
