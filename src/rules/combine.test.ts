import { expect, test } from 'vitest';
import type { Cells } from '../domain/cell.ts';
import { GROUP_EXTENSION as urn } from '../domain/extensions.ts';
import type { Field } from '../domain/kinds.ts';
import type { JsonObject } from '../domain/values.ts';
import { combine } from './fields.ts';

const toRow = (attributes: JsonObject, cells: Cells<Field>) =>
  ({ type: 'group', attributes, cells, entities: null }) as const;
const byRule = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'rule' } },
});
const byService = (value: number): Cells<Field> => ({
  permissions: { source: { value, by: 'service' } },
});
const withPermissions = (permissions: number | undefined): JsonObject =>
  permissions === undefined ? { a: 1 } : { a: 1, [urn]: { permissions } };

const NONE = undefined;
type Permissions = number | undefined;
test.each<[why: string, Permissions, Cells<Field>, ruled: Permissions, Permissions, Cells<Field>]>([
  ['what a provider sent wins', 3, {}, 16, 3, {}],
  ['what a provider sent wins also where a rule says the same', 16, {}, 16, 16, {}],
  ['a value that is put back as it was shown stays the rule’s', 16, byRule(16), 16, 16, byRule(16)],
  ['another value than the rule’s is the provider’s', 3, byRule(16), 16, 3, {}],
  ['where the provider’s value goes, the rule’s returns', NONE, {}, 16, 16, byRule(16)],
  ['what a provider takes away returns with the rule', NONE, byRule(16), 16, 16, byRule(16)],
  ['what was found goes where a provider takes it', NONE, byService(4), NONE, NONE, {}],
  ['no rule any more: not ours', 16, byRule(16), NONE, NONE, {}],
  ['what was found stays while no rule speaks', 0, byService(0), NONE, 0, byService(0)],
  ['a rule goes before what was found at the takeover', 0, byService(0), 16, 16, byRule(16)],
])('combine: %s', (_why, held, cells, ruled, want, wantCells) => {
  const rulings = ruled === undefined ? {} : { permissions: { value: ruled, rule: 1 } };

  expect(combine(toRow(withPermissions(held), cells), rulings)).toEqual({
    attributes: withPermissions(want),
    cells: wantCells,
    fields: held === want ? [] : ['permissions'],
  });
});
