import { expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startAuditWorld } from '../support/audit-world.ts';
import { bridgeForTest, type TestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { readPlan } from '../support/pilots.ts';
import { replace } from '../support/provider.ts';
import { describePostgres } from '../support/take-store.ts';
import { readTimeline, toLines, untilTold } from '../support/timeline.ts';

const LIST = 'auditLogs.retrieveAuditLogEvents';

const INTRUDERS = ['person1@example.com', 'person2@example.com', 'person3@example.com'];

interface Pair {
  readonly sandbox: Sandbox;
  readonly bridges: readonly [TestBridge, TestBridge];
}

describePostgres('two bridges on one store that repair', ({ makeUrl }) => {
  async function startPair(settings: Readonly<Record<string, string>> = {}): Promise<Pair> {
    const sandbox = await forTest(startSandbox());
    const all = { DRIFT_POLICY: 'repair', DATABASE_URL: await makeUrl('migrated'), ...settings };
    const first = await bridgeForTest({ settings: all, service: sandbox });
    const second = await bridgeForTest({ settings: all, service: sandbox });
    await first.addUsers(INTRUDERS.length);
    await first.settled(first.addGroup('Pilots'));
    sandbox.calls.reset();
    return { sandbox, bridges: [first, second] };
  }

  async function holdPlan({ sandbox, bridges: [first] }: Pair) {
    for (const email of INTRUDERS) sandbox.service.link('Pilots', email);
    await first.sweep();
    const [plan] = await first.listOps('/plans');
    return { id: String(plan?.id), hash: String(plan?.hash), status: plan?.status };
  }

  test('release a plan once, also where both were asked at once', async () => {
    const pair = await startPair({ LIMITS_REPAIR: '2' });
    const { sandbox, bridges } = pair;
    const [first] = bridges;
    const { id, hash } = await holdPlan(pair);
    await Promise.all(
      bridges.map((bridge) => bridge.ops('POST', `/plans/${id}/approve`, { hash })),
    );
    await expect.poll(async () => (await first.listOps('/plans'))[0]?.status).toBe('applied');
    await first.untilSettled();
    await expect.poll(() => first.listDrifts('repairing')).toEqual([]);

    const done = { status: 'done' };
    expect(await readPlan(first, id)).toMatchObject({ actions: [done, done, done] });
    expect(await first.listDrifts('repaired')).toHaveLength(3);
    expect(sandbox.calls.count({ mutating: true })).toBe(1);
    expect(sandbox.service.members('Pilots')).toEqual([]);
  });

  test('make one plan of what both have found', async () => {
    const { sandbox, bridges } = await startPair();
    const [first, second] = bridges;
    for (const email of INTRUDERS) sandbox.service.link('Pilots', email);
    await Promise.all([first.sweep(), second.sweep()]);
    await expect.poll(async () => (await first.listOps('/plans'))[0]?.status).toBe('applied');
    await first.untilSettled();
    await second.sweep();

    expect(await first.listOps('/plans')).toMatchObject([
      { status: 'applied', counts: { total: 3 } },
    ]);
    expect(sandbox.calls.count({ mutating: true })).toBe(1);
    expect(await second.listDrifts('repaired')).toHaveLength(3);
  });
});

describePostgres('two bridges on one store', ({ makeUrl }) => {
  test('have no end of an outage because another process starts', async () => {
    const service = await forTest(startSandbox());
    const options = { settings: { DATABASE_URL: await makeUrl('migrated') }, service };
    const leader = await bridgeForTest(options);
    const id = await leader.addUser('ada');
    service.faults.add({ operation: '*', fault: failing(401) });
    await leader.patch(`/Users/${id}`, replace('name.familyName', 'King'));
    await untilTold(leader, id, 'outage: the service refuses the token');

    const other = await bridgeForTest(options);

    const lines = toLines(await readTimeline(other, `/users/${id}/timeline`));
    expect(lines.filter((line) => line.startsWith('outage: '))).toEqual([
      'outage: the service refuses the token',
    ]);
  });

  test('read the log in turns: what one has read just now the other does not', async () => {
    const clock = createLeapingClock();
    const service = await forTest(startSandbox({ clock: clock.now }));
    const options = { service, clock, settings: { DATABASE_URL: await makeUrl('migrated') } };
    // A start asks for the changes of the token's account beside it.
    const countReads = () =>
      service.calls
        .recent()
        .filter(({ operation, path }) => operation === LIST && !path.includes('author_id')).length;
    const one = await startAuditWorld(options);
    const other = await startAuditWorld(options);
    service.calls.reset();
    for (let times = 0; times < 5; times += 1) await one.poll();
    const callsOfBoth = countReads();
    await one.stop();
    await other.poll();
    await other.stop();

    expect(callsOfBoth).toBe(5);
    expect(countReads()).toBe(6);
  });
});
