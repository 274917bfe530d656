import { expect, test } from 'vitest';
import { combine, type Given, restoreGiven, toBaseline } from './given.ts';
import type { JsonObject } from './json.ts';

const urn = 'urn:example:Group';
const fields = ['permissions', 'flag'] as const;
type Field = (typeof fields)[number];

interface Case {
  readonly why: string;
  readonly held: JsonObject;
  readonly given?: Given<Field>;
  /** Value that the rules give `permissions`. */
  readonly ruled?: number;
  readonly want: JsonObject;
  readonly wantGiven: Given<Field>;
}

const byRule = (value: number): Given<Field> => ({ permissions: { value, by: 'rule' } });
const byService = (value: number): Given<Field> => ({ permissions: { value, by: 'service' } });

const cases: Case[] = [
  { why: 'nobody says anything', held: {}, want: {}, wantGiven: {} },
  { why: 'a rule alone', held: {}, ruled: 16, want: { permissions: 16 }, wantGiven: byRule(16) },
  {
    why: 'what a provider sent wins',
    held: { permissions: 3 },
    ruled: 16,
    want: { permissions: 3 },
    wantGiven: {},
  },
  {
    why: 'what a provider sent wins also where a rule says the same',
    held: { permissions: 16 },
    ruled: 16,
    want: { permissions: 16 },
    wantGiven: {},
  },
  {
    why: 'a value that is put back as it was shown stays the rule’s',
    held: { permissions: 16 },
    given: byRule(16),
    ruled: 16,
    want: { permissions: 16 },
    wantGiven: byRule(16),
  },
  {
    why: 'another value than the rule’s is the provider’s',
    held: { permissions: 3 },
    given: byRule(16),
    ruled: 16,
    want: { permissions: 3 },
    wantGiven: {},
  },
  {
    why: 'where the provider’s value goes, the rule’s returns',
    held: {},
    ruled: 16,
    want: { permissions: 16 },
    wantGiven: byRule(16),
  },
  {
    why: 'another rule',
    held: { permissions: 16 },
    given: byRule(16),
    ruled: 1,
    want: { permissions: 1 },
    wantGiven: byRule(1),
  },
  {
    why: 'what a provider takes away returns while the rule speaks',
    held: {},
    given: byRule(16),
    ruled: 16,
    want: { permissions: 16 },
    wantGiven: byRule(16),
  },
  {
    why: 'what was found at the takeover and taken away by a provider is gone',
    held: {},
    given: byService(4),
    want: {},
    wantGiven: {},
  },
  {
    why: 'no rule any more: not ours',
    held: { permissions: 16 },
    given: byRule(16),
    want: {},
    wantGiven: {},
  },
  {
    why: 'what was found at the takeover stays while no rule speaks',
    held: { permissions: 0 },
    given: byService(0),
    want: { permissions: 0 },
    wantGiven: byService(0),
  },
  {
    why: 'a rule goes before what was found at the takeover',
    held: { permissions: 0 },
    given: byService(0),
    ruled: 16,
    want: { permissions: 16 },
    wantGiven: byRule(16),
  },
];

for (const { why, held, given = {}, ruled, want, wantGiven } of cases) {
  test(`combine: ${why}`, () => {
    const attributes = Object.keys(held).length === 0 ? { a: 1 } : { a: 1, [urn]: held };
    const rulings = ruled === undefined ? {} : { permissions: { value: ruled, rule: 1 } };

    const combined = combine({ attributes, given, rulings, urn, fields });

    const wanted = Object.keys(want).length === 0 ? { a: 1 } : { a: 1, [urn]: want };
    expect(combined.attributes).toEqual(wanted);
    expect(combined.given).toEqual(wantGiven);
    expect(combined.changed).toEqual(held.permissions === want.permissions ? [] : ['permissions']);
  });
}

test('other values of the extension stay', () => {
  const attributes = { [urn]: { role: 1, permissions: 16 } };

  const combined = combine({ attributes, given: byRule(16), rulings: {}, urn, fields });

  expect(combined.attributes).toEqual({ [urn]: { role: 1 } });
});

test('the baseline of a takeover is what stands there, and nothing else', () => {
  const attributes = { [urn]: { permissions: 4, flag: false, other: 1 } };
  expect(toBaseline(attributes, urn, fields)).toEqual({
    permissions: { value: 4, by: 'service' },
    flag: { value: false, by: 'service' },
  });
  expect(toBaseline({}, urn, fields)).toEqual({});
});

test('what nobody changes is the same document', () => {
  const attributes = { a: 1, [urn]: { permissions: 16 } };

  expect(combine({ attributes, given: {}, rulings: {}, urn, fields }).attributes).toBe(attributes);
});

const undone: { why: string; current: object; before: object; undo: string[]; want: object }[] = [
  {
    why: 'a field is given again by whom it was given before',
    current: { ...byRule(16), flag: 'x' },
    before: byService(4),
    undo: ['permissions'],
    want: { ...byService(4), flag: 'x' },
  },
  {
    why: 'a field that nobody had given is given by nobody again',
    current: byRule(16),
    before: {},
    undo: ['permissions'],
    want: {},
  },
  {
    why: 'a field that was written since stays as it is',
    current: byRule(16),
    before: { ...byService(4), flag: 'x' },
    undo: ['flag'],
    want: { ...byRule(16), flag: 'x' },
  },
  {
    why: 'what did not change',
    current: byRule(16),
    before: byRule(16),
    undo: ['permissions', 'flag'],
    want: byRule(16),
  },
];

for (const { why, current, before, undo, want } of undone) {
  test(`undoing who gave a value: ${why}`, () => {
    const restored = restoreGiven(JSON.stringify(current), JSON.stringify(before), undo);
    expect(JSON.parse(restored)).toEqual(want);
  });
}
