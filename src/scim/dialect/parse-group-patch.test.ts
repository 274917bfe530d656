import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import type { RepairKind } from '../repairs.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { parsePatch } from './parse-body.ts';
import { isAttributeStep } from './to-steps.ts';

const repairs = { count: () => {} };

function parse(...operations: unknown[]) {
  return parsePatch({ Operations: operations }, { schema: groupSchema, repairs }).steps;
}

/** The edits of the lists of users, in order, and the attributes that a group of none gets. */
function changes(...operations: unknown[]) {
  const steps = parse(...operations);
  const edits = steps.flatMap((step) => {
    if (isAttributeStep(step)) return [];
    const { kind, list } = step;
    if (kind === 'users') return { kind: list, op: step.op, ids: [...step.ids.keys()] };
    return { kind: list, op: 'removeWhere', filter: step.filter };
  });
  const attributes = applyPatch({}, steps);
  return Object.keys(attributes).length === 0 ? edits : [{ kind: 'set', attributes }, ...edits];
}

const cases = [
  {
    why: 'add (Entra, Okta)',
    ops: [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'u1' }, { value: 'u2' }] }],
    want: [{ kind: 'members', op: 'add', ids: ['u1', 'u2'] }],
  },
  {
    why: 'remove by value array (Entra legacy)',
    ops: [{ op: 'Remove', path: 'members', value: [{ value: 'u1' }] }],
    want: [{ kind: 'members', op: 'remove', ids: ['u1'] }],
  },
  {
    why: 'remove by filter (Okta, Entra with the flag)',
    ops: [{ op: 'remove', path: 'members[value eq "u1"]' }],
    want: [{ kind: 'members', op: 'remove', ids: ['u1'] }],
  },
  {
    why: 'remove by a filter that names several',
    ops: [{ op: 'remove', path: 'members[value eq "u1" or value eq "u2"]' }],
    want: [{ kind: 'members', op: 'remove', ids: ['u1', 'u2'] }],
  },
  {
    why: 'remove without value empties',
    ops: [{ op: 'remove', path: 'members' }],
    want: [{ kind: 'members', op: 'replace', ids: [] }],
  },
  {
    why: 'remove of null empties',
    ops: [{ op: 'remove', path: 'members', value: null }],
    want: [{ kind: 'members', op: 'replace', ids: [] }],
  },
  {
    why: 'remove of the id of one',
    ops: [{ op: 'remove', path: 'members[value eq "u1"].value' }],
    want: [{ kind: 'members', op: 'remove', ids: ['u1'] }],
  },
  {
    why: 'remove of an id of digits, as it is written',
    ops: [{ op: 'remove', path: 'members[value eq 12345678901234567890]' }],
    want: [{ kind: 'members', op: 'remove', ids: ['12345678901234567890'] }],
  },
  {
    why: 'remove of an empty value array removes nobody',
    ops: [{ op: 'remove', path: 'members', value: [] }],
    want: [],
  },
  { why: 'add of nobody', ops: [{ op: 'add', path: 'members', value: [] }], want: [] },
  {
    why: 'replace',
    ops: [{ op: 'replace', path: 'members', value: [{ value: 'u1' }] }],
    want: [{ kind: 'members', op: 'replace', ids: ['u1'] }],
  },
  {
    why: 'replace by null empties (Entra)',
    ops: [{ op: 'Replace', path: 'members', value: null }],
    want: [{ kind: 'members', op: 'replace', ids: [] }],
  },
  {
    why: 'replace by none empties',
    ops: [{ op: 'replace', path: 'members', value: [] }],
    want: [{ kind: 'members', op: 'replace', ids: [] }],
  },
  {
    why: 'pathless add is a delta (WSO2)',
    ops: [{ op: 'add', value: { members: [{ value: 'u1' }] } }],
    want: [{ kind: 'members', op: 'add', ids: ['u1'] }],
  },
  {
    why: 'pathless replace replaces (Okta)',
    ops: [{ op: 'replace', value: { members: [{ value: 'u1' }] } }],
    want: [{ kind: 'members', op: 'replace', ids: ['u1'] }],
  },
  {
    why: 'add and remove of the same one stay two changes in order',
    ops: [
      { op: 'add', path: 'members', value: [{ value: 'u1' }] },
      { op: 'remove', path: 'members[value eq "u1"]' },
    ],
    want: [
      { kind: 'members', op: 'add', ids: ['u1'] },
      { kind: 'members', op: 'remove', ids: ['u1'] },
    ],
  },
  {
    why: 'two replacements stay two: the last one counts',
    ops: ['u1', 'u2'].map((value) => ({ op: 'replace', path: 'members', value: [{ value }] })),
    want: [
      { kind: 'members', op: 'replace', ids: ['u1'] },
      { kind: 'members', op: 'replace', ids: ['u2'] },
    ],
  },
  {
    why: 'rename with an echoed id (Okta)',
    ops: [{ op: 'replace', value: { id: 'g', displayName: 'N' } }],
    want: [{ kind: 'set', attributes: { displayName: 'N' } }],
  },
  {
    why: 'rename and members in one',
    ops: [
      { op: 'replace', path: 'displayName', value: 'N' },
      { op: 'replace', path: 'externalId', value: 'e' },
      { op: 'add', path: 'members', value: [{ value: 'u1' }] },
    ],
    want: [
      { kind: 'set', attributes: { displayName: 'N', externalId: 'e' } },
      { kind: 'members', op: 'add', ids: ['u1'] },
    ],
  },
  {
    why: 'the extension',
    ops: [
      { op: 'replace', path: `${GROUP_EXTENSION}:permissions`, value: '16' },
      { op: 'replace', value: { [GROUP_EXTENSION]: { addToCardsAndSpacesEnabled: 'True' } } },
    ],
    want: [
      {
        kind: 'set',
        attributes: { [GROUP_EXTENSION]: { permissions: 16, addToCardsAndSpacesEnabled: true } },
      },
    ],
  },
  {
    why: 'admins, like members',
    ops: [
      { op: 'add', path: `${GROUP_EXTENSION}:admins`, value: [{ value: 'u1' }] },
      { op: 'remove', path: `${GROUP_EXTENSION}:admins[value eq "u2"]` },
    ],
    want: [
      { kind: 'admins', op: 'add', ids: ['u1'] },
      { kind: 'admins', op: 'remove', ids: ['u2'] },
    ],
  },
  {
    why: 'an attempt to inject a filter removes that one id',
    ops: [{ op: 'remove', path: 'members', value: [{ value: 'x" or value pr or value eq "' }] }],
    want: [{ kind: 'members', op: 'remove', ids: ['x" or value pr or value eq "'] }],
  },
];

