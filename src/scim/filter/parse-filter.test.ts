import { describe, expect, test } from 'vitest';
import { userSchema } from '../schema/resource-schemas.ts';
import { parseFilter } from './parse-filter.ts';

const refused = [
  { why: 'nothing', filter: '' },
  { why: 'white space', filter: '  ' },
  { why: 'not a text (sent twice)', filter: ['id pr', 'id pr'] },
  { why: 'a name alone', filter: 'userName' },
  { why: 'no value', filter: 'userName eq' },
  { why: 'an unknown operator', filter: 'userName is "x"' },
  { why: 'a value without quotes', filter: 'userName eq x' },
  { why: 'single quotes', filter: "userName eq 'x'" },
  { why: 'a text that does not end', filter: 'userName eq "x' },
  { why: 'a text that ends in an escape', filter: 'userName eq "x\\"' },
  { why: 'an unknown escape', filter: 'userName eq "\\x"' },
  { why: 'a raw line break in a text', filter: 'userName eq "a\nb"' },
  { why: 'NUL', filter: 'userName eq "\\u0000"' },
  { why: 'half of a surrogate pair', filter: 'userName eq "\\ud800"' },
  { why: 'a parenthesis that does not close', filter: '(userName pr' },
  { why: 'a parenthesis too many', filter: 'userName pr)' },
  { why: 'a bracket that does not close', filter: 'emails[type eq "work"' },
  { why: 'empty brackets', filter: 'emails[]' },
  { why: 'two tests without an operator', filter: 'userName pr id pr' },
  { why: 'an operator at the end', filter: 'userName pr and' },
  { why: 'an operator at the start', filter: 'or userName pr' },
  { why: 'a sub-attribute without a test', filter: 'emails[type eq "work"].value' },
  { why: 'an order of booleans', filter: 'active gt true' },
  { why: 'part of a boolean', filter: 'active co "t"' },
  { why: 'part of a number', filter: 'userName co 5' },
  { why: 'an order of nothing', filter: 'userName gt null' },
  { why: 'a date that is none', filter: 'meta.lastModified gt "soon"' },
  { why: 'a date that is only a number', filter: 'meta.lastModified gt "5"' },
  { why: 'the prototype as a name', filter: '__proto__.x pr' },
  { why: 'the prototype inside brackets', filter: 'emails[__proto__ eq "x"]' },
  { why: 'a name that is an expression', filter: 'a..b pr' },
];

for (const { why, filter } of refused) {
  test(`a filter is refused with invalidFilter: ${why}`, () => {
    expect(() => parseFilter(filter, userSchema)).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidFilter' }),
    );
  });
}

test('an error says where, and never repeats what was sent', () => {
  const filter = 'userName eq "secret" nonsense';
  expect(() => parseFilter(filter, userSchema)).toThrow(/character 22\.$/);
  expect(() => parseFilter(filter, userSchema)).not.toThrow(/secret|nonsense/);
});

describe('limits', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}userName pr${')'.repeat(depth)}`;

  test('50 levels are read, 51 are refused', () => {
    expect(parseFilter(nested(50), userSchema)).toMatchObject({ kind: 'present' });
    expect(() => parseFilter(nested(51), userSchema)).toThrow(/more than 50 levels/);
    expect(() => parseFilter(`${'not '.repeat(51)}id pr`, userSchema)).toThrow(/50 levels/);
  });

  test('groups beside each other are not levels', () => {
    const filter = `${'(id pr) and '.repeat(60)}not (id pr)`;
    expect(parseFilter(filter, userSchema)).toMatchObject({ kind: 'and' });
  });

  test('10,000 characters are read, more are refused', () => {
    const long = (length: number) => `userName eq "${'x'.repeat(length - 14)}"`;
    expect(parseFilter(long(10_000), userSchema)).toMatchObject({ kind: 'compare' });
    expect(() => parseFilter(long(10_001), userSchema)).toThrow(/longer than 10000/);
  });
});

// What made another parser exponential or quadratic. Ten times the input may cost ten times the time:
// 40 leaves room for noise, while a quadratic reader needs 100.
const repeated = [
  {
    why: 'line breaks in a text that does not end',
    build: (n: number) => `id eq "${'\n'.repeat(n)}`,
  },
  { why: 'backslashes', build: (n: number) => `id eq "${'\\'.repeat(n)}` },
  { why: 'groups', build: (n: number) => `${'(id pr or id pr) and '.repeat(n / 21)}id pr` },
  { why: 'a dotted name', build: (n: number) => `${'a.'.repeat(n / 2)}a pr` },
  { why: 'a dotted name that is malformed', build: (n: number) => `${'a.'.repeat(n / 2)} pr` },
  { why: 'opening parentheses', build: (n: number) => '('.repeat(n) },
  { why: 'white space', build: (n: number) => `id${' '.repeat(n)}pr` },
  { why: 'digits', build: (n: number) => `id eq ${'1'.repeat(n)}e` },
];

for (const { why, build } of repeated) {
  test(`reading takes linear time: ${why}`, () => {
    const short = build(10_000);
    const long = build(100_000);
    const shortMs = Math.max(bestMs(short), 0.05); // Below that the clock measures itself.
    expect(bestMs(long) / shortMs).toBeLessThan(40);
  });
}

function bestMs(filter: string): number {
  const runs = Array.from({ length: 7 }, () => {
    const startedAt = performance.now();
    tryToRead(filter);
    return performance.now() - startedAt;
  });
  return Math.min(...runs);
}

function tryToRead(filter: string): void {
  try {
    parseFilter(filter, userSchema, { depthMax: 50, lengthMax: 1_000_000 });
  } catch {
    // Most of these inputs are refused; only the time counts.
  }
}
