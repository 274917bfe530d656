import { expect, onTestFinished, test, vi } from 'vitest';
import { toTimeText } from '../ops/lists/words.ts';
import { createProgress } from './progress.ts';

test('progress is told from two seconds on, with an estimate, and its line is taken away at the end', () => {
  const lines: (string | undefined)[] = [];
  let now = 0;
  const showProgress = (line: string | undefined) => void lines.push(line);
  const progress = createProgress({ showProgress }, { now: () => now });

  progress.tell('Copying', { done: 1, total: 10 });
  now = 5_000;
  progress.tell('Copying', { done: 5, total: 20 });
  progress.tell('Waiting');
  progress.end();

  expect(lines).toEqual(['Copying · 25 %, about 15 s left · 5 s', 'Waiting · 5 s', undefined]);
});

test('the same is told again while nothing else is, and no more once it has ended', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: (string | undefined)[] = [];
  const showProgress = (line: string | undefined) => void lines.push(line);
  const progress = createProgress({ showProgress }, { words: 'Waiting for the bridge' });

  vi.advanceTimersByTime(3_000);
  progress.tell('Copying', { done: 3, total: 6 });
  vi.advanceTimersByTime(1_000);
  progress.end();
  vi.advanceTimersByTime(10_000);

  expect(lines).toEqual([
    ...['Waiting for the bridge · 2 s', 'Waiting for the bridge · 3 s'],
    ...['Copying · 50 %, about 3 s left · 3 s', 'Copying · 50 %, about 4 s left · 4 s', undefined],
  ]);
});

test('nothing is told where nobody sees it, and nothing is taken away that was not told', () => {
  const lines: (string | undefined)[] = [];
  const showProgress = (line: string | undefined) => void lines.push(line);
  const quick = createProgress({ showProgress }, { now: () => 0 });
  quick.tell('Copying');
  quick.end();
  createProgress({}, { now: () => 0 }).end();

  expect(lines).toEqual([]);
});

for (const [ms, want] of [
  [400, '0 s'],
  [59_000, '59 s'],
  [185_000, '3 min 5 s'],
  [7_500_000, '2 h 5 min'],
] as const) {
  test(`${ms} ms are told as ${want}`, () => expect(toTimeText(ms)).toBe(want));
}
