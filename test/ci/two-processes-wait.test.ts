import { expect, onTestFinished, test } from 'vitest';
import { userId } from '../../src/domain/ids.ts';
import type { SectionStates } from '../../src/reconcile/sections.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createFact } from '../../src/store/facts.ts';
import { listStuck } from '../../src/store/resources/backlog.ts';
import { updateUser } from '../../src/store/users/users.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  readMemberIds,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { describePostgres } from '../support/stores.ts';
import { measureWall } from '../support/yardstick.ts';

/** Longer than a test may take: what waited until its end would never be answered here. */
const WAIT_MS = 60_000;

async function readFamilyName(bridge: TestBridge, id: string): Promise<unknown> {
  return Object((await send(bridge, 'GET', `/Users/${id}`)).body.name).familyName;
}

describePostgres('a write that one process answers and another one finishes', ({ makeUrl }) => {
  /** Two bridges whose requests wait longer than any of these tests should take. */
  async function startPair({ waitMs = WAIT_MS } = {}) {
    const service = await startSandbox();
    const settings = {
      DATABASE_URL: await makeUrl('migrated'),
      SCIM_WRITE_WAIT: `${waitMs}ms`,
    };
    const first = await startTestBridge({ settings, service });
    const second = await startTestBridge({ settings, service });
    onTestFinished(async () => {
      await first.stop();
      await second.stop();
      await service.stop();
    });
    return { service, first, second };
  }

  const rename = (familyName: string) =>
    toPatch({ op: 'replace', path: 'name', value: { givenName: 'Ada', familyName } });

  test('is answered as soon as the service holds it', async () => {
    const { service, first, second } = await startPair();
    const id = await addUser(first, 'ada');
    const group = `/Groups/${await addGroup(first, 'Pilots')}`;
    const slow = service.faults.add({ operation: '*', fault: { kind: 'hang' } });
    const join = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
    const elsewhere = [
      send(first, 'PATCH', `/Users/${id}`, rename('One')),
      send(first, 'PATCH', group, toPatch({ op: 'replace', path: 'displayName', value: 'Crew' })),
    ];
    await slow.until(2);

    const here = [
      send(second, 'PATCH', `/Users/${id}`, rename('Two')),
      send(second, 'PATCH', group, join),
    ];
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    await expect.poll(() => readMemberIds(second, group.slice(8))).toEqual([id]);
    slow.remove();
    service.faults.release();
    await Promise.all([...elsewhere, ...here]);

    expect(service.service.getUser('ada@example.com').fullName).toBe('Ada Two');
    expect(service.service.members('Crew')).toHaveLength(1);
  });

  test('and the service refuses is undone, and refused by the process that was asked', async () => {
    const { service, first, second } = await startPair();
    const id = await addUser(first, 'ada');
    const slow = service.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
    const elsewhere = send(first, 'PATCH', `/Users/${id}`, rename('One'));
    await slow.until(1);

    const here = second.request('PATCH', `/Users/${id}`, rename('Two'));
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    slow.remove();
    const refusal = { kind: 'status', status: 400, body: 'message' } as const;
    service.faults.add({ operation: 'scim.updateUser', fault: refusal });
    service.faults.release();
    const [, refused] = await Promise.all([elsewhere, here]);

    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.detail).toContain('The service refused the change');
    expect(await readFamilyName(first, id)).toBe('One');
    expect(service.service.getUser('ada@example.com').fullName).toBe('Ada One');
    expect(await listStuck(second.store.read, 10)).toEqual([]);
  });

  test('and the service refuses after the wait was over is acknowledged, kept and stuck', async () => {
    const { service, first, second } = await startPair({ waitMs: 300 });
    const id = await addUser(second, 'ada');
    // The creation may take longer than its request waits, and would take the name with it.
    await untilSettled(second);
    const slow = service.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
    const elsewhere = send(first, 'PATCH', `/Users/${id}`, rename('One'));
    await slow.until(1);

    const answer = await second.request('PATCH', `/Users/${id}`, rename('Two'));
    await elsewhere;
    slow.remove();
    const refusal = { kind: 'status', status: 400, body: 'message' } as const;
    service.faults.add({ operation: 'scim.updateUser', fault: refusal });
    service.faults.release();

    expect(answer.status).toBe(200);
    await expect
      .poll(() => listStuck(second.store.read, 10))
      .toMatchObject([{ id, field: 'name', problem: { code: 'refused' } }]);
    expect(await readFamilyName(second, id)).toBe('Two');
  });

  test('and was left by a process that died is found by another one within seconds', async () => {
    const { service, first } = await startPair();
    const id = await addUser(first, 'ada');
    await untilSettled(first);
    service.calls.reset();

    const tookMs = await measureWall(async () => {
      // As a process leaves it that had no room for it: nobody is told.
      await first.store.write((tx) =>
        updateUser(tx, userId(id), { must_look: 1, due_at: Date.now() }),
      );
      await service.calls.until(1, { operation: 'scim.getUser' });
    });

    expect(tookMs).toBeLessThan(5_000);
  });

  test('and what one has learned of a part that the service refuses is said by both within seconds', async () => {
    const { service, first, second } = await startPair();
    service.faults.add({ operation: '*', fault: { kind: 'status', status: 403 } });
    const problem = { code: 'not-permitted', words: 'no', status: 403 };
    const value = { groups: { problem, at: Date.now() } };

    const tookMs = await measureWall(async () => {
      await first.store.write((tx) =>
        createFact<SectionStates>('sections').save(tx, value, Date.now()),
      );
      for (const bridge of [first, second]) {
        await expect.poll(async () => (await bridge.request('GET', '/Groups')).status).toBe(503);
      }
    });

    expect(tookMs).toBeLessThan(6_000);
  });
});
