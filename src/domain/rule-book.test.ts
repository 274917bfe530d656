import { describe, expect, test } from 'vitest';
import type { Rule } from './rule-book.ts';
import { createRuleBook, type NameQuery } from './rule-book.ts';

const groupCases: readonly (readonly [why: string, rules: Rule[], name: string, want: object])[] = [
  [
    'a pattern without case',
    [{ group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true }],
    'bOARD of Trustees',
    { permissions: { value: 16, rule: 1 }, addToCardsAndSpacesEnabled: { value: true, rule: 1 } },
  ],
  [
    'the first match wins, field by field',
    [
      { group: 'Board', permissions: 1 },
      { group: 'B*', permissions: 2, addToCardsAndSpacesEnabled: false },
      { group: '*', permissions: 3, addToCardsAndSpacesEnabled: true },
    ],
    'Board',
    { permissions: { value: 1, rule: 1 }, addToCardsAndSpacesEnabled: { value: false, rule: 2 } },
  ],
  [
    'rules of other kinds and of other groups say nothing',
    [
      { membersOf: 'Board', appsPermissions: 2 },
      { adminsOf: 'Board', from: 'Chairs' },
      { group: 'Boards', permissions: 1 },
    ],
    'Board',
    {},
  ],
];

describe('what drives a group', () => {
  for (const [why, rules, name, want] of groupCases)
    test(why, () => expect(createRuleBook(rules).ruleGroup(name)).toEqual(want));
});

const userRules: Rule[] = [
  { membersOf: 'Guests', appsPermissions: 2 },
  { membersOf: 'On leave*', temporarilyInactive: true },
  { membersOf: '*', appsPermissions: 7, temporarilyInactive: false },
];

const userCases: { why: string; names: string[]; want: object }[] = [
  { why: 'in no group', names: [], want: {} },
  {
    why: 'in one group',
    names: ['guests'],
    want: {
      appsPermissions: { value: 2, rule: 1 },
      temporarilyInactive: { value: false, rule: 3 },
    },
  },
  {
    why: 'the order of the rules decides, not that of the groups',
    names: ['Other', 'On leave 2026', 'Guests'],
    want: { appsPermissions: { value: 2, rule: 1 }, temporarilyInactive: { value: true, rule: 2 } },
  },
];

describe('what drives a person', () => {
  for (const { why, names, want } of userCases)
    test(why, () => expect(createRuleBook(userRules).ruleUser(names)).toEqual(want));
});

const name = (folded: string): NameQuery => ({ kind: 'name', folded });
const pattern = (text: string): NameQuery => ({ kind: 'pattern', pattern: text });

const adminCases: readonly (readonly [
  why: string,
  rules: Rule[],
  target: string,
  want: object | undefined,
])[] = [
  ['one group', [{ adminsOf: 'X', from: 'X Admins' }], 'x', { rule: 1, sources: name('x admins') }],
  [
    'a star in both is the same text',
    [{ adminsOf: '*', from: '* Admins' }],
    'Größe $& 1',
    { rule: 1, sources: name('größe $& 1 admins') },
  ],
  [
    'a star in the middle of both',
    [{ adminsOf: 'Team *!', from: 'Lead of * (L)' }],
    'team A!',
    { rule: 1, sources: name('lead of a (l)') },
  ],
  [
    'a star in `from` alone is every such group',
    [{ adminsOf: 'X', from: '* Leads' }],
    'X',
    { rule: 1, sources: pattern('* Leads') },
  ],
  [
    'a star in `adminsOf` alone is one source for many',
    [{ adminsOf: 'Team *', from: 'Managers' }],
    'Team A',
    { rule: 1, sources: name('managers') },
  ],
  [
    'the first match decides alone',
    [
      { adminsOf: 'Y', from: 'A' },
      { adminsOf: 'X', from: 'B' },
      { adminsOf: '*', from: 'C' },
    ],
    'X',
    { rule: 2, sources: name('b') },
  ],
  ['no rule', [{ adminsOf: 'Y', from: 'A' }], 'X', undefined],
];

describe('who administers a group', () => {
  for (const [why, rules, target, want] of adminCases)
    test(why, () => expect(createRuleBook(rules).ruleAdmins(target)).toEqual(want));
});

const sourceCases: readonly (readonly [
  why: string,
  rules: Rule[],
  source: string,
  want: NameQuery[],
])[] = [
  [
    'a star in both is the same text',
    [{ adminsOf: 'Team *', from: '* Admins' }],
    'A Admins',
    [name('team a')],
  ],
  [
    'a star in `adminsOf` alone is every such group',
    [{ adminsOf: 'Team *', from: 'Managers' }],
    'managers',
    [pattern('Team *')],
  ],
  [
    'every rule that names it',
    [
      { adminsOf: 'X', from: 'A' },
      { adminsOf: 'Y', from: 'A' },
      { adminsOf: 'Z', from: 'B' },
    ],
    'A',
    [name('x'), name('y')],
  ],
];

describe('which groups a group gives admins to', () => {
  for (const [why, rules, source, want] of sourceCases)
    test(why, () => expect(createRuleBook(rules).listAdministered(source)).toEqual(want));

  test('whether it gives any', () => {
    const { isSource } = createRuleBook([
      { adminsOf: 'Y', from: 'A' },
      { adminsOf: '*', from: '* Admins' },
    ]);
    expect(['X Admins', 'a', 'X'].map(isSource)).toEqual([true, true, false]);
  });
});

test('two groups may administer each other, and a group its own admins: each answer reads names alone', () => {
  const book = createRuleBook([
    { adminsOf: 'X', from: 'Y' },
    { adminsOf: 'Y', from: 'X' },
    { adminsOf: '*', from: '* Admins' },
  ]);

  expect(book.ruleAdmins('X')).toEqual({ rule: 1, sources: name('y') });
  expect(book.ruleAdmins('Y')).toEqual({ rule: 2, sources: name('x') });
  expect(book.ruleAdmins('X Admins')).toEqual({ rule: 3, sources: name('x admins admins') });
});

test('whether membership drives anything is known without a look at people', () => {
  const { drivesMembers } = createRuleBook([
    { membersOf: 'Guest*', appsPermissions: 2 },
    { membersOf: 'Board', temporarilyInactive: false },
    { group: 'Admins of guests', permissions: 1 },
  ]);
  const names = ['guests of A', 'Board', 'Admins of guests'];
  expect(names.map(drivesMembers)).toEqual([true, true, false]);
});

test('of each entity the first rule that matches and names it decides', () => {
  const book = createRuleBook([
    { group: 'Board*', entities: [{ uid: 'minutes', roles: ['writer', 'reader', 'writer'] }] },
    { group: 'Cooks', entities: [{ uid: 'kitchen', roles: ['reader'] }] },
    {
      group: '*',
      permissions: 1,
      entities: [
        { uid: 'minutes', roles: ['admin'] },
        { uid: 'lobby', roles: ['reader'] },
      ],
    },
  ]);

  expect(book.ruleEntities('board of directors')).toEqual({
    'entity:minutes': { value: 'reader writer', rule: 1 },
    'entity:lobby': { value: 'reader', rule: 3 },
  });
});
