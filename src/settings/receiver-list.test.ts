import { expect, test } from 'vitest';
import { loadSettings } from './load.ts';

const SECRET_PATH = 'T000/B000/XXXX';
const pager = { name: 'pager', url: 'https://hooks.example.com/a', secretFile: '/run/pager' };
const chat = {
  name: 'chat',
  url: `https://hooks.slack.com/services/${SECRET_PATH}`,
  format: 'slack',
};
const HOSTS = 'hooks.example.com,*.slack.com';

function load(receivers: unknown, more: Readonly<Record<string, string>> = {}) {
  const env = { NOTIFY_RECEIVERS: JSON.stringify(receivers), NOTIFY_HOSTS: HOSTS, ...more };
  return loadSettings({ env, readFile: () => '' });
}

function refusal(receivers: unknown, more?: Readonly<Record<string, string>>): string {
  try {
    load(receivers, more);
  } catch (error) {
    return String(error);
  }
  throw new Error('the settings were taken');
}

test('receivers are completed with everything of the format standard, without names', () => {
  const { settings, shown } = load([pager, chat]);

  expect(settings.notify.receivers).toEqual([
    { ...pager, events: ['*'], format: 'standard', names: false },
    { ...chat, events: ['*'], names: false },
  ]);
  expect(JSON.stringify(shown)).not.toContain('example.com/a');
});

const refused: readonly (readonly [why: string, receivers: string | unknown[], says: string])[] = [
  ['is no list', 'x', 'a list of receivers'],
  ['has no name', [{ url: pager.url }], 'entry 1 name: has to be a name of letters'],
  ['has no address', [{ name: 'pager' }], 'entry 1 url: has to be an https:// address'],
  ['is text', ['pager'], 'entry 1: Invalid input: expected object'],
  [
    'has a form that is none',
    [{ ...pager, format: 'SLACK' }],
    'entry 1 format: Invalid option: expected one of "standard"',
  ],
  ['has a key that is none', [{ ...pager, formt: 'slack' }], 'entry 1: has an unknown key'],
  ['has no secret', [{ name: 'pager', url: pager.url }], 'entry 1 secretFile: is missing'],
  ['has the name of another', [pager, pager], 'entry 2 name: is pager, as another one'],
  [
    'is on another host',
    [{ ...pager, url: 'https://evil.example/' }],
    'notify.hosts does not name',
  ],
  [
    'has no TLS',
    [{ ...pager, url: 'http://hooks.example.com/a' }],
    'notify.privateAddresses has to allow',
  ],
  [
    'has a password in its address',
    [{ ...pager, url: 'https://a:b@hooks.example.com/' }],
    'entry 1 url: has to be',
  ],
];

for (const [why, receivers, says] of refused) {
  test(`a receiver stops the start when it ${why}`, () => {
    expect(refusal(receivers)).toContain(says);
  });
}

test('no refusal shows the address of a channel', () => {
  const message = refusal([{ ...chat, events: ['NO'] }, { [chat.url]: true }]);

  expect(message).toContain('entry 1 events entry 1: has to be a type');
  expect(message).not.toContain(SECRET_PATH);
});
