import { expect, test } from 'vitest';
import { normaliseName } from './name.ts';
import * as values from './values.ts';

const { foldCase, isStorable, limitMarks, toCount } = values;

test.each([
  ['plain letters lose their case', 'Ada@Example.COM', 'ada@example.com'],
  ['composed and decomposed letters are one', 'E\u0301va', 'éva'],
  ['letters of other scripts lose their case', 'ИВАН', 'иван'],
  ['a sigma is one letter, within a word and at its end', 'ΟΔΟΣ.ΝΙΚΟΣ', 'οδοσ.νικοσ'],
  ['a sigma in lower case is the same', 'Οδος.Νικος', 'οδοσ.νικοσ'],
  ['marks end up in order', '\u0130\u0323', '\u1ecb\u0307'],
  ['nothing stays nothing', '', ''],
])('foldCase: %s, and folding again changes nothing', (_why, text, want) => {
  expect(foldCase(text)).toBe(want);
  expect(foldCase(want)).toBe(want);
});

test('the beginning of a text is folded as in the text', () => {
  expect(foldCase('ΟΔΥΣΣΕΑΣ').startsWith(foldCase('ΟΔΥΣ'))).toBe(true);
});

test.each([
  ['marks that change places', '\u0301\u0323'],
  ['marks that are two', '\u0344'],
  ['marks of two units', '\u{1D165}\u{1D16D}'],
])('a name of %s is folded in linear time, and folding again changes nothing', (_why, some) => {
  const build = (length: number) => `a${some.repeat(length)}b`;
  for (const toForm of [foldCase, normaliseName]) {
    const folded = toForm(build(1_001));
    expect(toForm(folded)).toBe(folded);
    expect(isStorable(folded)).toBe(true);
    // Quadratic work would not end within the time of a test.
    expect(isStorable(toForm(build(1_000_000)))).toBe(true);
  }
});

test('marks that a text may have are kept', () => {
  const name = `a${'\u0327'.repeat(30)}b${'\u0327'.repeat(30)}`;

  expect(foldCase(name)).toBe(name);
  expect(isStorable(name)).toBe(true);
  expect(isStorable(`${name}\u0327`)).toBe(false);
});

test('a text that cannot be refused loses the marks beyond the thirtieth, and no half of one', () => {
  expect(limitMarks(`a${'\u0327'.repeat(40)}b`)).toBe(`a${'\u0327'.repeat(30)}b`);
  expect(limitMarks(`\u0327${'\u{1D165}'.repeat(20)}`)).toBe(`\u0327${'\u{1D165}'.repeat(14)}`);
  expect([isStorable('a\0b'), isStorable('a\uD800')]).toEqual([false, false]);
});

test('a number has its noun', () =>
  expect([toCount(1, 'group'), toCount(1_200, 'group'), toCount(2, 'person', 'people')]).toEqual([
    ...['1 group', '1,200 groups', '2 people'],
  ]));

test('ids are told from names, and named with their type', () => {
  const id = values.newId();
  const uuid = '0123abcd-0000-4000-8000-0123456789ab';
  const others = [
    `${id}0`,
    `x${id}`,
    id.slice(1),
    `0${id.slice(1)}`,
    `${uuid}0`,
    `x${uuid}`,
    'ada',
  ];
  const keys = (['user', 'group'] as const).map((type) => values.toResourceKey({ type, id }));

  expect([id, uuid].every(values.isId)).toBe(true);
  expect(others.filter(values.isId)).toEqual([]);
  expect(keys.map(({ type }) => type)).toEqual(['user', 'group']);
  expect(keys.map(values.keyText)).toEqual([`user:${id}`, `group:${id}`]);
});

test('an index holds texts of 512 characters, as they are folded', () => {
  const texts = ['a'.repeat(512), 'a'.repeat(513), '\u{1D160}'.repeat(86), '\u{1D160}'.repeat(85)];

  expect(texts.map(values.isIndexable)).toEqual([true, false, false, true]);
});

test('a change that the service accepted and did not make is told from a refusal', () => {
  const problem = { code: 'refused', words: 'no' };

  expect([values.NOT_APPLIED, problem, undefined].map(values.isNotApplied)).toEqual([
    true,
    false,
    false,
  ]);
});
