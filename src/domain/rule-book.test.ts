import { describe, expect, test } from 'vitest';
import type { Rule } from './rule-book.ts';
import { createRuleBook, type NameQuery } from './rule-book.ts';

const groupCases: { why: string; rules: Rule[]; name: string; want: object }[] = [
  {
    why: 'a pattern without case',
    rules: [{ group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true }],
    name: 'bOARD of Trustees',
    want: {
      permissions: { value: 16, rule: 1 },
      addToCardsAndSpacesEnabled: { value: true, rule: 1 },
    },
  },
  {
    why: 'the first match wins, field by field',
    rules: [
      { group: 'Board', permissions: 1 },
      { group: 'B*', permissions: 2, addToCardsAndSpacesEnabled: false },
      { group: '*', permissions: 3, addToCardsAndSpacesEnabled: true },
    ],
    name: 'Board',
    want: {
      permissions: { value: 1, rule: 1 },
      addToCardsAndSpacesEnabled: { value: false, rule: 2 },
    },
  },
  {
    why: 'rules of other kinds and of other groups say nothing',
    rules: [
      { membersOf: 'Board', appsPermissions: 2 },
      { adminsOf: 'Board', from: 'Chairs' },
      { group: 'Boards', permissions: 1 },
    ],
    name: 'Board',
    want: {},
  },
];

describe('what drives a group', () => {
  for (const { why, rules, name, want } of groupCases) {
    test(why, () => expect(createRuleBook(rules).ruleGroup(name)).toEqual(want));
  }
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
  for (const { why, names, want } of userCases) {
    test(why, () => expect(createRuleBook(userRules).ruleUser(names)).toEqual(want));
  }
});

const name = (folded: string): NameQuery => ({ kind: 'name', folded });
const pattern = (text: string): NameQuery => ({ kind: 'pattern', pattern: text });

const adminCases: { why: string; rules: Rule[]; target: string; want: object | undefined }[] = [
  {
    why: 'one group',
    rules: [{ adminsOf: 'X', from: 'X Admins' }],
    target: 'x',
    want: { rule: 1, sources: name('x admins') },
  },
  {
    why: 'a star in both is the same text',
    rules: [{ adminsOf: '*', from: '* Admins' }],
    target: 'Größe $& 1',
    want: { rule: 1, sources: name('größe $& 1 admins') },
  },
  {
    why: 'a star in the middle of both',
    rules: [{ adminsOf: 'Team *!', from: 'Lead of * (L)' }],
    target: 'team A!',
    want: { rule: 1, sources: name('lead of a (l)') },
  },
  {
    why: 'a star in `from` alone is every such group',
    rules: [{ adminsOf: 'X', from: '* Leads' }],
    target: 'X',
    want: { rule: 1, sources: pattern('* Leads') },
  },
  {
    why: 'a star in `adminsOf` alone is one source for many',
    rules: [{ adminsOf: 'Team *', from: 'Managers' }],
    target: 'Team A',
    want: { rule: 1, sources: name('managers') },
  },
  {
    why: 'the first match decides alone',
    rules: [
      { adminsOf: 'Y', from: 'A' },
      { adminsOf: 'X', from: 'B' },
      { adminsOf: '*', from: 'C' },
    ],
    target: 'X',
    want: { rule: 2, sources: name('b') },
  },
  { why: 'no rule', rules: [{ adminsOf: 'Y', from: 'A' }], target: 'X', want: undefined },
];

describe('who administers a group', () => {
  for (const { why, rules, target, want } of adminCases) {
    test(why, () => expect(createRuleBook(rules).ruleAdmins(target)).toEqual(want));
  }
});

const sourceCases: { why: string; rules: Rule[]; source: string; want: NameQuery[] }[] = [
  {
    why: 'a star in both is the same text',
    rules: [{ adminsOf: 'Team *', from: '* Admins' }],
    source: 'A Admins',
    want: [name('team a')],
  },
  {
    why: 'a star in `adminsOf` alone is every such group',
    rules: [{ adminsOf: 'Team *', from: 'Managers' }],
    source: 'managers',
    want: [pattern('Team *')],
  },
  {
    why: 'every rule that names it',
    rules: [
      { adminsOf: 'X', from: 'A' },
      { adminsOf: 'Y', from: 'A' },
      { adminsOf: 'Z', from: 'B' },
    ],
    source: 'A',
    want: [name('x'), name('y')],
  },
];

describe('which groups a group gives admins to', () => {
  for (const { why, rules, source, want } of sourceCases) {
    test(why, () => expect(createRuleBook(rules).listAdministered(source)).toEqual(want));
  }

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
