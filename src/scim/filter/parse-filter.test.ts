import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { refused, userSchema } from '../scim-test-support.ts';
import { parseFilter } from './parse-filter.ts';

const name = 'a name or an operator is missing';
const malformed = 'an attribute name that is malformed';
const value = 'a value that is neither quoted nor a number';
const notJson = 'a text that is no JSON string';
const notAllowed = 'a character that is not allowed';
const noDate = 'a date that is none';
const tooMuch = 'something after its end';
const forThis = 'does not apply to this attribute';

function read(filter: string) {
  const counted: string[] = [];
  const repairs = { count: (kind: string) => counted.push(kind) };
  return { parsed: parseFilter(filter, userSchema, { repairs }), counted };
}

const refusals: readonly (readonly [string, string, number])[] = [
  ['userName', name, 9],
  ['userName eq', 'a value is missing', 12],
  ['userName eq ("x")', 'a value is missing', 13],
  ['userName is "x"', 'an unknown operator', 10],
  ['userName eq and', value, 13],
  ['userName eq pr', value, 13],
  ['active eq x', value, 11],
  ['name eq ada', value, 9],
  ['userName eq a"b', 'a text that does not end', 14],
  ['meta.lastModified gt yesterday', noDate, 22],
  ['nothing eq x', value, 12],
  ["userName eq 'x'", value, 13],
  ["title eq 'Night Shift'", value, 10],
  ['title eq and Night Shift', value, 10],
  ['title eq Night and Shift', name, 25],
  ['title eq Night eq Shift', tooMuch, 16],
  ['title eq Night pr Shift', tooMuch, 16],
  ['title eq Night "Shift"', tooMuch, 16],
  ['title eq Night Shift (late)', tooMuch, 16],
  ['active eq true story', tooMuch, 16],
  ['userName eq 01', value, 13],
  ['userName eq 1.', value, 13],
  ['userName eq +1', value, 13],
  ['userName eq -', value, 13],
  ['userName eq 1e', value, 13],
  ['userName eq "x', 'a text that does not end', 13],
  ['userName eq "x\\"', 'a text that does not end', 13],
  ['userName eq "\\x\n"', notJson, 13],
  ['userName eq "\\x\\"', 'a text that does not end', 13],
  ['userName eq "a\nb"', notJson, 13],
  ['userName eq "\\u0000"', notAllowed, 13],
  ['userName eq "\\ud800"', notAllowed, 13],
  [`userName eq "${'\u0301'.repeat(31)}"`, notAllowed, 13],
  ['(userName pr', '")" is missing', 13],
  ['userName pr)', tooMuch, 12],
  ['emails[type eq "work"', '"]" is missing', 22],
  ['emails[]', name, 8],
  ['emails[emails[type eq "work"]]', 'a filter inside of another one', 14],
  ['emails[type eq "work" and nothing[value eq "x"]]', 'a filter inside of another one', 34],
  ['userName pr id pr', tooMuch, 13],
  ['userName pr and', name, 16],
  ['or userName pr', 'an unknown operator', 4],
  ['userName "eq" "x"', name, 10],
  ['userName pr "and" id pr', tooMuch, 13],
  ['"not" id pr', name, 1],
  ['emails[type eq "work"].value', name, 29],
  ['emails[type eq "work"]value pr', tooMuch, 23],
  ['emails[type eq "work"]".value" pr', tooMuch, 23],
  ['emails[type eq "work"]..value pr', malformed, 23],
  ['active gt true', `"gt" ${forThis}`, 11],
  ['x509Certificates gt "a"', `"gt" ${forThis}`, 21],
  [`userName co "${'x'.repeat(251)}"`, 'more than 250 characters behind "co"', 13],
  ['active co "t"', `"co" ${forThis} and value`, 11],
  ['userName co 5', `"co" ${forThis} and value`, 13],
  [`${USER_EXTENSION}:appsPermissions co "5"`, `"co" ${forThis} and value`, 83],
  ['userName gt null', '"gt" does not apply to null', 13],
  ['meta.lastModified gt "soon"', noDate, 22],
  ['meta.lastModified gt "5"', noDate, 22],
  ['meta.lastModified gt "2026-13-01"', noDate, 22],
  ['meta.lastModified gt "x2026-03-01"', noDate, 22],
  ['meta.lastModified gt "2026-03-01 12:00:00"', noDate, 22],
  ['meta.lastModified gt "2026-03-01T12:00:00Z (UTC)"', noDate, 22],
  ['meta.lastModified gt "2026-03-01T12:00:00+25:00"', noDate, 22],
  ['meta.lastModified gt "2026-03-01T12:00:00  0100"', noDate, 22],
  ['__proto__.x pr', malformed, 1],
  ['emails[__proto__ eq "x"]', malformed, 8],
  ['a..b pr', malformed, 1],
  ['a.b! pr', malformed, 1],
  ['!a pr', malformed, 1],
  ['1a pr', malformed, 1],
];

