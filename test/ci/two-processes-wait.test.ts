import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { bridgeForTest, type TestBridge } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { admit, replace } from '../support/provider.ts';
import { describePostgres } from '../support/take-store.ts';

/** Longer than a test may take: what waited until its end would never be answered here. */
const WAIT_MS = 60_000;

async function readFamilyName(bridge: TestBridge, id: string): Promise<unknown> {
  return Object((await bridge.send('GET', `/Users/${id}`)).body.name).familyName;
}

describePostgres('a write that one process answers and another one finishes', ({ makeUrl }) => {
  /** Two bridges whose requests wait longer than any of these tests should take. */
  async function startPair({ waitMs = WAIT_MS } = {}) {
    const service = await forTest(startSandbox());
    const settings = { DATABASE_URL: await makeUrl('migrated'), SCIM_WRITE_WAIT: `${waitMs}ms` };
    const first = await bridgeForTest({ settings, service });
    return { service, first, second: await bridgeForTest({ settings, service }) };
  }

  const rename = (familyName: string) => replace('name', { givenName: 'Ada', familyName });

  test('is answered as soon as the service holds it', async () => {
    const { service, first, second } = await startPair();
    const id = await first.addUser('ada');
    const group = `/Groups/${await first.addGroup('Pilots')}`;
    const slow = service.faults.add({ operation: '*', fault: HANGING });
    const elsewhere = [
      first.patch(`/Users/${id}`, rename('One')),
      first.patch(group, replace('displayName', 'Crew')),
    ];
    await slow.until(2);

    const here = [second.patch(`/Users/${id}`, rename('Two')), second.patch(group, admit(id))];
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    await expect.poll(() => second.readMemberIds(group.slice(8))).toEqual([id]);
    slow.remove();
    service.faults.release();
    await Promise.all([...elsewhere, ...here]);

    expect(service.service.getUser('ada@example.com').fullName).toBe('Ada Two');
    expect(service.service.members('Crew')).toHaveLength(1);
  });

  test('and the service refuses is undone, and refused by the process that was asked', async () => {
    const { service, first, second } = await startPair();
    const id = await first.addUser('ada');
    const slow = service.faults.add({ operation: 'scim.updateUser', fault: HANGING });
    const elsewhere = first.patch(`/Users/${id}`, rename('One'));
    await slow.until(1);

    const here = second.tryPatch(`/Users/${id}`, rename('Two'));
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    slow.remove();
    service.faults.add({ operation: 'scim.updateUser', fault: failing(400, 'message') });
    service.faults.release();
    const [, refused] = await Promise.all([elsewhere, here]);

    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.detail).toContain('The service refused the change');
    expect(await readFamilyName(first, id)).toBe('One');
    expect(service.service.getUser('ada@example.com').fullName).toBe('Ada One');
    expect(await second.listStuck()).toEqual([]);
  });

  test('and the service refuses after the wait was over is acknowledged, kept and stuck', async () => {
    const { service, first, second } = await startPair({ waitMs: 300 });
    const id = await second.addUser('ada');
    // The creation may take longer than its request waits, and would take the name with it.
    await second.untilSettled();
    const slow = service.faults.add({ operation: 'scim.updateUser', fault: HANGING });
    const elsewhere = first.patch(`/Users/${id}`, rename('One'));
    await slow.until(1);

    const answer = await second.tryPatch(`/Users/${id}`, rename('Two'));
    await elsewhere;
    slow.remove();
    service.faults.add({ operation: 'scim.updateUser', fault: failing(400, 'message') });
    service.faults.release();

    expect(answer.status).toBe(200);
    await expect
      .poll(second.listStuck)
      .toMatchObject([{ id, field: 'name', problem: { code: 'refused' } }]);
    expect(await readFamilyName(second, id)).toBe('Two');
  });
});
