import { expect, test } from 'vitest';
import { createRateWindow } from './rate-window.ts';

test('never more than n leave in any second, however late they are sent', () => {
  const window = createRateWindow(5, 0);
  const sentAt: number[] = [];
  const held: number[] = [];
  // A fixed pattern of times between permission and sending, 0 to 390 ms.
  for (let nowMs = 0; nowMs < 20_000; nowMs += 10) {
    while (held[0] !== undefined && held[0] <= nowMs) {
      held.shift();
      window.sent(nowMs);
      sentAt.push(nowMs);
    }
    if (window.waitMs(nowMs) === 0) {
      window.hold();
      held.push(nowMs + ((nowMs * 7) % 400));
      held.sort((a, b) => a - b);
    }
  }
  expect(sentAt.length).toBeGreaterThan(70);
  const busiest = Math.max(
    ...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 1_000).length),
  );
  expect(busiest).toBe(5);
});

test('the margin widens the window', () => {
  const window = createRateWindow(1, 25);
  window.hold();
  window.sent(0);
  expect(window.waitMs(1_000)).toBe(25);
  expect(window.waitMs(1_025)).toBe(0);
});

test('a request that never left takes nothing', () => {
  const window = createRateWindow(1, 0);
  window.hold();
  expect(window.waitMs(0)).toBeUndefined();
  window.release();
  expect(window.waitMs(0)).toBe(0);
});

test.each([
  { requestsPerSecond: 0.5, wantMs: 2_000 },
  { requestsPerSecond: 2.5, wantMs: 800 },
  { requestsPerSecond: 0, wantMs: 0 },
])('$requestsPerSecond per second: the window is $wantMs ms', ({ requestsPerSecond, wantMs }) => {
  const window = createRateWindow(requestsPerSecond, 0);
  while (window.free(0) > 0 && requestsPerSecond > 0) {
    window.hold();
    window.sent(0);
  }
  expect(window.waitMs(0)).toBe(wantMs);
});

test('a rate below nothing is refused', () => {
  expect(() => createRateWindow(-1, 0)).toThrow(RangeError);
});
