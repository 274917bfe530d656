import { expect, test } from 'vitest';
import { toVersions } from './cell-test-support.ts';
import { NEW_LINK, writeLink } from './link.ts';
import { type ObservedUser, toDesiredUser, type UserState } from './user.ts';
import { userId } from './values.ts';
import { toCellsAfterWrite } from './write.ts';

const attributes = {
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
};
const observed: ObservedUser = {
  userName: 'ada@example.com',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  active: true,
  at: 1,
  by: 'scim.getUser',
};
const settled: UserState = {
  id: userId('u'),
  upstreamId: 7,
  desired: toDesiredUser(attributes, false),
  observed,
  cells: {},
  version: 8,
  deleted: false,
  mustLook: false,
  sentCreates: [],
};

test.each([
  { why: 'nothing where the service holds it all', mustLook: false, want: {} },
  {
    why: 'everything that it names while a call may change it',
    mustLook: true,
    want: { active: 9, name: 9 },
  },
])('a write of a user makes wait: $why', ({ mustLook, want }) => {
  const cells = toCellsAfterWrite({
    state: { ...settled, mustLook },
    cells: {},
    attributes,
    fields: ['active', 'name'],
    version: 9,
    deactivation: 'scim',
  });

  expect(toVersions(cells)).toEqual(want);
});

test('a write of a list makes somebody wait whom a call may change', () => {
  const others = { ...NEW_LINK, observed: 1 };

  const after = writeLink(others, { wanted: true, version: 9, isUnsure: true });

  expect(after).toMatchObject({ desired: 1, observed: 1, pending: 9 });
});
