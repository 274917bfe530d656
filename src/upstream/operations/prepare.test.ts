import { describe, expect, test } from 'vitest';
import type { Operation } from './operation.ts';
import { companyUsers, groupUsers } from './people.ts';
import { compileOperation } from './prepare.ts';
import { scim } from './scim.ts';

const listing = {
  id: 'x.list',
  api: 'rest',
  method: 'GET',
  path: '/x',
  query: { ids: 'integer[]', conditions: 'string[]', filters: 'object', word: "'a' | 'b'" },
  queryStyle: { conditions: 'brackets', filters: 'json' },
  response: { kind: 'array', fields: [] },
  repeat: 'safe',
  section: 'users',
  about: 'A test.',
  source: 'test',
} as const satisfies Operation;

const sent: { why: string; row: Operation; args: unknown; path: string; body?: string }[] = [
  {
    why: 'path values are encoded',
    row: groupUsers.addUserToGroup,
    args: { path: { group_uid: 'a/b?c#d é' }, body: { user_id: 7 } },
    path: '/api/groups/a%2Fb%3Fc%23d%20%C3%A9/users',
    body: '{"user_id":7}',
  },
  {
    why: 'null is sent where it is allowed, undefined never',
    row: groupUsers.addUserToGroup,
    args: {
      path: { group_uid: 'g' },
      body: { user_id: 7, operator_comment: null, request_id: undefined },
    },
    path: '/api/groups/g/users',
    body: '{"user_id":7,"operator_comment":null}',
  },
  {
    why: 'a query is encoded, undefined left out, lists joined with commas',
    row: companyUsers.getListOfUsers,
    args: {
      query: {
        limit: 1,
        query: 'a&b=c d',
        only_paid: false,
        offset: undefined,
        group_ids: [1, 'x'],
      },
    },
    path: '/api/company/users?limit=1&query=a%26b%3Dc%20d&only_paid=false&group_ids=1%2Cx',
  },
  {
    why: 'a row says how its lists and objects travel',
    row: listing,
    args: { query: { ids: [1, 2], conditions: ['a', 'b'], filters: { a: [1] }, word: 'b' } },
    path: '/api/x?ids=1%2C2&conditions%5B%5D=a&conditions%5B%5D=b&filters=%7B%22a%22%3A%5B1%5D%7D&word=b',
  },
  {
    why: 'base64 of JSON for an object, text as it is',
    row: {
      ...listing,
      query: { filter: 'string | object', given: 'string | object' },
      queryStyle: { filter: 'base64-json', given: 'base64-json' },
    },
    args: { query: { filter: { key: 'é' }, given: 'eyJ9' } },
    path: '/api/x?filter=eyJrZXkiOiLDqSJ9&given=eyJ9',
  },
  {
    why: 'all optional: nothing',
    row: companyUsers.getListOfUsers,
    args: {},
    path: '/api/company/users',
  },
];
describe('what is sent', () => {
  test.each(sent)('$why', ({ row, args, path, body }) => {
    expect(compileOperation(row, '/api')(args)).toEqual({ path, body });
  });
});

const member = { group_uid: 'g' };
const refused: readonly [row: Operation, args: unknown, message: RegExp][] = [
  [scim.addUser, undefined, /must be an object/],
  [scim.addUser, {}, /body\.emails is missing/],
  [scim.getUser, {}, /path\.user_id is missing/],
  [scim.getUser, { path: { user_id: 1 }, params: {} }, /unknown part params/],
  [scim.addGroup, { body: { displayName: 'x', members: [] } }, /body\.members is unknown/],
  [scim.addGroup, { body: { displayName: 'x', constructor: 1 } }, /body\.constructor is unknown/],
  [scim.getUser, { path: { user_id: '1' } }, /path\.user_id must be number/],
  [groupUsers.addUserToGroup, { path: member, body: { user_id: 1.5 } }, /must be integer/],
  [scim.addGroup, { body: { displayName: null } }, /must be string/],
  [listing, { query: { word: 'c' } }, /query\.word must be 'a' \| 'b'/],
  [groupUsers.getListOfGroupUsers, { path: { group_uid: '' } }, /cannot be part of a path/],
  [groupUsers.getListOfGroupUsers, { path: { group_uid: '..' } }, /cannot be part of a path/],
];
for (const [row, args, message] of refused) {
  test(`refused before anything is sent: ${row.id} with ${JSON.stringify(args)}`, () => {
    const prepare = compileOperation(row, '');
    expect(() => prepare(args)).toThrow(TypeError);
    expect(() => prepare(args)).toThrow(message);
  });
}

test('an error names the parameter and never its value', () => {
  const prepare = compileOperation(scim.addGroup, '');
  expect(() => prepare({ body: { displayName: { secret: 'x' } } })).toThrow(
    'scim.addGroup: body.displayName must be string',
  );
});

test('a type that does not exist is a mistake in the row', () => {
  expect(() => compileOperation({ ...listing, query: { a: 'strng' } }, '')).toThrow(/strng/);
});
