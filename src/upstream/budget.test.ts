import { expect, test } from 'vitest';
import { Budget, type BudgetOptions, type Turn } from './budget.ts';
import { createFakeClock, runReady } from './testing/fake-clock.ts';
import type { CallClass } from './waiting-room.ts';

function setUp(options: Partial<BudgetOptions> = {}) {
  const clock = createFakeClock();
  const limits = { requestsPerSecond: 1, marginMs: 0, inFlightMax: 10, queueMax: 1_000 };
  const budget = new Budget({ ...limits, clock, ...options });
  const order: string[] = [];
  const ask = async (name: string, callClass: CallClass = 'pass', key?: string) => {
    const turn = await take(budget, callClass, key);
    order.push(name);
    turn.sent();
    turn.end();
  };
  return { clock, budget, order, ask };
}

const take = (budget: Budget, callClass: CallClass = 'pass', key?: string, signal?: AbortSignal) =>
  budget.take({ operation: 'x.y', callClass, key, signal, again: false });

test('removing access goes first, then changes, looking, the rest', async () => {
  const { clock, ask, order } = setUp();
  await ask('first');
  const waiting = [ask('p', 'pass'), ask('l', 'look'), ask('c', 'change'), ask('r', 'remove')];
  await clock.advance(4_000);
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'r', 'c', 'l', 'p']);
});

test('resources take turns, and each keeps its own order', async () => {
  const { clock, ask, order } = setUp();
  await ask('first');
  const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];
  const waiting = names.map((name) => ask(name, 'change', name.charAt(0)));
  await clock.advance(10_000);
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('looking keeps a tenth when others never stop', async () => {
  const { clock, ask, order } = setUp();
  await ask('first');
  const waiting = [
    ...Array.from({ length: 40 }, () => ask('c', 'change')),
    ...Array.from({ length: 4 }, () => ask('look', 'look')),
  ];
  await clock.advance(50_000);
  await Promise.all(waiting);
  const firstForty = order.slice(1, 41);
  expect(firstForty.filter((name) => name === 'look')).toHaveLength(4);
  expect(firstForty.indexOf('look')).toBe(9);
});

test('a pause lets nobody through, then one probe, then the rest after its end', async () => {
  const { clock, budget } = setUp({ requestsPerSecond: 0 });
  const turns: Turn[] = [];
  budget.pause(clock.now() + 5_000);
  for (let n = 0; n < 3; n += 1)
    void Promise.resolve(take(budget)).then((turn) => turns.push(turn));
  await clock.advance(4_999);
  expect(turns).toHaveLength(0);
  await clock.advance(1);
  expect(turns).toHaveLength(1);
  turns[0]?.sent();
  turns[0]?.end();
  await runReady();
  expect(turns).toHaveLength(3);
});

test('a probe that meets the limit again pauses the rest again', async () => {
  const { clock, budget } = setUp({ requestsPerSecond: 0 });
  const turns: Turn[] = [];
  budget.pause(clock.now() + 1_000);
  for (let n = 0; n < 2; n += 1)
    void Promise.resolve(take(budget)).then((turn) => turns.push(turn));
  await clock.advance(1_000);
  turns[0]?.sent();
  budget.pause(clock.now() + 2_000);
  turns[0]?.end();
  await clock.advance(1_999);
  expect(turns).toHaveLength(1);
  await clock.advance(1);
  expect(turns).toHaveLength(2);
});

test('a probe that never left makes room for another', async () => {
  const { clock, budget } = setUp({ requestsPerSecond: 0 });
  budget.pause(clock.now() + 1_000);
  await clock.advance(1_000);
  const probe = await take(budget);
  const second = Promise.resolve(take(budget));
  probe.end();
  await expect(second).resolves.toBeDefined();
  expect(take(budget)).toBeInstanceOf(Promise);
});

test('no more are on their way than allowed', async () => {
  const { budget } = setUp({ requestsPerSecond: 0, inFlightMax: 1 });
  const first = await take(budget);
  first.sent();
  const second = Promise.resolve(take(budget));
  await runReady();
  expect(budget.state()).toMatchObject({ inFlight: 1, waiting: { pass: 1 } });
  first.end();
  await second;
});

test('who gives up leaves the queue, and others do not wait for them', async () => {
  const { clock, budget, ask, order } = setUp();
  await ask('first');
  const caller = new AbortController();
  const waiting = Promise.resolve(take(budget, 'remove', undefined, caller.signal));
  const other = ask('other');
  caller.abort(new Error('enough'));
  const aborted = { code: 'aborted', outcome: 'not-sent', cause: new Error('enough') };
  await expect(waiting).rejects.toMatchObject(aborted);
  await clock.advance(1_000);
  await other;
  expect(order).toEqual(['first', 'other']);
});

test('the queue is bounded', async () => {
  const { budget, ask } = setUp({ queueMax: 1 });
  await ask('first');
  void Promise.resolve(take(budget)).catch(() => undefined);
  expect(() => take(budget)).toThrow(expect.objectContaining({ code: 'overloaded' }));
  budget.close();
});

test('the estimate counts who goes before, and the pause', async () => {
  const { clock, budget, ask } = setUp({ requestsPerSecond: 5 });
  expect(budget.queueAheadMs('change')).toBe(0);
  await Promise.all(Array.from({ length: 5 }, () => ask('first')));
  for (let n = 0; n < 50; n += 1) void ask('c', 'change').catch(() => undefined);
  expect(budget.queueAheadMs('remove')).toBe(200);
  expect(budget.queueAheadMs('change')).toBe(51 * 200);
  expect(budget.queueAheadMs('change', 9)).toBe(60 * 200);
  budget.pause(clock.now() + 10_000);
  expect(budget.queueAheadMs('remove')).toBeGreaterThanOrEqual(10_000);
  budget.close();
});

test('who has had to wait leaves in even spaces, so that the next urgent call waits for one of them', async () => {
  const { clock, ask } = setUp({ requestsPerSecond: 5, marginMs: 25 });
  const begin = clock.now();
  const all = Array.from({ length: 60 }, (_, n) => ask(String(n), 'change'));
  const waited: number[] = [];
  for (let n = 1; n <= 20; n += 1) {
    // Instants that fall anywhere between two calls.
    await clock.advance(begin + 1_100 + n * 437 - clock.now());
    const askedAt = clock.now();
    const urgent = ask('urgent', 'remove').then(() => waited.push(clock.now() - askedAt));
    await clock.advance(300);
    await urgent;
  }
  await clock.advance(10_000);
  await Promise.all(all);
  expect(waited).toHaveLength(20);
  expect(Math.max(...waited)).toBeLessThanOrEqual(250);
});

test('a closed budget refuses everybody', async () => {
  const { budget, ask } = setUp();
  await ask('first');
  const waiting = Promise.resolve(take(budget));
  budget.close();
  await expect(waiting).rejects.toMatchObject({ code: 'closed', outcome: 'not-sent' });
  expect(() => take(budget)).toThrow(/closed/);
});
