import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { findAttribute, userSchema } from '../schema/resource-schemas.ts';
import { hasContent, withoutNulls } from './elements.ts';
import { mergeElements } from './value-list.ts';

const contents: readonly (readonly [JsonObject, boolean])[] = [
  [{}, false],
  [{ type: 'work' }, false],
  [{ type: 'work', primary: true }, false],
  [{ type: 'work', value: null }, false],
  [{ type: 'work', value: '' }, false],
  [{ value: 'a@x' }, true],
  [{ type: 'work', display: 'A', value: null }, true],
];

for (const [element, want] of contents) {
  test(`${JSON.stringify(element)} says ${want ? 'something' : 'nothing by itself'}`, () =>
    expect(hasContent(element)).toBe(want));
}

test('only what is null has no value', () => {
  const parts = { a: false, b: 0, c: '', d: [] };
  expect(withoutNulls({ ...parts, e: null })).toStrictEqual(parts);
});

const home = { streetAddress: 'Road 1', locality: 'Ada', type: 'home' };

/** Why; the list; what is held, what is added, and what comes of it. */
const merges: readonly (readonly [string, string, JsonObject, JsonObject, JsonObject[]])[] = [
  [
    'the same address in another case takes over the other parts',
    'emails',
    { value: 'Ada@x', type: 'work', primary: true },
    { value: 'ADA@X', type: 'WORK', display: 'A' },
    [{ value: 'ADA@X', type: 'WORK', primary: true, display: 'A' }],
  ],
  [
    'the same address for another use is another element',
    'emails',
    { value: 'ada@x', type: 'work' },
    { value: 'ada@x', type: 'home' },
    [
      { value: 'ada@x', type: 'work' },
      { value: 'ada@x', type: 'home' },
    ],
  ],
  [
    'the same address for no use is another element',
    'emails',
    { value: 'ada@x', type: 'work' },
    { value: 'ada@x' },
    [{ value: 'ada@x', type: 'work' }, { value: 'ada@x' }],
  ],
  [
    'a certificate is compared with its case',
    'x509Certificates',
    { value: 'QUJD' },
    { value: 'qujd' },
    [{ value: 'QUJD' }, { value: 'qujd' }],
  ],
  [
    'an address is the same whatever the order of its parts, and whether it is preferred',
    'addresses',
    home,
    { primary: true, type: 'home', locality: 'Ada', streetAddress: 'Road 1' },
    [{ ...home, primary: true }],
  ],
  [
    'an address with another part is another one',
    'addresses',
    home,
    { ...home, locality: 'Bob' },
    [home, { ...home, locality: 'Bob' }],
  ],
  [
    'an address for another use is another one',
    'addresses',
    home,
    { ...home, type: 'work' },
    [home, { ...home, type: 'work' }],
  ],
];

for (const [why, list, held, added, want] of merges) {
  test(`two elements of a list: ${why}`, () => {
    const rule = findAttribute(userSchema, list)?.attribute;
    if (!rule) throw new Error(`no list ${list}`);
    expect(mergeElements(rule, [held, added])).toEqual(want);
  });
}
