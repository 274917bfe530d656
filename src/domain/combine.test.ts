import { expect, test } from 'vitest';
import { type Cells, undo } from './cell.ts';
import { combine, toBaseline } from './combine.ts';
import type { JsonObject } from './json.ts';

const urn = 'urn:example:Group';
const fields = ['permissions', 'flag'] as const;
type Field = (typeof fields)[number];

interface Case {
  readonly why: string;
  readonly held: JsonObject;
  readonly cells?: Cells<Field>;
  /** Value that the rules give `permissions`. */
  readonly ruled?: number;
  readonly want: JsonObject;
  readonly wantCells: Cells<Field>;
}

const byRule = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'rule' } },
});
const byService = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'service' } },
});

const cases: Case[] = [
  { why: 'nobody says anything', held: {}, want: {}, wantCells: {} },
  { why: 'a rule alone', held: {}, ruled: 16, want: { permissions: 16 }, wantCells: byRule(16) },
  {
    why: 'what a provider sent wins',
    held: { permissions: 3 },
    ruled: 16,
    want: { permissions: 3 },
    wantCells: {},
  },
  {
    why: 'what a provider sent wins also where a rule says the same',
    held: { permissions: 16 },
    ruled: 16,
    want: { permissions: 16 },
    wantCells: {},
  },
  {
    why: 'a value that is put back as it was shown stays the rule’s',
    held: { permissions: 16 },
    cells: byRule(16),
    ruled: 16,
    want: { permissions: 16 },
    wantCells: byRule(16),
  },
  {
    why: 'another value than the rule’s is the provider’s',
    held: { permissions: 3 },
    cells: byRule(16),
    ruled: 16,
    want: { permissions: 3 },
    wantCells: {},
  },
  {
    why: 'where the provider’s value goes, the rule’s returns',
    held: {},
    ruled: 16,
    want: { permissions: 16 },
    wantCells: byRule(16),
  },
  {
    why: 'another rule',
    held: { permissions: 16 },
    cells: byRule(16),
    ruled: 1,
    want: { permissions: 1 },
    wantCells: byRule(1),
  },
  {
    why: 'what a provider takes away returns while the rule speaks',
    held: {},
    cells: byRule(16),
    ruled: 16,
    want: { permissions: 16 },
    wantCells: byRule(16),
  },
  {
    why: 'what was found at the takeover and taken away by a provider is gone',
    held: {},
    cells: byService(4),
    want: {},
    wantCells: {},
  },
  {
    why: 'no rule any more: not ours',
    held: { permissions: 16 },
    cells: byRule(16),
    want: {},
    wantCells: {},
  },
  {
    why: 'what was found at the takeover stays while no rule speaks',
    held: { permissions: 0 },
    cells: byService(0),
    want: { permissions: 0 },
    wantCells: byService(0),
  },
  {
    why: 'a rule goes before what was found at the takeover',
    held: { permissions: 0 },
    cells: byService(0),
    ruled: 16,
    want: { permissions: 16 },
    wantCells: byRule(16),
  },
];

for (const { why, held, cells = {}, ruled, want, wantCells } of cases) {
  test(`combine: ${why}`, () => {
    const attributes = Object.keys(held).length === 0 ? { a: 1 } : { a: 1, [urn]: held };
    const rulings = ruled === undefined ? {} : { permissions: { value: ruled, rule: 1 } };

    const combined = combine({ attributes, cells, rulings, urn, fields });

    const wanted = Object.keys(want).length === 0 ? { a: 1 } : { a: 1, [urn]: want };
    expect(combined.attributes).toEqual(wanted);
    expect(combined.cells).toEqual(wantCells);
    expect(combined.changed).toEqual(held.permissions === want.permissions ? [] : ['permissions']);
  });
}

test('other values of the extension stay', () => {
  const attributes = { [urn]: { role: 1, permissions: 16 } };

  const combined = combine({ attributes, cells: byRule(16), rulings: {}, urn, fields });

  expect(combined.attributes).toEqual({ [urn]: { role: 1 } });
});

test('the baseline of a takeover is what stands there, and nothing else', () => {
  const attributes = { [urn]: { permissions: 4, flag: false, other: 1 } };
  expect(toBaseline({}, attributes, { urn, fields })).toEqual({
    permissions: { source: { value: 4, by: 'service' } },
    flag: { source: { value: false, by: 'service' } },
  });
  expect(toBaseline({}, {}, { urn, fields })).toEqual({});
});

test('what nobody changes is the same document', () => {
  const attributes = { a: 1, [urn]: { permissions: 16 } };

  expect(combine({ attributes, cells: {}, rulings: {}, urn, fields }).attributes).toBe(attributes);
});

const flagged: Cells<Field> = { flag: { source: { value: true, by: 'service' } } };
const undone: readonly (readonly [
  why: string,
  current: Cells<Field>,
  before: Cells<Field>,
  fields: readonly Field[],
  want: Cells<Field>,
])[] = [
  [
    'a field is given again by whom it was given before',
    { ...byRule(16), ...flagged },
    byService(4),
    ['permissions'],
    { ...byService(4), ...flagged },
  ],
  ['a field that nobody had given is given by nobody again', byRule(16), {}, ['permissions'], {}],
  [
    'a field that was written since stays as it is',
    byRule(16),
    { ...byService(4), ...flagged },
    ['flag'],
    { ...byRule(16), ...flagged },
  ],
  ['what did not change', byRule(16), byRule(16), ['permissions', 'flag'], byRule(16)],
];

for (const [why, current, before, some, want] of undone) {
  test(`undoing who gave a value: ${why}`, () => {
    expect(undo(current, before, some)).toEqual(want);
  });
}
