import { expect, test } from 'vitest';
import { refused } from '../scim-test-support.ts';
import { assertShape, openBody, parseJson } from './parse-json.ts';

const list = (length: number, toPart: (index: number) => string) =>
  `[${Array.from({ length }, (_, index) => toPart(index)).join()}]`;
const named = (names: number) => list(names, (index) => `{"${index}":1}`);
const objects = (length: number) => list(length, () => '{}');
const inText = `["${'{['.repeat(80_000)}:\\\\","\\"${'{:'.repeat(80_000)}",{}]`;

test.each([
  ['signs inside of texts', inText],
  ['5,000 different names', named(5_000)],
  ['150,000 objects and lists', objects(149_999)],
  ['common numbers, and texts that look like others', '{"a":"1.10, [2.50","b":[2.5,15,true]}'],
])('JSON is parsed: %s', (_, text) => expect(parseJson(text)).toEqual(JSON.parse(text)));

test('a number that JavaScript would write in another way is its text', () => {
  const text = '[1.10,-0,1E400,{"a":76561198000000001}]';
  expect(parseJson(text)).toEqual(['1.10', '-0', '1E400', { a: '76561198000000001' }]);
});

const ODD = 'So large a body may have whole numbers of up to 15 digits alone.';
test.each([
  [`[${'1.5,'.repeat(300_000)}1]`, 'invalidValue', ODD],
  [named(5_001), 'invalidValue', 'The body has more than 5000 different names of attributes.'],
  [objects(150_000), 'invalidValue', 'The body has more than 150000 objects and lists.'],
  ['{"a":}', 'invalidSyntax', 'The body is not JSON.'],
  [`${'['.repeat(9_000)}1.5${']'.repeat(9_000)}`, 'invalidSyntax', 'The body is not JSON.'],
])('a body is refused: %#', (text, scimType, message) =>
  expect(() => parseJson(text)).toThrow(refused(scimType, message)),
);

test('a value may be nested 20 levels deep, a list have 100,000 values, and a body is an object', () => {
  const nest = (levels: number) => JSON.parse(`${'{"a":['.repeat(levels)}${']}'.repeat(levels)}`);
  const tooDeep = refused('invalidSyntax', 'The body is nested deeper than 20 levels.');
  const tooLong = refused('invalidValue', 'A list has more than 100000 values.');

  for (const value of ['x', null, nest(10), Array(100_000).fill(1)]) assertShape(value);
  expect(() => assertShape([nest(10)])).toThrow(tooDeep);
  expect(() => assertShape([Array(100_001).fill(1)])).toThrow(tooLong);
  expect(() => openBody([])).toThrow(refused('invalidSyntax', 'The body is not a JSON object.'));
});
