import { expect, test } from 'vitest';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { listEventNames, listMessageWords } from './event-names.ts';

const toEvent = (change: object) =>
  parseAuditEvent({
    id: 'e1',
    created: '2026-04-01T12:00:00.000Z',
    category: 'user_management',
    action: 'deactivate',
    ...change,
  });

const cases = [
  {
    why: 'an object, whatever its keys are called',
    event: { details: { user_id: 7, target: { email: 'ada@example.com' } } },
    names: ['7', 'ada@example.com'],
  },
  { why: 'JSON text', event: { details: '{"ids":[7,"g-1"]}' }, names: ['7', 'g-1'] },
  { why: 'a text that is no JSON', event: { details: 'Pilots' }, names: ['Pilots'] },
  { why: 'the message', event: { message: 'Pilots', details: null }, names: ['Pilots'] },
  {
    why: 'a message, among other words',
    event: {
      message: `User "Ada B" (ada@example.com, 7) left 'Pilots' 0f8fad5b-d9cb-469f-a165-70867728950e.`,
      details: null,
    },
    names: [
      `User "Ada B" (ada@example.com, 7) left 'Pilots' 0f8fad5b-d9cb-469f-a165-70867728950e.`,
      'Ada B',
      'ada@example.com',
      '7',
      'Pilots',
      '0f8fad5b-d9cb-469f-a165-70867728950e',
    ],
  },
  {
    why: 'JSON text within an object',
    event: { details: { body: '{"id":"g-1"}' } },
    names: ['g-1'],
  },
  { why: 'nothing', event: { details: null }, names: [] },
  {
    why: 'nothing that is deeper or longer than anybody needs',
    event: { details: { a: { b: { c: { d: { e: 'deep' } } } }, long: 'x'.repeat(1_000) } },
    names: [],
  },
];

test.each(cases)('an event may name what it is about in $why', ({ event, names }) => {
  expect([...listEventNames(toEvent(event)).keys()]).toEqual(names);
});

test('an event with a thousand values costs no more than one with two hundred', () => {
  const details = Array.from({ length: 1_000 }, (_, index) => index);

  expect(listEventNames(toEvent({ details })).size).toBe(200);
});

const numbers = [
  { why: 'a key that speaks of groups', details: { group_id: 7 }, want: ['group'] },
  { why: 'a key that speaks of people', details: { member: { id: '7' } }, want: ['user'] },
  { why: 'a key that speaks of both', details: { group_member: 7 }, want: ['user', 'group'] },
  {
    why: 'the innermost key that speaks of one',
    details: { group: { user_id: 7 } },
    want: ['user'],
  },
  { why: 'a type beside it', details: { target: { type: 'group', id: 7 } }, want: ['group'] },
  { why: 'a key that says nothing', details: { id: 7 }, want: ['user', 'group'] },
  { why: 'keys of each', details: { group_id: 7, user_id: 7 }, want: ['group', 'user'] },
];
test.each(numbers)('a number can be the id of whom $why tells', ({ details, want }) => {
  expect([...(listEventNames(toEvent({ details })).get('7') ?? [])]).toEqual(want);
});

test('a number of the message is of whom the details tell, where they have it', () => {
  const names = listEventNames(toEvent({ details: { group_id: 7 }, message: 'Group 7, by 8' }));

  expect([...(names.get('7') ?? [])]).toEqual(['group']);
  expect([...(names.get('8') ?? [])]).toEqual(['user', 'group']);
});

test('a name can be anything, whatever it stands under', () => {
  const names = listEventNames(toEvent({ details: { group_name: 'Ada' } }));

  expect([...(names.get('Ada') ?? [])]).toEqual(['user', 'group']);
});

test('the words of a message can be a name together', () => {
  const words = listMessageWords({ message: 'Group North Pole was deleted.' });

  expect([...words.keys()]).toEqual(expect.arrayContaining(['North Pole', 'Group', 'deleted']));
});
