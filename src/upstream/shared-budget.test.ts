import { expect, test } from 'vitest';
import { runReady } from './testing/fake-clock.ts';
import { createGroup, findBusiest, flood, type Group } from './testing/shared-group.ts';
import type { Turn } from './turns.ts';

/** The times between a moment and the next request of that name. */
function findWaitMs(group: Group, name: string, sinceMs: number): number {
  const found = group.sent.find((each) => each.name === name && each.atMs >= sinceMs);
  return (found?.atMs ?? Number.NaN) - sinceMs;
}

test('a burst that finds the budget free leaves at once, and no more of it than the rate', async () => {
  const group = createGroup(3);
  for (let host = 0; host < 3; host += 1) flood(group, host, 4);
  await group.clock.advance(100);

  expect(group.sent).toHaveLength(5);
});

test.each([
  { rate: 1, seconds: 60, shareMin: 0.3 },
  { rate: 5, seconds: 60, shareMin: 0.3 },
  { rate: 50, seconds: 20, shareMin: 0.3 },
  { rate: 1_000, seconds: 3, shareMin: 0.2 },
])('three processes never exceed $rate a second together, use it, and share it', async (row) => {
  const { rate, seconds, shareMin } = row;
  const group = createGroup(3, rate);
  for (let host = 0; host < 3; host += 1) flood(group, host, rate * seconds, { lateMs: host * 4 });
  await group.clock.advance(seconds * 1_000);

  expect(findBusiest(group.sent)).toBe(rate);
  expect(group.sent.length).toBeGreaterThanOrEqual(0.95 * rate * seconds);
  const shares = [0, 1, 2].map((each) => group.sent.filter(({ host }) => host === each).length);
  expect(Math.min(...shares)).toBeGreaterThan(shareMin * group.sent.length);
});

test('however late requests leave after they got their place, there are no more than the rate', async () => {
  const group = createGroup(3);
  for (let n = 0; n < 200; n += 1) {
    void group.ask(n % 3, 'late', { lateMs: (n * 397) % 900 }).catch(() => undefined);
  }
  await group.clock.advance(60_000);

  expect(group.sent.length).toBeGreaterThan(100);
  expect(findBusiest(group.sent)).toBe(5);
});

test('a removal of access in one process goes before what waits in others', async () => {
  const group = createGroup(3);
  flood(group, 0, 500);
  flood(group, 1, 500);
  const waitsMs: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    await group.clock.advance(1_037);
    const sinceMs = group.clock.now();
    flood(group, 2, 1, { callClass: 'remove' });
    await group.clock.advance(900);
    waitsMs.push(findWaitMs(group, 'remove', sinceMs));
  }

  // One space, what the margin adds to it, and the way of the one before it.
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(260);
});

test('many removals in one process leave nothing to the changes of another but what looks have', async () => {
  const group = createGroup(3);
  flood(group, 0, 500);
  flood(group, 1, 60, { callClass: 'look' });
  await group.clock.advance(1_100);
  const before = group.sent.length;
  flood(group, 2, 500, { callClass: 'remove' });
  await group.clock.advance(60_000);

  const names = group.sent.slice(before + 1).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(270);
  expect(names.filter((name) => name === 'change').length).toBeLessThanOrEqual(2);
  expect(names.filter((name) => name === 'look').length).toBeGreaterThanOrEqual(
    names.length / 10 - 1,
  );
});

test('what waits in several processes for one class is served in turn', async () => {
  const group = createGroup(3);
  flood(group, 0, 100);
  await group.clock.advance(2_000);
  flood(group, 1, 100);
  flood(group, 2, 100);
  await group.clock.advance(12_000);

  const order = group.sent.slice(-30).map(({ host }) => host);
  expect(order.slice(0, -3)).toEqual(order.slice(3));
  expect(new Set(order.slice(0, 3)).size).toBe(3);
});

test('a process that dies with somebody urgent waiting holds up the others for one space', async () => {
  const group = createGroup(2);
  flood(group, 0, 100);
  await group.clock.advance(1_500);
  flood(group, 1, 100, { callClass: 'remove' });
  await group.clock.advance(1_500);
  const diedAt = group.clock.now();
  group.budgets[1]?.close();
  await group.clock.advance(5_000);

  expect(findWaitMs(group, 'change', diedAt)).toBeLessThanOrEqual(2 * 205 + 10);
  const after = group.sent.filter(({ atMs }) => atMs > diedAt + 1_000 && atMs <= diedAt + 5_000);
  expect(after.length).toBeGreaterThanOrEqual(18);
});

test('places that a process died with come back after a while', async () => {
  const group = createGroup(2);
  for (let n = 0; n < 5; n += 1) void group.take(1);
  await group.clock.advance(20);
  group.budgets[1]?.close();
  const diedAt = group.clock.now();
  flood(group, 0, 100);
  await group.clock.advance(5_900);
  const early = group.sent.length;
  await group.clock.advance(3_000);

  expect(early).toBe(0);
  expect(group.sent[0]?.atMs).toBeLessThan(diedAt + 6_100);
  expect(group.sent.length).toBeGreaterThan(10);
});

