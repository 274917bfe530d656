import { expect, test } from 'vitest';
import {
  isStandstill,
  type Overload,
  type OverloadKind,
  toDelayMs,
  toOverload,
} from './overload.ts';

const limits = { delayMaxMs: 250, memoryBytesMax: 1_000 };
const sinceMs = 1_000;
const nowMs = 9_000;

const cases: {
  why: string;
  before?: OverloadKind;
  delayMs?: number;
  storeWaitMs?: number;
  memoryBytes?: number;
  want: Overload | undefined;
}[] = [
  { why: 'nothing is the matter', want: undefined },
  {
    why: 'just below all limits',
    delayMs: 249,
    storeWaitMs: 249,
    memoryBytes: 999,
    want: undefined,
  },
  { why: 'the delay begins', delayMs: 250, want: { kind: 'delay', sinceMs: nowMs } },
  {
    why: 'the wait for the store begins',
    storeWaitMs: 250,
    want: { kind: 'store', sinceMs: nowMs },
  },
  { why: 'it lasts', before: 'store', storeWaitMs: 125, want: { kind: 'store', sinceMs } },
  { why: 'it ends at half', before: 'store', storeWaitMs: 124, want: undefined },
  { why: 'memory begins', memoryBytes: 1_000, want: { kind: 'memory', sinceMs: nowMs } },
  { why: 'the delay lasts', before: 'delay', delayMs: 125, want: { kind: 'delay', sinceMs } },
  { why: 'the delay ends at half', before: 'delay', delayMs: 124, want: undefined },
  { why: 'memory lasts', before: 'memory', memoryBytes: 900, want: { kind: 'memory', sinceMs } },
  { why: 'memory ends at 90 %', before: 'memory', memoryBytes: 899, want: undefined },
  {
    why: 'memory goes before the delay, since it ends the process',
    before: 'delay',
    delayMs: 300,
    memoryBytes: 1_000,
    want: { kind: 'memory', sinceMs: nowMs },
  },
  {
    why: 'much memory in a delay is no overload of memory',
    before: 'delay',
    memoryBytes: 950,
    want: undefined,
  },
];
for (const { why, before, delayMs = 0, storeWaitMs = 0, memoryBytes = 0, want } of cases) {
  test(`toOverload: ${why}`, () => {
    const held = before && { kind: before, sinceMs };
    const load = { delayMs, storeWaitMs, memoryBytes };

    expect(toOverload(held, load, { limits, nowMs })).toEqual(want);
  });
}

test('without a limit no wait is too long', () => {
  const load = { delayMs: 100_000, storeWaitMs: 100_000, memoryBytes: 0 };

  expect(
    toOverload(undefined, load, { limits: { ...limits, delayMaxMs: 0 }, nowMs }),
  ).toBeUndefined();
});

/** The delay after so many turns that were late by `lateMs` each. */
function afterTurns(count: number, lateMs: number, beforeMs = 0): number {
  let delayMs = beforeMs;
  for (let turn = 0; turn < count; turn += 1)
    delayMs = toDelayMs(delayMs, { lateMs, afterMs: 100 });
  return delayMs;
}

test('the delay of long turns is about half of one, that of one long turn among short ones is little', () => {
  expect(afterTurns(100, 0)).toBe(0);
  expect(afterTurns(100, 20)).toBeLessThan(2);
  expect(afterTurns(20, 600)).toBeCloseTo(600 ** 2 / 2 / 700, 0);
  expect(afterTurns(1, 600)).toBeLessThan(150);
  expect(afterTurns(1, 3_000)).toBeGreaterThan(1_000);
});

test('the delay is forgotten within seconds, also of a process that was stopped for hours', () => {
  const stopped = afterTurns(1, 3_600_000);

  expect(stopped).toBeLessThan(2_500);
  expect(afterTurns(40, 0, stopped)).toBeLessThan(125);
  expect(afterTurns(1, -50, 10)).toBeLessThan(10);
});

test('a standstill is late by seconds and uses no processor, which a busy machine still gives', () => {
  expect(isStandstill({ lateMs: 30_000, busyMs: 20 })).toBe(true);
  expect(isStandstill({ lateMs: 30_000, busyMs: 5_000 })).toBe(false);
  expect(isStandstill({ lateMs: 3_000, busyMs: 20 })).toBe(false);
});
