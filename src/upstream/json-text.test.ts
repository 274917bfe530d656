import { describe, expect, test } from 'vitest';
import { parseJsonText, readAnswerBody } from './answer-body.ts';

describe('a number comes as it was written', () => {
  test.each([
    { text: '9007199254740991', value: 9_007_199_254_740_991 },
    { text: '9007199254740993', value: '9007199254740993' },
    { text: '-9007199254740993', value: '-9007199254740993' },
    { text: '[{"id":12345678901234567890}]', value: [{ id: '12345678901234567890' }] },
    { text: '"9007199254740993"', value: '9007199254740993' },
    { text: '0.1234567890123456789', value: 0.123_456_789_012_345_68 },
    { text: '1e300', value: 1e300 },
    { text: '{"at":1700000000000000}', value: { at: 1_700_000_000_000_000 } },
  ])('$text', ({ text, value }) => {
    expect(parseJsonText(text)).toEqual(value);
  });
});

test('a name that means something to JavaScript is a name', () => {
  expect(Object.keys(parseJsonText('{"__proto__":9007199254740993}') ?? {})).toEqual(['__proto__']);
});

test('an answer of thousands of levels is none', () => {
  const toNested = (levels: number) => readAnswerBody('['.repeat(levels) + ']'.repeat(levels)).kind;

  expect([toNested(20), toNested(100_000)]).toEqual(['json', 'text']);
});