test('a turn that was not used in time is over, and one that is not used goes to somebody else', async () => {
  const group = createGroup(2, 1);
  const unused = await settled(group, group.take(0));
  const waiting = group.ask(1, 'next');
  await group.clock.advance(4_000);
  expect(group.sent).toEqual([]);
  unused.end();
  await group.clock.advance(100);
  await waiting;
  const late = settled(group, group.take(0), 1_100);
  const turn = await late;
  const before = turn.isLapsed();
  await group.clock.advance(5_000);

  expect([before, turn.isLapsed()]).toEqual([false, true]);
});

async function settled<T>(group: Group, promise: Promise<T>, ms = 50): Promise<T> {
  await group.clock.advance(ms);
  return promise;
}

test('a 429 stops every process; then one goes first for all, and the rest after its answer', async () => {
  const group = createGroup(3, 50);
  const first = await settled(group, group.take(0));
  first.sent();
  group.budgets[0]?.pause(group.clock.now() + 5_000);
  first.end();
  await group.clock.advance(50);
  const turns: Turn[] = [];
  for (let host = 0; host < 3; host += 1) {
    for (let n = 0; n < 3; n += 1) void group.take(host).then((turn) => turns.push(turn));
  }
  await group.clock.advance(4_800);
  const during = [turns.length, group.budgets[2]?.state().pausedForMs];
  await group.clock.advance(2_000);
  const probes = turns.length;
  turns[0]?.sent();
  turns[0]?.end();
  await group.clock.advance(500);

  expect(during).toEqual([0, expect.closeTo(200, -2)]);
  expect(probes).toBe(1);
  expect(turns).toHaveLength(9);
});

test('a probe that meets the limit again pauses all again, and its streak is known to all', async () => {
  const group = createGroup(2, 50);
  const first = await settled(group, group.take(0));
  first.sent();
  group.budgets[0]?.pause(group.clock.now() + 1_000);
  first.end();
  await group.clock.advance(1_500);
  const probe = await settled(group, group.take(1));
  const known = group.budgets[1]?.findPause()?.streak;
  probe.sent();
  group.budgets[1]?.pause(group.clock.now() + 2_000);
  probe.end();
  const turns: Turn[] = [];
  void group.take(0).then((turn) => turns.push(turn));
  await group.clock.advance(1_900);
  const during = turns.length;
  const streak = group.budgets[0]?.findPause()?.streak;
  await group.clock.advance(500);
  turns[0]?.sent();
  turns[0]?.end();
  await group.clock.advance(20);

  expect([known, during, streak, turns.length]).toEqual([1, 0, 2, 1]);
  expect(group.budgets[0]?.findPause()).toBeUndefined();
});

test('a probe whose process dies is not waited for for ever', async () => {
  const group = createGroup(2, 50);
  const first = await settled(group, group.take(0));
  first.sent();
  group.budgets[0]?.pause(group.clock.now() + 1_000);
  first.end();
  await group.clock.advance(1_500);
  await settled(group, group.take(0));
  group.budgets[0]?.close();
  flood(group, 1, 1);
  await group.clock.advance(29_000);
  const early = group.sent.length;
  await group.clock.advance(3_000);

  expect([early, group.sent.length]).toEqual([0, 1]);
});

test('while the shared state is out of reach nobody sends, nobody is refused, and nobody asks in a loop', async () => {
  const group = createGroup(2);
  flood(group, 0, 100);
  await group.clock.advance(2_000);
  const { cell } = group;
  cell.trouble = 'before';
  const [sent, reads] = [group.sent.length, cell.reads];
  await group.clock.advance(60_000);
  const during = [group.sent.length - sent, cell.reads - reads];
  cell.trouble = 'none';
  const backAt = group.clock.now();
  await group.clock.advance(1_300);

  expect(during[0]).toBeLessThanOrEqual(1); // It had its place already.
  expect(during[1]).toBeLessThan(70);
  expect(findWaitMs(group, 'change', backAt)).toBeLessThanOrEqual(1_100);
  expect(findBusiest(group.sent)).toBe(5);
});

test('where nobody knows whether it was written, no place is used twice', async () => {
  const group = createGroup(3);
  for (let host = 0; host < 3; host += 1) flood(group, host, 100);
  for (let n = 0; n < 30; n += 1) {
    group.cell.trouble = 'after';
    await group.clock.advance(137);
    group.cell.trouble = 'none';
    await group.clock.advance(611);
  }

  expect(group.sent.length).toBeGreaterThan(20);
  expect(findBusiest(group.sent)).toBeLessThanOrEqual(5);
});

test('what was told when nobody knows whether it was written is not told again: it could free the place of another', async () => {
  const group = createGroup(1);
  const turns: Turn[] = [];
  for (let n = 0; n < 4; n += 1) void group.take(0).then((turn) => turns.push(turn));
  await group.clock.advance(50);
  const [first, second, third, fourth] = turns;
  const send = (turn: Turn | undefined) => {
    group.sent.push({ host: 0, name: 'held', atMs: group.clock.now() });
    turn?.sent();
  };
  group.cell.trouble = 'after';
  send(fourth);
  await group.clock.advance(8);
  group.cell.trouble = 'none';
  flood(group, 0, 10);
  await group.clock.advance(2_000);
  for (const turn of [first, second, third]) send(turn);
  await group.clock.advance(10_000);

  expect(turns).toHaveLength(4);
  expect(findBusiest(group.sent)).toBe(5);
});