const unquoted: [filter: string, quoted: string][] = [
  ['userName eq x', 'userName eq "x"'],
  ['userName eq 1x', 'userName eq "1x"'],
  ['userName eq ada@example.com and id pr', 'userName eq "ada@example.com" and id pr'],
  ['externalId eq 0b7f5bd2-2c5e', 'externalId eq "0b7f5bd2-2c5e"'],
  ['emails[type eq work]', 'emails[type eq "work"]'],
  ['emails eq a@b', 'emails eq "a@b"'],
  ['meta.created gt 2026-03-01T12:00:00Z', 'meta.created gt "2026-03-01T12:00:00Z"'],
  ['displayName eq Night Shift', 'displayName eq "Night Shift"'],
  ['displayName eq  5  a side ', 'displayName eq "5  a side"'],
  ['title eq true story and id pr', 'title eq "true story" and id pr'],
  ['(title sw Night Sh or id pr)', '(title sw "Night Sh" or id pr)'],
  ['emails[display eq Ada L. and type pr]', 'emails[display eq "Ada L." and type pr]'],
  ['emails[display eq Ada L.].value pr', 'emails[display eq "Ada L."].value pr'],
];
for (const [filter, quoted] of unquoted) {
  test(`a text without quotes is one: ${filter}, and it is counted`, () => {
    const parsed = parseFilter(quoted, userSchema);
    expect(read(filter)).toEqual({ parsed, counted: ['filter-unquoted'] });
  });
}

const dated: [filter: string, standard: string][] = [
  ['meta.lastModified gt "2026-03-01T12:00:00+0100"', '2026-03-01T12:00:00+01:00'],
  ['meta.lastModified gt "2026-03-01T12:00:00.5-0930"', '2026-03-01T12:00:00.5-09:30'],
  ['meta.lastModified gt "2026-03-01T12:00:00 01:00"', '2026-03-01T12:00:00+01:00'],
  ['meta.lastModified gt "2026-03-01T12:00 0100"', '2026-03-01T12:00+01:00'],
];
for (const [filter, standard] of dated) {
  test(`an offset may lack its colon, and its plus sign be a space: ${filter}, and it is counted`, () => {
    const parsed = { op: 'gt', comparable: Date.parse(standard) };
    expect(read(filter)).toMatchObject({ parsed, counted: ['filter-dialect'] });
  });
}

for (const [filter, problem, character] of refusals) {
  test(`a filter is refused: ${JSON.stringify(filter)}, because of ${problem}`, () => {
    const message = `The filter cannot be understood: ${problem} at character ${character}.`;
    expect(() => parseFilter(filter, userSchema)).toThrow(refused('invalidFilter', message));
  });
}

for (const op of ['gt', 'ge', 'lt', 'le']) {
  test(`booleans have no order: ${op}`, () => {
    expect(() => parseFilter(`active ${op} true`, userSchema)).toThrow(`"${op}" ${forThis} at`);
  });
}

for (const op of ['co', 'sw', 'ew']) {
  test(`only a text has parts: ${op}`, () => {
    const message = `"${op}" ${forThis} and value at`;
    expect(() => parseFilter(`active ${op} "t"`, userSchema)).toThrow(message);
    expect(() => parseFilter(`title ${op} 5`, userSchema)).toThrow(message);
  });
}

for (const written of ['-0', '10', '1.25', '-2.5e3', '1e10', '1E+10', '25e-1']) {
  test(`a number is read as JSON writes it: ${written}`, () => {
    const filter = `${USER_EXTENSION}:appsPermissions eq ${written}`;
    const literal: unknown = JSON.parse(written);
    expect(parseFilter(filter, userSchema)).toMatchObject({ kind: 'compare', literal });
  });
}

for (const filter of ['', '  ', ['id pr', 'id pr'], undefined]) {
  test(`a filter that says nothing, or is sent twice, is refused: ${JSON.stringify(filter)}`, () => {
    const message = `The filter is ${typeof filter === 'string' ? 'blank' : 'not one text'}.`;
    expect(() => parseFilter(filter, userSchema)).toThrow(refused('invalidFilter', message));
  });
}

test('an error never repeats what was sent', () => {
  const filter = 'userName eq "secret" nonsense';
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
});
