import { expect, test } from 'vitest';
import { userId } from '../domain/ids.ts';
import { createStepGuard } from './step-guard.ts';

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