test('a state that is lost counts as used up', async () => {
  const group = createGroup(2);
  flood(group, 0, 100);
  flood(group, 1, 100);
  await group.clock.advance(3_000);
  group.cell.lose();
  const lostAt = group.clock.now();
  await group.clock.advance(20_000);

  expect(findBusiest(group.sent)).toBe(5);
  expect(findWaitMs(group, 'change', lostAt + 50)).toBeGreaterThan(5_900);
  expect(group.sent.filter(({ atMs }) => atMs > lostAt + 8_000).length).toBeGreaterThan(50);
});

test('a common clock that is set back stops nobody for long', async () => {
  const group = createGroup(2);
  flood(group, 0, 200);
  await group.clock.advance(3_000);
  group.cell.aheadMs = -3_600_000;
  const setAt = group.clock.now();
  await group.clock.advance(20_000);

  expect(findBusiest(group.sent)).toBe(5);
  expect(group.sent.filter(({ atMs }) => atMs > setAt + 8_000).length).toBeGreaterThan(50);
});

test('who gives up leaves nothing behind for others to wait for', async () => {
  const group = createGroup(2);
  flood(group, 0, 100);
  await group.clock.advance(2_000);
  const caller = new AbortController();
  const request = { operation: 'x.y', key: undefined, again: false, signal: caller.signal };
  const given = Promise.resolve(group.budgets[1]?.take({ ...request, callClass: 'remove' }));
  caller.abort(new Error('enough'));
  await expect(given).rejects.toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  const since = group.clock.now();
  await group.clock.advance(4_000);

  expect(group.sent.filter(({ atMs }) => atMs > since).length).toBeGreaterThanOrEqual(18);
});

test('what waits in other processes is part of the estimate, and of what is shown', async () => {
  const group = createGroup(2);
  flood(group, 0, 55);
  await group.clock.advance(100);
  group.budgets[1]?.state();
  await group.clock.advance(10);

  expect(group.budgets[1]?.state()).toMatchObject({
    waiting: { change: 0 },
    elsewhere: { change: 50 },
    pausedForMs: 0,
  });
  expect(group.budgets[1]?.queueAheadMs('change')).toBe(51 * 205);
  expect(group.budgets[1]?.queueAheadMs('remove')).toBe(205);
});

test('what has become urgent goes first, also past other processes', async () => {
  const group = createGroup(2);
  flood(group, 0, 100);
  await group.clock.advance(1_500);
  const request = {
    operation: 'x.y',
    callClass: 'look',
    key: 'user:a',
    signal: undefined,
  } as const;
  const prioritised = Promise.resolve(group.budgets[1]?.take({ ...request, again: false }));
  await group.clock.advance(300);
  const since = group.clock.now();
  group.budgets[1]?.prioritise('user:a');
  let atMs = Number.NaN;
  void prioritised.then(() => {
    atMs = group.clock.now();
  });
  await group.clock.advance(1_000);

  expect(atMs - since).toBeLessThanOrEqual(250);
});

test('a process whose calls are all on their way leaves the rate to others', async () => {
  const group = createGroup(2);
  const turns: Turn[] = [];
  for (let n = 0; n < 100; n += 1) {
    const waiting = group.take(0, 'remove').then((turn) => {
      turn.sent();
      turns.push(turn);
    });
    void waiting.catch(() => undefined);
  }
  await group.clock.advance(20_000);
  const [before, own] = [group.sent.length, turns.length];
  flood(group, 1, 100);
  await group.clock.advance(10_000);

  expect(own).toBe(64);
  expect(group.sent.length - before).toBeGreaterThan(45);
});

test('a closed budget refuses everybody at once', async () => {
  const group = createGroup(1);
  flood(group, 0, 5);
  await group.clock.advance(50);
  const refused = expect(group.take(0)).rejects.toMatchObject({
    code: 'closed',
    outcome: 'not-sent',
  });
  group.cell.trouble = 'before';
  await group.clock.advance(300);
  group.budgets[0]?.close();
  await runReady();

  await refused;
  await expect(group.take(0)).rejects.toThrow(/closed/);
  expect(group.clock.sleeping).toBe(0);
});

test('little is asked of the shared state: a few times for each call, hardly ever while nobody can go', async () => {
  const group = createGroup(3);
  for (let host = 0; host < 3; host += 1) flood(group, host, 400);
  await group.clock.advance(60_000);
  const { reads, writes } = group.cell;
  const perSecond = (reads + writes) / 60;
  group.budgets[0]?.pause(group.clock.now() + 60_000);
  await group.clock.advance(1_000);
  const readsBefore = group.cell.reads;
  await group.clock.advance(50_000);

  expect(perSecond).toBeLessThan(30);
  expect((group.cell.reads - readsBefore) / 50).toBeLessThan(3);
});
