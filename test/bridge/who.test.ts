import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import {
  ada,
  addCompany,
  addVera,
  type DriftCell,
  driftCells,
  setActive,
  VERA,
} from '../support/drift-cells.ts';
import { forTest } from '../support/lifetimes.ts';

const settings = { SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };
/** What happened before is over, by clocks that differ too. */
const LONG_MS = 10 * 60_000;

/** What an administrator does, each of another kind and each by another one. */
const cells: readonly DriftCell[] = [
  ...driftCells.filter(({ kind, name }) => kind.endsWith('.missing') || name === ada),
  { kind: 'user.missing', name: VERA, change: (service) => service.removeUser(VERA) },
];

/** Who is told for each open drift of a kind. */
async function listWho(bridge: TestBridge, kind: string): Promise<JsonObject[]> {
  const items = await bridge.listOps(`/drifts?kind=${kind}&status=open&limit=1000`);
  return items.map((item) => {
    const { resource, member, who, message } = Object(item);
    const name = member === null ? resource.name : `${resource.name} of ${member.name}`;
    return { name, who, message };
  });
}

test('who brought a difference about is told once the audit log was read, also where the sweep was faster', async () => {
  const world = await forTest(startAudit({ settings }));
  const { service } = world.sandbox;
  await addCompany(world);
  await addVera(world, () => world.sweep());
  const admins = cells.map((_, index) => service.addUser({ email: `admin${index}@example.com` }));
  await world.sweep();
  await world.poll(LONG_MS);
  const wanted = cells.map(({ kind, name, change }, index) => {
    const [user, address] = [admins[index], `198.51.100.${index}`];
    change(service.as(user?.id ?? 0, address));
    const who = { id: user?.id, username: user?.userName, address };
    return { kind, name, who: { ...who, at: expect.any(String) }, message: expect.any(String) };
  });
  const listFound = async () => {
    const found: JsonObject[] = [];
    for (const { kind, name } of cells) {
      const list = await listWho(world, kind);
      found.push({ kind, ...list.find((one) => one.name === name) });
    }
    return found;
  };
  await world.sweep();
  const before = await listFound();
  await world.poll();

  expect(before).toEqual(wanted.map((one) => ({ ...one, who: null, message: null })));
  expect(await listFound()).toEqual(wanted);
});

test('a change with the account of the token is found by a sweep, and names neither it nor an earlier author', async () => {
  const world = await forTest(startAudit({ settings }));
  const id = await addCompany(world);
  await world.sweep();
  await world.poll(LONG_MS);
  behindTheBack(world).updateUser(ada, { active: false });
  await world.poll(LONG_MS);
  await world.send('PATCH', `/Users/${id}`, setActive(true));
  await world.poll(LONG_MS);
  world.sandbox.service.updateUser(ada, { active: false });
  await world.poll();
  const beforeSweep = await listWho(world, 'user.deactivated');
  await world.sweep();

  expect(beforeSweep).toEqual([]);
  expect(await listWho(world, 'user.deactivated')).toEqual([
    { name: ada, who: null, message: null },
  ]);
});
