import { expect, test } from 'vitest';
import { createProgress, toTimeText } from './progress.ts';

test('progress is told from two seconds on, with an estimate, and its line is taken away at the end', () => {
  const lines: (string | undefined)[] = [];
  let now = 0;
  const progress = createProgress({ showProgress: (line) => void lines.push(line) }, () => now);

  progress.tell('Copying', { done: 1, total: 10 });
  now = 5_000;
  progress.tell('Copying', { done: 5, total: 20 });
  progress.tell('Waiting');
  progress.end();

  expect(lines).toEqual(['Copying · 25 %, about 15 s left · 5 s', 'Waiting · 5 s', undefined]);
});

test('nothing is told where nobody sees it, and nothing is taken away that was not told', () => {
  const lines: (string | undefined)[] = [];
  const quick = createProgress({ showProgress: (line) => void lines.push(line) }, () => 0);
  quick.tell('Copying');
  quick.end();
  createProgress({}, () => 0).end();

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
