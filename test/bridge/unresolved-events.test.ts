import { expect, test } from 'vitest';
import { type AuditWorld, behindTheBack, PATIENT, startAudit } from '../support/audit-world.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';

const settings = { SWEEP_INTERVAL: '30d' };
const MINUTE_MS = 60_000;
/** The sweeps that have ended, once none runs and it was asked twice whether one is due. */
async function countSweeps(world: AuditWorld): Promise<number> {
  const { store } = world;
  for (let times = 0; times < 2; times += 1) await world.poll();
  const list = async () => store.read.selectFrom('sweeps').select('status').execute();
  await expect.poll(async () => JSON.stringify(await list()), PATIENT).not.toContain('running');
  return (await list()).length;
}

test('a busy import by the bridge causes no sweep, also where events have no details', async () => {
  const world = await forTest(startAudit({ settings, shape: { auditDetails: 'null' } }));
  await world.poll(20 * MINUTE_MS);
  const before = await countSweeps(world);
  const ids = await world.addUsers(2);
  const group = await world.addGroup('Pilots', ids);
  const leave = toPatch(replace('active', false));
  await world.send('PATCH', `/Users/${ids[0]}`, leave);
  const rename = toPatch(replace('displayName', 'Aviators'));
  await world.send('PATCH', `/Groups/${group}`, rename);
  await world.poll();
  await world.poll(20 * MINUTE_MS);

  expect(await countSweeps(world)).toBe(before);
});

test('events that name nobody known cause one sweep in ten minutes, and what it finds has its author', async () => {
  const world = await forTest(startAudit({ settings }));
  // The administrator came just before the bridge read everything, which may cause one.
  await world.poll(20 * MINUTE_MS);
  const before = await countSweeps(world);
  const addStranger = (name: string) =>
    behindTheBack(world).addUser({ email: `${name}@example.com` });
  addStranger('one');
  await world.poll();
  await expect.poll(() => countSweeps(world), PATIENT).toBe(before + 1);
  addStranger('two');
  await world.poll();
  const meanwhile = await countSweeps(world);
  const { body } = await world.ops('GET', '/unmanaged?kind=user.unmanaged');
  await world.poll(10 * MINUTE_MS);
  await expect.poll(() => countSweeps(world), PATIENT).toBe(before + 2);
  await world.poll(20 * MINUTE_MS);

  expect(meanwhile).toBe(before + 1);
  expect(await countSweeps(world)).toBe(before + 2);
  expect(body.items).toContainEqual(
    expect.objectContaining({
      resource: expect.objectContaining({ name: 'one' }),
      who: expect.objectContaining({ username: 'admin', address: '198.51.100.7' }),
    }),
  );
});
