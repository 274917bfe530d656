import { expect, test } from 'vitest';
import { createMention, listPersonalNames } from './erasure.ts';

test('a person may be called by every name and address, also as the service holds them', () => {
  const attributes = {
    userName: 'ada',
    displayName: 'Countess',
    name: { givenName: 'Al', formatted: 'Ada King' },
    emails: [{ value: 'ada@example.com' }, { type: 'home' }],
    title: 'Analyst',
  };
  const observed = { userName: 'ada.l', fullName: 'Augusta Ada' };

  expect(listPersonalNames(attributes, observed)).toEqual([
    ...['ada', 'Countess', 'Ada King', 'ada@example.com', 'ada.l', 'Augusta Ada'],
  ]);
  expect(listPersonalNames({}, null)).toEqual([]);
});

const names = ['ada@example.com', 'Ada Lovelace', 'C++ (Ada)'];
test.each([
  { text: 'ADA@Example.com was invited', want: true, why: 'in any case' },
  { text: '{"email":"ada@example.com"}', want: true, why: 'inside JSON' },
  { text: 'by Ada Lovelace, twice', want: true, why: 'two words' },
  { text: 'nada@example.com', want: false, why: 'as a part of another address' },
  { text: 'Ada Lovelaces', want: false, why: 'as a part of another word' },
  { text: 'Ada', want: false, why: 'half of a name' },
  { text: 'C++ (Ada)', want: true, why: 'with signs of a pattern' },
])('a name is found $why: $want', ({ text, want }) =>
  expect(createMention(names)(text)).toBe(want),
);

test('nobody is found without a name', () => expect(createMention([])('anything')).toBe(false));