for (const { why, ops, want } of cases) {
  test(`group PATCH: ${why}`, () => expect(changes(...ops)).toEqual(want));
}

for (const [filter, kind] of [
  ['display sw "A"', 'compare'],
  ['display eq "A"', 'compare'],
  ['value ne "u1"', 'compare'],
  ['value co "u1"', 'compare'],
  ['value pr', 'present'],
  ['not (value eq "u1")', 'not'],
  ['value eq "u1" and display eq "A"', 'and'],
  ['value eq "u1" or display eq "A"', 'or'],
  ['value eq "u1" or (value eq "u2" and display eq "A")', 'or'],
]) {
  test(`whom any other filter finds is not known yet: ${filter}`, () => {
    expect(changes({ op: 'remove', path: `members[${filter}]` })).toEqual([
      { kind: 'members', op: 'removeWhere', filter: expect.objectContaining({ kind }) },
    ]);
  });
}

describe('a PATCH of a group is refused', () => {
  const refused = [
    {
      why: 'a member without an id',
      op: { op: 'add', path: 'members', value: [{ display: 'x' }] },
      scimType: 'invalidValue',
      message: 'Value 1 of members: Each of the members needs a value: the id of a user.',
    },
    {
      why: 'replace of members without a value',
      op: { op: 'replace', path: 'members' },
      scimType: 'invalidValue',
      message: 'The replace of members has no value.',
    },
    {
      why: 'add of admins without a value',
      op: { op: 'add', path: `${GROUP_EXTENSION}:admins` },
      scimType: 'invalidValue',
      message: 'The add of admins has no value.',
    },
    {
      why: 'the kind of a member',
      op: { op: 'remove', path: 'members[value eq "u1"].type' },
      scimType: 'mutability',
      message: 'members are added by value and removed, never changed.',
    },
    {
      why: 'adding to a member',
      op: { op: 'add', path: 'members[value eq "u1"]', value: { value: 'u1' } },
      scimType: 'mutability',
      message: 'members are added by value and removed, never changed.',
    },
    {
      why: 'a displayName that is no text',
      op: { op: 'replace', path: 'displayName', value: { x: 1 } },
      scimType: 'invalidValue',
      message: 'The value of displayName is not a text.',
    },
    {
      why: 'a displayName of null',
      op: { op: 'replace', value: { displayName: null } },
      scimType: 'invalidValue',
      message: 'displayName cannot be blank.',
    },
    {
      why: 'a part of the members',
      op: { op: 'remove', path: 'members.value' },
      scimType: 'mutability',
      message: 'members change as a whole, not by value.',
    },
    {
      why: 'changing a member',
      op: { op: 'replace', path: 'members[value eq "u1"]', value: { value: 'u2' } },
      scimType: 'mutability',
      message: 'members are added by value and removed, never changed.',
    },
    {
      why: 'the name of a member',
      op: { op: 'replace', path: 'members[value eq "u1"].display', value: 'x' },
      scimType: 'mutability',
      message: 'members.display is read-only.',
    },
    {
      why: 'a blank displayName',
      op: { op: 'replace', path: 'displayName', value: '' },
      scimType: 'invalidValue',
      message: 'displayName cannot be blank.',
    },
    {
      why: 'remove of displayName',
      op: { op: 'remove', path: 'displayName' },
      scimType: 'mutability',
      message: 'displayName cannot be removed.',
    },
    {
      why: 'permissions that are no number',
      op: { op: 'replace', path: `${GROUP_EXTENSION}:permissions`, value: 'all' },
      scimType: 'invalidValue',
      message: 'The value of permissions is no integer.',
    },
  ];
  for (const { why, op, scimType, message } of refused) {
    test(why, () => {
      expect(() => changes(op)).toThrow(
        expect.objectContaining({ status: 400, scimType, message }),
      );
    });
  }
});

test('20,000 members in one operation cost one look at each', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `u${i}`);
  const counts = new Map<RepairKind, number>();
  const count = (kind: RepairKind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const body = { Operations: [{ op: 'add', path: 'members', value: ids }] };
  const { steps } = parsePatch(body, { schema: groupSchema, repairs: { count } });
  const places = new Map(ids.map((id, at) => [id, at + 1]));
  expect(steps).toMatchObject([{ list: 'members', op: 'add', ids: places }]);
  expect(counts.get('value-for-object')).toBe(20_000);
});
