import { expect, test } from 'vitest';
import type { NameQuery, Rule } from './rule-book.ts';
import { createRuleBook } from './rule-book.ts';

const by = (rule: number, value: unknown) => ({ value, rule });
const administers = (adminsOf: string, from: string): Rule => ({ adminsOf, from });

const trustees: Rule[] = [{ group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true }];
const layers: Rule[] = [
  { group: 'Board', permissions: 1 },
  { group: 'B*', permissions: 2, addToCardsAndSpacesEnabled: false },
  { group: '*', permissions: 3, addToCardsAndSpacesEnabled: true },
];
const others: Rule[] = [
  { membersOf: 'Board', appsPermissions: 2 },
  administers('Board', 'Chairs'),
  { group: 'Boards', permissions: 1 },
];
const driven = (permissions: object, addToCardsAndSpacesEnabled: object) => ({
  ...{ permissions, addToCardsAndSpacesEnabled },
});

test.each<[why: string, rules: Rule[], name: string, want: object]>([
  ['a pattern without case', trustees, 'bOARD of Trustees', driven(by(1, 16), by(1, true))],
  ['the first match wins, field by field', layers, 'Board', driven(by(1, 1), by(2, false))],
  ['rules of other kinds and of other groups say nothing', others, 'Board', {}],
])('what drives a group: %s', (_why, rules, group, want) =>
  expect(createRuleBook(rules).ruleGroup(group)).toEqual(want),
);

const name = (folded: string): NameQuery => ({ kind: 'name', folded });
const pattern = (text: string): NameQuery => ({ kind: 'pattern', pattern: text });

const from = (rule: number, sources: NameQuery) => ({ rule, sources });

type Pair = readonly [adminsOf: string, from: string];
const toRules = (pairs: readonly Pair[]) => pairs.map((pair) => administers(...pair));

const TEAMS: Pair = ['Team *', 'Managers'];
const [AS, BS, CS]: Pair[] = [
  ['Y', 'A'],
  ['X', 'B'],
  ['*', 'C'],
];
const LED: Pair = ['Team *!', 'Lead of * (L)'];
test.each<[why: string, rules: (Pair | undefined)[], target: string, want: object]>([
  ['one group', [['X', 'X Admins']], 'x', from(1, name('x admins'))],
  ['a star in both', [['*', '* Admins']], 'Größe $& 1', from(1, name('größe $& 1 admins'))],
  ['a star in the middle of both', [LED], 'team A!', from(1, name('lead of a (l)'))],
  ['a star in `from` is every such group', [['X', '* Leads']], 'X', from(1, pattern('* Leads'))],
  ['a star in `adminsOf` is one source', [TEAMS], 'Team A', from(1, name('managers'))],
  ['the first match decides alone', [AS, BS, CS], 'X', from(2, name('b'))],
])('who administers a group: %s', (_why, rules, target, want) => {
  const pairs = rules.filter((pair) => pair !== undefined);

  expect(createRuleBook(toRules(pairs)).ruleAdmins(target)).toEqual(want);
});

const THREE: Pair[] = [
  ['X', 'A'],
  ['Y', 'A'],
  ['Z', 'B'],
];
test.each<[why: string, rules: Pair[], source: string, want: NameQuery[]]>([
  ['a star in both is the same text', [['Team *', '* Admins']], 'A Admins', [name('team a')]],
  ['a star in `adminsOf` alone is every such group', [TEAMS], 'managers', [pattern('Team *')]],
  ['every rule that names it', THREE, 'A', [name('x'), name('y')]],
  ['no rule that names another', THREE, 'X', []],
])('which groups a group gives admins to: %s', (_why, rules, source, want) => {
  const { listAdministered, isSource } = createRuleBook(toRules(rules));

  expect([listAdministered(source), isSource(source)]).toEqual([want, want.length > 0]);
});

test('of each entity the first rule that matches and names it decides', () => {
  const minutes = { uid: 'minutes', roles: ['admin' as const] };
  const lobby = { uid: 'lobby', roles: ['reader' as const] };
  const book = createRuleBook([
    { group: 'Board*', entities: [{ uid: 'minutes', roles: ['writer', 'reader', 'writer'] }] },
    { group: 'Cooks', entities: [{ uid: 'kitchen', roles: ['reader'] }] },
    { group: '*', permissions: 1, entities: [minutes, lobby] },
  ]);

  expect(book.ruleGroup('board of directors')).toEqual({
    'entity:minutes': by(1, 'reader writer'),
    ...{ 'entity:lobby': by(3, 'reader'), permissions: by(3, 1) },
  });
});
