import { describe, expect, test } from 'vitest';
import { findMismatch } from './matchers.ts';

const rows = [
  { expected: 'a', accepts: ['a'], refuses: ['b', 'A', undefined, null, 1] },
  { expected: true, accepts: [true], refuses: [false, 'true', 1, undefined] },
  { expected: null, accepts: [null], refuses: [undefined, '', 0] },
  { expected: [1, { a: 2 }], accepts: [[1, { a: 2 }]], refuses: [[1], [{ a: 2 }, 1], undefined] },
  { expected: { a: 1 }, accepts: [{ a: 1 }], refuses: [{ a: 1, b: 2 }, {}, undefined] },
  { expected: { $exists: true }, accepts: ['', 0, false, []], refuses: [undefined, null] },
  { expected: { $exists: false }, accepts: [undefined], refuses: ['', 0, null, []] },
  { expected: { $notEmpty: true }, accepts: ['a', [0], 0, false], refuses: ['', [], {}, null] },
  { expected: { $absentOrEmpty: true }, accepts: [undefined, null, '', []], refuses: ['a', [0]] },
  { expected: { $type: 'array' }, accepts: [[]], refuses: [{}, 'array', undefined] },
  { expected: { $type: 'number' }, accepts: [0], refuses: ['0', undefined, null] },
  { expected: { $type: 'boolean' }, accepts: [false], refuses: ['false', 0, undefined] },
  { expected: { $type: 'object' }, accepts: [{}], refuses: [[], null, undefined] },
  { expected: { $contains: 'b' }, accepts: [['a', 'b'], 'abc'], refuses: [['a'], 'ac', undefined] },
  { expected: { $contains: { v: 1 } }, accepts: [[{ v: 1 }]], refuses: [[{ v: 2 }], [1], {}] },
  { expected: { $length: 2 }, accepts: [[1, 2], 'ab'], refuses: [[1], [1, 2, 3], undefined, 2] },
  { expected: { $gte: 2 }, accepts: [2, 3], refuses: [1, '3', undefined] },
  { expected: { $ne: 'a' }, accepts: ['b', undefined], refuses: ['a'] },
  { expected: { $matches: '^a+$' }, accepts: ['aa'], refuses: ['ab', 1, undefined] },
  { expected: { $type: 'array', $length: 1 }, accepts: [[1]], refuses: ['a', [1, 2], undefined] },
];

describe.each(rows)('$expected', ({ expected, accepts, refuses }) => {
  test.each(accepts.map((actual) => ({ actual })))('accepts $actual', ({ actual }) => {
    expect(findMismatch(actual, expected)).toBeUndefined();
  });
  test.each(refuses.map((actual) => ({ actual })))('refuses $actual', ({ actual }) => {
    expect(findMismatch(actual, expected)).toMatch(/^wanted .+, got .+$/);
  });
});

const brokenCases = [
  { why: 'an unknown operator', expected: { $exist: true } },
  { why: 'operators beside literals', expected: { $exists: true, a: 1 } },
  { why: 'an operand of the wrong kind', expected: { $length: '2' } },
  { why: '$notEmpty: false', expected: { $notEmpty: false } },
];

test.each(brokenCases)('a case that makes no sense does not pass: $why', ({ expected }) => {
  expect(() => findMismatch('anything', expected)).toThrow(Error);
});
