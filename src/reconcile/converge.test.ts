import { expect, test } from 'vitest';
import { userId } from '../domain/ids.ts';
import { createStepGuard, toMissed } from './converge.ts';

const key = { type: 'user', id: userId('u1') } as const;
const look = { kind: 'look' };
const change = { kind: 'change' };

function repeat(times: number, act: (turn: number) => void): void {
  for (let turn = 0; turn < times; turn += 1) act(turn);
}

test('a run may take any number of different steps', () => {
  const guard = createStepGuard(key);

  expect(() => repeat(5_000, (turn) => guard.note(1, { kind: 'add', turn }))).not.toThrow();
});

test('a run that comes back to the same steps again and again is a bug', () => {
  const guard = createStepGuard(key);
  const circle = () => {
    guard.note(1, look);
    guard.note(1, change);
  };

  repeat(10, circle);

  expect(circle).toThrow(expect.objectContaining({ code: 'bug' }));
});

test('steps that somebody asks for again and again are none', () => {
  const guard = createStepGuard(key);

  expect(() => repeat(100, (turn) => guard.note(turn, change))).not.toThrow();
});

const problem = { code: 'not-found', words: 'Not found' };
const notThere = { kind: 'unknown', problem, lookNow: true } as const;
const lost = { kind: 'unknown', problem } as const;
const refused = { kind: 'refused', parts: [], problem } as const;
const done = { kind: 'done', known: {} } as const;
const missing = { kind: 'done', known: { missing: true } } as const;

test.each([
  { why: 'is looked at', before: undefined, outcome: notThere, want: 'found' },
  { why: 'was found by the look', before: 'found', outcome: done, isLook: true, want: 'found' },
  { why: 'was not found', before: 'found', outcome: missing, isLook: true, want: 'gone' },
  { why: 'is known while others are refused', before: 'found', outcome: refused, want: 'found' },
  { why: 'is asked anew after a change', before: 'found', outcome: done, want: undefined },
  { why: 'was made anew, which is no news', before: 'gone', outcome: done, want: 'gone' },
  { why: 'was made anew and is missing again', before: 'gone', outcome: lost, want: 'gone' },
  { why: 'was looked at for another reason', before: undefined, outcome: missing, isLook: true },
] as const)('what is "not there" $why', ({ before, outcome, want, ...look }) => {
  const isLook = 'isLook' in look;

  expect(toMissed(before, { outcome, isLook })).toBe(want);
});
