import { expect, test } from 'vitest';
import { SettingsError } from './errors.ts';
import { loadSettings } from './load.ts';

type Env = Readonly<Record<string, string>>;

const load = (env: Env, yaml = '') =>
  loadSettings({ env, readFile: () => yaml, configFile: 'bridge.yaml' });

function listMessages(env: Env, yaml?: string): string[] {
  try {
    load(env, yaml);
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

test('rules are a YAML list, or JSON in the environment, where they replace those of the file', () => {
  const yaml = `rules:
  - { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true }
  - { adminsOf: X, from: X Admins }
  - { membersOf: Guests, appsPermissions: 2 }
`;
  const RULES = JSON.stringify(three);
  expect(load({}, yaml).settings.rules).toEqual(three);
  expect(load({ RULES }, "rules: [{ group: '*', permissions: 1 }]").settings.rules).toEqual(three);
});

const GROUP_KEYS = 'group, permissions, addToCardsAndSpacesEnabled, entities';
const ONE_KEY = ': has to have exactly one of the keys group, adminsOf and membersOf';

test.each([
  ['5', ': Invalid input: expected object, received number'],
  ['{ name: X }', ONE_KEY],
  ['{ group: X, membersOf: X }', ONE_KEY],
  ['{ group: X, from: Y }', `: Unrecognized key: "from"; allowed: ${GROUP_KEYS}`],
  [
    '{ group: "" , permissions: 1 }',
    ' group: has to be the name of a group, `*` stands for any text',
  ],
  ['{ group: X, permissions: 1.5 }', ' permissions: Invalid input: expected int, received number'],
  ['{ group: X }', ': sets nothing'],
  [
    '{ membersOf: X, appsPermissions: 99 }',
    ' appsPermissions: Invalid option: expected one of 0|1|2|4|5|6',
  ],
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
])('%s%s', (rule, message) => {
  const yaml = `rules:\n  - { group: A, permissions: 1 }\n  - ${rule}\n`;
  expect(listMessages({}, yaml)[0]).toBe(`rules (from bridge.yaml): entry 2${message}.`);
});

test('what is no list names the source and what is allowed', () => {
  const allowed =
    'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable';
  const message = `rules is "{ group" (from RULES); allowed: ${allowed}.`;
  expect(listMessages({ RULES: '{ group' })).toEqual([message]);
});

const SECRET_PATH = 'T000/B000/XXXX';
const pager = { name: 'pager', url: 'https://hooks.example.com/a', secretFile: '/run/pager' };
const channel = `https://hooks.slack.com/services/${SECRET_PATH}`;
const chat = { name: 'chat', url: channel, format: 'slack' };
const NOTIFY_HOSTS = 'hooks.example.com,*.slack.com';
const toEnv = (some: unknown) => ({ NOTIFY_RECEIVERS: JSON.stringify(some), NOTIFY_HOSTS });

test('receivers are completed with everything of the format standard, without names', () => {
  const { settings, shown } = load(toEnv([pager, chat]));

  expect(settings.notify.receivers).toEqual([
    { ...pager, events: ['*'], format: 'standard', names: false },
    { ...chat, events: ['*'], names: false },
  ]);
  expect(JSON.stringify(shown)).not.toContain('example.com/a');
});

test.each([
  ['is no list', 'x', 'a list of receivers'],
  ['has no name', [{ url: pager.url }], 'entry 1 name: has to be a name of letters'],
  ['has no address', [{ name: 'pager' }], 'entry 1 url: has to be an https:// address'],
  ['is text', ['pager'], 'entry 1: Invalid input: expected object'],
  ['has no such form', [{ ...pager, format: 'SLACK' }], 'entry 1 format: Invalid option: expected'],
  ['has a key that is none', [{ ...pager, formt: 'slack' }], 'entry 1: has an unknown key'],
  ['has no such type', [{ ...pager, events: ['*', 'frob'] }], 'entry 1 events entry 2: has to be'],
  ['has no secret', [{ name: 'pager', url: pager.url }], 'entry 1 secretFile: is missing'],
  ['has the name of another', [pager, pager], 'entry 2 name: is pager, as another one'],
  ['is on another host', [{ ...pager, url: 'https://evil.example/' }], 'hosts does not name'],
  ['has no TLS', [{ ...pager, url: 'http://hooks.example.com/a' }], 'Addresses has to allow'],
  ['has a password', [{ ...pager, url: 'https://a:b@hooks.example.com/' }], 'entry 1 url: has to'],
])('a receiver stops the start when it %s', (_, receivers, says) => {
  expect(listMessages(toEnv(receivers)).join()).toContain(says);
});

test('no refusal shows the address of a channel', () => {
  const refused = toEnv([{ ...chat, events: ['NO'] }, { [chat.url]: true }]);
  const message = listMessages(refused).join();

  expect(message).toContain('entry 1 events entry 1: has to be a type');
  expect(message).not.toContain(SECRET_PATH);
});
