import { expect, test } from 'vitest';
import { RateWindow, type TakenPlace } from './rate-window.ts';

test('never more than n leave in any second, however late they are sent', () => {
  const window = new RateWindow(5, 0);
  const sentAt: number[] = [];
  const held: { readonly leavesAt: number; readonly place: TakenPlace }[] = [];
  // A fixed pattern of times between permission and sending, 0 to 390 ms.
  for (let nowMs = 0; nowMs < 20_000; nowMs += 10) {
    while (held[0] !== undefined && held[0].leavesAt <= nowMs) {
      held.shift()?.place.sent(nowMs);
      sentAt.push(nowMs);
    }
    if (window.waitMs(nowMs) === 0) {
      held.push({ leavesAt: nowMs + ((nowMs * 7) % 400), place: window.take(nowMs) });
      held.sort((a, b) => a.leavesAt - b.leavesAt);
    }
  }
  expect(sentAt.length).toBeGreaterThan(70);
  const busiest = Math.max(
    ...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 1_000).length),
  );
  expect(busiest).toBe(5);
});

test('a window that somebody else may have used begins when all they sent is a window ago', () => {
  const window = new RateWindow(5, 25, 1_000);
  expect(window.waitMs(1_200)).toBe(825);
  expect(window.free(2_024)).toBe(0);
  expect(window.free(2_025)).toBe(5);
});

test.each([
  { requestsPerSecond: 0.5, wantMs: 2_000 },
  { requestsPerSecond: 2.5, wantMs: 800 },
  { requestsPerSecond: 0, wantMs: 0 },
])('$requestsPerSecond per second: the window is $wantMs ms', ({ requestsPerSecond, wantMs }) => {
  const window = new RateWindow(requestsPerSecond, 0);
  while (window.free(0) > 0 && requestsPerSecond > 0) window.take(0).sent(0);
  expect(window.waitMs(0)).toBe(wantMs);
});
