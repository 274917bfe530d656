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

const refused = [
  { why: 'is no list', receivers: 'x', says: 'a list of receivers' },
  {
    why: 'has no name',
    receivers: [{ url: pager.url }],
    says: 'entry 1 name: has to be a name of letters',
  },
  {
    why: 'has no address',
    receivers: [{ name: 'pager' }],
    says: 'entry 1 url: has to be an https:// address',
  },
  {
    why: 'is text',
    receivers: ['pager'],
    says: 'entry 1: Invalid input: expected object',
  },
  {
    why: 'has a form that is none',
    receivers: [{ ...pager, format: 'SLACK' }],
    says: 'entry 1 format: Invalid option: expected one of "standard"',
  },
  {
    why: 'has a key that is none',
    receivers: [{ ...pager, formt: 'slack' }],
    says: 'entry 1: has an unknown key',
  },
  {
    why: 'has no secret',
    receivers: [{ name: 'pager', url: pager.url }],
    says: 'entry 1 secretFile: is missing',
  },
  {
    why: 'has the name of another',
    receivers: [pager, pager],
    says: 'entry 2 name: is pager, as another one',
  },
  {
    why: 'is on another host',
    receivers: [{ ...pager, url: 'https://evil.example/' }],
    says: 'notify.hosts does not name',
  },
  {
    why: 'has no TLS',
    receivers: [{ ...pager, url: 'http://hooks.example.com/a' }],
    says: 'notify.privateAddresses has to allow',
  },
  {
    why: 'has a password in its address',
    receivers: [{ ...pager, url: 'https://a:b@hooks.example.com/' }],
    says: 'entry 1 url: has to be',
  },
];

for (const { why, receivers, says } of refused) {
  test(`a receiver stops the start when it ${why}`, () => {
    expect(refusal(receivers)).toContain(says);
  });
}

test('no refusal shows the address of a channel', () => {
  const message = refusal([{ ...chat, events: ['NO'] }, { [chat.url]: true }]);

  expect(message).toContain('entry 1 events entry 1: has to be a type');
  expect(message).not.toContain(SECRET_PATH);
});
