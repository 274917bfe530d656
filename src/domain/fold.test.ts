import { expect, test } from 'vitest';
import { foldCase } from './fold.ts';

const cases = [
  { why: 'plain letters lose their case', text: 'Ada@Example.COM', want: 'ada@example.com' },
  { why: 'composed and decomposed letters are one', text: 'E\u0301va', want: 'éva' },
  { why: 'letters of other scripts lose their case', text: 'ИВАН', want: 'иван' },
  { why: 'marks end up in order', text: '\u0130\u0323', want: '\u1ecb\u0307' },
  { why: 'nothing stays nothing', text: '', want: '' },
];

for (const { why, text, want } of cases) {
  test(`foldCase: ${why}, and folding again changes nothing`, () => {
    expect(foldCase(text)).toBe(want);
    expect(foldCase(want)).toBe(want);
  });
}
