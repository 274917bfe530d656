import { expect, test } from 'vitest';
import { SettingsError } from './errors.ts';
import { loadSettings } from './load.ts';

function load(yaml: string, env: Record<string, string> = {}) {
  return loadSettings({ env, readFile: () => yaml, configFile: 'bridge.yaml' });
}

function listMessages(yaml: string, env?: Record<string, string>): string[] {
  try {
    load(yaml, env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

const three = [
  { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true },
  { adminsOf: 'X', from: 'X Admins' },
  { membersOf: 'Guests', appsPermissions: 2 },
];

test('rules are a YAML list', () => {
  const yaml = `rules:
  - { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true }
  - { adminsOf: X, from: X Admins }
  - { membersOf: Guests, appsPermissions: 2 }
`;
  expect(load(yaml).settings.rules).toEqual(three);
});

test('rules are JSON in the environment, where they replace those of the file', () => {
  const { settings } = load("rules: [{ group: '*', permissions: 1 }]", {
    RULES: JSON.stringify(three),
  });
  expect(settings.rules).toEqual(three);
});

const refused: [rule: string, message: string][] = [
  ['5', ': Invalid input: expected object, received number'],
  ['{ name: X }', ': has to have exactly one of the keys group, adminsOf and membersOf'],
  ['{ permissions: 1 }', ': has to have exactly one of the keys group, adminsOf and membersOf'],
  [
    '{ group: X, membersOf: X }',
    ': has to have exactly one of the keys group, adminsOf and membersOf',
  ],
  ['{ group: X, from: Y }', ': Unrecognized key: "from"'],
  [
    '{ group: "" , permissions: 1 }',
    ' group: has to be the name of a group, `*` stands for any text',
  ],
  ['{ group: X, permissions: 1.5 }', ' permissions: Invalid input: expected int, received number'],
  ['{ group: X }', ': sets nothing'],
  [
    '{ group: X, entities: [{ uid: "a b", roles: [r] }] }',
    ' entities entry 1 uid: has to be an id',
  ],
  [
    '{ group: X, entities: [{ uid: a, roles: [r] }, { uid: a, roles: [s] }] }',
    ' entities: names an entity twice',
  ],
  [
    '{ adminsOf: Admins, from: admins }',
    ': makes every member of a group an admin of the same group: adminsOf and from are equal',
  ],
  [
    '{ adminsOf: "* of *", from: "* Admins" }',
    ': has more than one * where * stands for the same text in adminsOf and from',
  ],
];

for (const [rule, message] of refused) {
  test(`${rule}${message}`, () => {
    const yaml = `rules:\n  - { group: A, permissions: 1 }\n  - ${rule}\n`;
    expect(listMessages(yaml)[0]).toBe(`rules (from bridge.yaml): entry 2${message}.`);
  });
}

test('what is no list names the source and what is allowed', () => {
  const allowed =
    'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable';
  expect(listMessages('', { RULES: '{ group' })).toEqual([
    `rules is "{ group" (from RULES); allowed: ${allowed}.`,
  ]);
});
