import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { listIds, parse as parseBody } from './dialect-test-support.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const parse = (body: object) => {
  const parsed = parseBody(body, groupSchema);
  return { ...parsed, members: listIds(parsed, 'members'), admins: listIds(parsed, 'admins') };
};

test('a clean body needs no repair', () => {
  const parsed = parse({
    schemas: [core, GROUP_EXTENSION],
    displayName: 'Board',
    externalId: 'e1',
    members: [{ value: 'u1', type: 'User' }],
    [GROUP_EXTENSION]: { permissions: 16, admins: [{ value: 'u2' }] },
  });
  expect(parsed).toMatchObject({
    attributes: { displayName: 'Board', externalId: 'e1', [GROUP_EXTENSION]: { permissions: 16 } },
    mentioned: new Set([
      'displayName',
      'externalId',
      GROUP_EXTENSION,
      `${GROUP_EXTENSION}:permissions`,
      `${GROUP_EXTENSION}:admins`,
      'members',
    ]),
    members: ['u1'],
    admins: ['u2'],
    leftOut: [],
    counts: {},
  });
});

test('parts that are not taken are counted', () => {
  const { counts, mentioned } = parse({
    schemas: [core],
    displayName: 'Board',
    members: [{ value: 'u1', display: 'Ada', $ref: '../Users/u1', shoeSize: 42 }],
    'members.value': 'u2',
    'admins[value eq "u3"]': {},
    [GROUP_EXTENSION]: {},
  });

  expect(counts).toEqual({
    'read-only-dropped': 1,
    'unknown-attribute-dropped': 3,
    'name-spelling': 1,
  });
  expect(mentioned).toContain('members');
});

test('a part of the members alone mentions no list', () => {
  const { mentioned, members } = parse({ displayName: 'Board', 'members.value': 'u2' });

  expect({ mentioned: [...mentioned], members }).toEqual({
    mentioned: ['displayName'],
    members: undefined,
  });
});

describe('members', () => {
  const cases = [
    { why: 'not spoken of', body: {}, want: undefined },
    { why: 'an empty list', body: { members: [] }, want: [] },
    { why: 'null', body: { members: null }, want: [] },
    { why: 'one object', body: { members: { value: 'u1' } }, want: ['u1'] },
    { why: 'texts', body: { members: ['u1', 'u2'] }, want: ['u1', 'u2'] },
    { why: 'numbers', body: { members: [{ value: 7 }] }, want: ['7'] },
    { why: 'twice the same', body: { members: ['u1', { value: 'u1' }] }, want: ['u1'] },
    { why: 'odd case', body: { Members: [{ Value: 'u1', $ref: null }] }, want: ['u1'] },
    { why: 'a text of JSON', body: { members: '[{"value":"u1"}]' }, want: ['u1'] },
    { why: 'texts of JSON', body: { members: ['{"value":"u1"}'] }, want: ['u1'] },
    { why: 'a list in an object', body: { members: { members: ['u1'] } }, want: ['u1'] },
    { why: 'an address alone', body: { members: [{ $ref: '../Users/u1' }] }, want: ['u1'] },
    { why: 'users by type', body: { members: [{ value: 'u1', type: 'User' }] }, want: ['u1'] },
    {
      why: 'an attempt to inject a filter',
      body: { members: [{ value: 'x" or value pr or value eq "' }] },
      want: ['x" or value pr or value eq "'],
    },
  ];
  for (const { why, body, want } of cases) {
    test(why, () => {
      const { members } = parse({ displayName: 'Board', ...body });
      expect(members).toEqual(want);
    });
  }
});

const refused = [
  { why: 'no displayName', body: { members: [] } },
  { why: 'a blank displayName', body: { displayName: '' } },
  { why: 'a member without an id', body: { displayName: 'B', members: [{ display: 'Ada' }] } },
  { why: 'a broken text of JSON', body: { displayName: 'B', members: '[{"value":"u1"' } },
  { why: 'a member that is null', body: { displayName: 'B', members: [null] } },
  { why: 'an id that is an object', body: { displayName: 'B', members: [{ value: { x: 1 } }] } },
  {
    why: 'permissions that are no number',
    body: { displayName: 'B', [GROUP_EXTENSION]: { permissions: 'all' } },
  },
];

for (const { why, body } of refused) {
  test(`a group is refused: ${why}`, () => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidValue' }),
    );
  });
}

test("Microsoft's marker schema is counted and does no harm", () => {
  const marker = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group';
  const { attributes, counts } = parse({ schemas: [core, marker], displayName: 'B' });
  expect(attributes).toEqual({ displayName: 'B' });
  expect(counts).toEqual({ 'schemas-unknown': 1 });
});

test('an id that is called __proto__ is only an id', () => {
  const { members } = parse({
    displayName: 'B',
    members: JSON.parse('[{"value":"__proto__","__proto__":{"x":1}}]'),
  });
  expect(members).toEqual(['__proto__']);
  expect({}).not.toHaveProperty('x');
});
