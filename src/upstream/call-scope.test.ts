import { afterEach, expect, test, vi } from 'vitest';
import { openCallScope } from './outgoing-call.ts';
import { createEagerClock } from './testing/fake-clock.ts';

afterEach(() => void vi.useRealTimers());

test('the time of a call ends it', () => {
  vi.useFakeTimers();
  const scope = openCallScope(createEagerClock(), 1_000, undefined);
  expect([scope.ended, scope.remainingMs()]).toEqual([undefined, 1_000]);
  vi.advanceTimersByTime(1_000);
  expect([scope.ended, scope.signal.aborted]).toEqual(['deadline', true]);
});

test('the caller ends it, and the reason goes along', () => {
  const caller = new AbortController();
  const scope = openCallScope(createEagerClock(), 1_000, caller.signal);
  caller.abort('enough');
  expect([scope.ended, scope.signal.reason]).toEqual(['caller', 'enough']);
  scope.close();
});

test('who has given up before has no time at all', () => {
  const scope = openCallScope(createEagerClock(), 1_000, AbortSignal.abort('enough'));
  expect([scope.ended, scope.signal.aborted]).toEqual(['caller', true]);
  scope.close();
});

test('a call that has ended leaves no timer behind', () => {
  vi.useFakeTimers();
  const scope = openCallScope(createEagerClock(), 1_000, undefined);
  scope.close();
  expect(vi.getTimerCount()).toBe(0);
});
