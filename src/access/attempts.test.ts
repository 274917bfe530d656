import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Clock } from '../domain/clock.ts';
import { createAttempts, createFailureCounts, createRarely, toSource } from './attempts.ts';

function setUp(delayMaxMs = 2_000) {
  const state = { now: 1_000_000 };
  const sleeping: { ms: number; end: () => void }[] = [];
  const counted: string[] = [];
  const noticed: number[] = [];
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      sleeping.push({ ms, end: resolve });
      signal?.addEventListener('abort', () => reject(new Error('gone')));
    });
  const attempts = createAttempts({
    clock: { now: () => state.now, sleep },
    delayMaxMs,
    counted: (place, status) => void counted.push(`${place} ${status}`),
    noticed: ({ attempts }) => void noticed.push(attempts),
  });
  const usual = { presented: 'something' as 'nothing' | 'something', remoteAddress: '192.0.2.1' };
  type Change = Partial<typeof usual> & { readonly connection?: EventEmitter };
  const fail = ({ connection = new EventEmitter(), ...change }: Change = {}) => {
    const { presented, remoteAddress } = { ...usual, ...change };
    const locals = { context: { requestId: 'r', arrivedAt: 0, remoteAddress } };
    const once = (event: string, heard: () => void) => connection.once(event, heard);
    return attempts.failed({ locals, once, closed: false }, 'scim', presented);
  };
  return { state, sleeping, counted, noticed, attempts, fail };
}

test('the first three are answered at once, then each waits twice as long, up to the most', async () => {
  const { sleeping, fail, attempts } = setUp();
  for (let nth = 1; nth <= 3; nth += 1) expect(await fail()).toBeUndefined();
  expect(sleeping).toEqual([]);
  const waiting = Array.from({ length: 7 }, () => fail());

  expect(sleeping.map(({ ms }) => ms)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  for (const { end } of sleeping) end();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
  const sources = [{ address: '192.0.2.1', attempts: 10 }];
  expect(attempts.view()).toMatchObject({ failed: 10, sources });
});

test('somebody else is not slowed, and after ten quiet minutes nobody is', async () => {
  const { state, sleeping, fail, attempts } = setUp();
  const all = Array.from({ length: 4 }, () => fail());
  await fail({ remoteAddress: '192.0.2.2' });
  expect(sleeping).toHaveLength(1);

  state.now += 10 * 60_000;
  expect(attempts.view()).toEqual({ failed: 0, sources: [] });
  await fail();
  expect(sleeping).toHaveLength(1);
  sleeping[0]?.end();
  await Promise.all(all);
});

test('a hundred answers wait at once; whoever comes then is turned away at once, and is counted', async () => {
  const { sleeping, counted, fail } = setUp();
  const waiting = Array.from({ length: 103 }, () => fail());
  expect(sleeping).toHaveLength(100);

  expect(await fail()).toBe(2);
  expect(await fail({ remoteAddress: '192.0.2.2' })).toBeUndefined();
  expect(counted.slice(-2)).toEqual(['scim 429', 'scim 401']);
  sleeping[0]?.end();
  await Promise.race(waiting.slice(3));
  const next = fail();
  expect(sleeping).toHaveLength(101);
  for (const { end } of sleeping) end();
  expect(await next).toBeUndefined();
  await Promise.all(waiting);
});

test('who does not wait for the answer any more takes no place', async () => {
  const { sleeping, fail } = setUp();
  for (let nth = 1; nth <= 3; nth += 1) await fail();
  const connection = new EventEmitter().setMaxListeners(100);
  const waiting = Array.from({ length: 100 }, () => fail({ connection }));
  connection.emit('close');
  await Promise.all(waiting);
  const next = fail();

  expect(sleeping).toHaveLength(101);
  sleeping.at(-1)?.end();
  expect(await next).toBeUndefined();
});

test('nothing is delayed where the setting says so, nor who presents nothing', async () => {
  const never = setUp(0);
  for (let nth = 1; nth <= 20; nth += 1) await never.fail();
  expect(never.sleeping).toEqual([]);

  const { sleeping, counted, fail, attempts } = setUp();
  for (let nth = 1; nth <= 20; nth += 1) await fail({ presented: 'nothing' });
  expect(sleeping).toEqual([]);
  expect(counted).toHaveLength(20);
  expect(attempts.view().failed).toBe(0);
});

test('a flood is a line a minute for each source with how many there were, and ten lines for all', () => {
  const rarely = createRarely();
  expect([1, 2, 3].map((now) => rarely.take('a', now))).toEqual([1, 0, 0]);
  expect(rarely.take('a', 60_001)).toBe(3);
  const others = Array.from({ length: 20 }, (_, index) => rarely.take(`b${index}`, 60_002));
  expect(others.filter((count) => count === 1)).toHaveLength(9);
});

test('whatever happens, a thousand sources are remembered, those that fail now among them', () => {
  const counts = createFailureCounts();
  for (let index = 0; index < 5_000; index += 1) {
    counts.add('busy', index);
    counts.add(`one-${index}`, index);
  }
  expect(counts.add('busy', 5_000)).toBe(5_001);
  expect(counts.add('one-0', 5_000)).toBe(1);
  expect(counts.view(5_000).sources).toHaveLength(20);
  expect(counts.view(5_000).failed).toBe(10_002);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('behind %s is %s', (address, source) => {
  expect(toSource(address)).toBe(source);
});
