import { expect, test } from 'vitest';
import { type AuditWorld, behindTheBack, PATIENT, withAudit } from '../support/audit-world.ts';
import { addGroup, addUsers, send, toPatch } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_INTERVAL: '30d' };
const MINUTE_MS = 60_000;
/** By then it is known that nobody will be found for an event. */
const SETTLED_MS = 3 * MINUTE_MS;

/** The sweeps that have ended, once none runs and it was asked twice whether one is due. */
async function countSweeps(world: AuditWorld): Promise<number> {
  const { store } = world;
  for (let times = 0; times < 2; times += 1) await world.poll();
  const list = async () => store.read.selectFrom('sweeps').select('status').execute();
  await expect.poll(async () => JSON.stringify(await list()), PATIENT).not.toContain('running');
  return (await list()).length;
}

async function untilSwept(world: AuditWorld, count: number) {
  await expect.poll(() => countSweeps(world), PATIENT).toBe(count);
}

/** What a busy provider writes: people, groups, changes of both. */
async function importPeople(world: AuditWorld): Promise<void> {
  const ids = await addUsers(world, 2);
  const group = await addGroup(world, 'Pilots', ids);
  await send(
    world,
    'PATCH',
    `/Users/${ids[0]}`,
    toPatch({ op: 'replace', path: 'active', value: false }),
  );
  await send(
    world,
    'PATCH',
    `/Groups/${group}`,
    toPatch({ op: 'replace', path: 'displayName', value: 'Aviators' }),
  );
}

/** Has the bridge import people, and tells how many sweeps the events of that have caused. */
async function countSweepsOfImport(world: AuditWorld): Promise<number> {
  // The administrator came just before the bridge read everything, which may cause one.
  await world.poll(20 * MINUTE_MS);
  const before = await countSweeps(world);
  await importPeople(world);
  await world.poll();
  await world.poll(SETTLED_MS);
  await world.poll(20 * MINUTE_MS);
  return (await countSweeps(world)) - before;
}

test('a busy import by the bridge causes no sweep, also where events have no details', () =>
  withAudit({ settings, shape: { auditDetails: 'null' } }, async (world) => {
    expect(await countSweepsOfImport(world)).toBe(0);
  }));

test('events that name nobody known cause one sweep in ten minutes, and what it finds has its author; an import causes none', () =>
  withAudit({ settings }, async (world) => {
    const ofImport = await countSweepsOfImport(world);
    const before = await countSweeps(world);
    const addStranger = (name: string) =>
      behindTheBack(world).addUser({ email: `${name}@example.com` });
    addStranger('one');
    await world.poll();
    const atFirst = await countSweeps(world);
    await world.poll(SETTLED_MS);
    await untilSwept(world, before + 1);
    addStranger('two');
    await world.poll();
    await world.poll(SETTLED_MS);
    const meanwhile = await countSweeps(world);
    const { body } = await askOps(world, 'GET', '/drifts?kind=user.unmanaged');
    await world.poll(10 * MINUTE_MS);
    await untilSwept(world, before + 2);
    await world.poll(20 * MINUTE_MS);

    expect(ofImport).toBe(0);
    expect(atFirst).toBe(before);
    expect(meanwhile).toBe(before + 1);
    expect(await countSweeps(world)).toBe(before + 2);
    expect(body.items).toContainEqual(
      expect.objectContaining({
        resource: expect.objectContaining({ name: 'one' }),
        who: expect.objectContaining({ username: 'admin', address: '198.51.100.7' }),
      }),
    );
  }));
