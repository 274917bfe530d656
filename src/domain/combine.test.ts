import { expect, test } from 'vitest';
import { type Cells, undo } from './cell.ts';
import { combine, toBaseline } from './combine.ts';
import type { JsonObject } from './values.ts';

const urn = 'urn:example:Group';
const fields = ['permissions', 'flag'] as const;
type Field = (typeof fields)[number];

const byRule = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'rule' } },
});
const byService = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'service' } },
});
const withPermissions = (permissions: number | undefined): JsonObject =>
  permissions === undefined ? { a: 1 } : { a: 1, [urn]: { permissions } };

/** Permissions as they are held and by whom, the value of a rule, and what follows. */
const cases: readonly (readonly [
  why: string,
  held: number | undefined,
  cells: Cells<Field>,
  ruled: number | undefined,
  want: number | undefined,
  wantCells: Cells<Field>,
])[] = [
  ['nobody says anything', undefined, {}, undefined, undefined, {}],
  ['a rule alone', undefined, {}, 16, 16, byRule(16)],
  ['what a provider sent wins', 3, {}, 16, 3, {}],
  ['what a provider sent wins also where a rule says the same', 16, {}, 16, 16, {}],
  ['a value that is put back as it was shown stays the rule’s', 16, byRule(16), 16, 16, byRule(16)],
  ['another value than the rule’s is the provider’s', 3, byRule(16), 16, 3, {}],
  ['where the provider’s value goes, the rule’s returns', undefined, {}, 16, 16, byRule(16)],
  ['another rule', 16, byRule(16), 1, 1, byRule(1)],
  [
    'what a provider takes away returns while the rule speaks',
    undefined,
    byRule(16),
    16,
    16,
    byRule(16),
  ],
  [
    'what was found at the takeover and taken away by a provider is gone',
    undefined,
    byService(4),
    undefined,
    undefined,
    {},
  ],
  ['no rule any more: not ours', 16, byRule(16), undefined, undefined, {}],
  [
    'what was found at the takeover stays while no rule speaks',
    0,
    byService(0),
    undefined,
    0,
    byService(0),
  ],
  ['a rule goes before what was found at the takeover', 0, byService(0), 16, 16, byRule(16)],
];

for (const [why, held, cells, ruled, want, wantCells] of cases) {
  test(`combine: ${why}`, () => {
    const rulings = ruled === undefined ? {} : { permissions: { value: ruled, rule: 1 } };

    expect(combine({ attributes: withPermissions(held), cells, rulings, urn, fields })).toEqual({
      attributes: withPermissions(want),
      cells: wantCells,
      changed: held === want ? [] : ['permissions'],
    });
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
    ...byService(4),
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
