import { expect, test } from 'vitest';
import { normaliseName } from './name.ts';
import { isStorable } from './text.ts';
import { foldCase } from './values.ts';

const cases: readonly (readonly [why: string, text: string, want: string])[] = [
  ['plain letters lose their case', 'Ada@Example.COM', 'ada@example.com'],
  ['composed and decomposed letters are one', 'E\u0301va', 'éva'],
  ['letters of other scripts lose their case', 'ИВАН', 'иван'],
  ['a sigma is one letter, within a word and at its end', 'ΟΔΟΣ.ΝΙΚΟΣ', 'οδοσ.νικοσ'],
  ['a sigma in lower case is the same', 'Οδος.Νικος', 'οδοσ.νικοσ'],
  ['marks end up in order', '\u0130\u0323', '\u1ecb\u0307'],
  ['nothing stays nothing', '', ''],
];

for (const [why, text, want] of cases) {
  test(`foldCase: ${why}, and folding again changes nothing`, () => {
    expect(foldCase(text)).toBe(want);
    expect(foldCase(want)).toBe(want);
  });
}

test('the beginning of a text is folded as in the text', () => {
  expect(foldCase('ΟΔΥΣΣΕΑΣ').startsWith(foldCase('ΟΔΥΣ'))).toBe(true);
});

const marks: readonly (readonly [why: string, marks: string])[] = [
  ['marks that change places', '\u0301\u0323'],
  ['marks that are two', '\u0344'],
  ['marks of two units', '\u{1D165}\u{1D16D}'],
];
for (const [why, some] of marks) {
  test(`a name of ${why} is folded in linear time, and folding again changes nothing`, () => {
    const build = (length: number) => `a${some.repeat(length)}b`;
    for (const toForm of [foldCase, normaliseName]) {
      const folded = toForm(build(1_001));
      expect(toForm(folded)).toBe(folded);
      expect(isStorable(folded)).toBe(true);
      // Quadratic work would not end within the time of a test.
      expect(isStorable(toForm(build(1_000_000)))).toBe(true);
    }
  });
}

test('marks that a text may have are kept', () => {
  const name = `a${'\u0327'.repeat(30)}b${'\u0327'.repeat(30)}`;

  expect(foldCase(name)).toBe(name);
  expect(isStorable(name)).toBe(true);
  expect(isStorable(`${name}\u0327`)).toBe(false);
});
