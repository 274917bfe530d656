import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';
import { isIncluded, parseProjection, project } from './projection.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const ada: JsonObject = {
  schemas: [core, enterprise],
  id: 'a1',
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'a@x.example', type: 'work' }, { value: 'b@x.example' }],
  [enterprise]: { department: 'R&D', manager: { value: 'm1', displayName: 'Max' } },
};
const { schemas, id } = ada;

const cases = [
  { why: 'nothing asked for is everything', query: {}, want: ada },
  {
    why: 'blank parameters are not there',
    query: { attributes: ' ', excludedAttributes: '' },
    want: ada,
  },
  {
    why: 'names in any case',
    query: { attributes: 'USERNAME' },
    want: { schemas, id, userName: 'ada' },
  },
  {
    why: 'several, with white space',
    query: { attributes: 'userName, name.givenName' },
    want: { schemas, id, userName: 'ada', name: { givenName: 'Ada' } },
  },
  {
    why: 'parts of the elements of a list',
    query: { attributes: 'emails.value' },
    want: { schemas, id, emails: [{ value: 'a@x.example' }, { value: 'b@x.example' }] },
  },
  {
    why: 'the whole wins over its part',
    query: { attributes: 'name.givenName,name,name.familyName' },
    want: { schemas, id, name: ada.name },
  },
  {
    why: 'names qualified by a URN',
    query: { attributes: `${core}:userName,${enterprise}:manager.value` },
    want: { schemas, id, userName: 'ada', [enterprise]: { manager: { value: 'm1' } } },
  },
  {
    why: 'a whole extension',
    query: { attributes: enterprise },
    want: { schemas, id, [enterprise]: ada[enterprise] },
  },
  {
    why: 'the whole core schema',
    query: { attributes: core },
    want: { schemas, id, userName: 'ada', name: ada.name, emails: ada.emails },
  },
  {
    why: 'parts that an attribute has not, which leave nothing of it',
    query: { attributes: `userName,name.middleName,emails.display,${enterprise}:costCenter` },
    want: { schemas, id, userName: 'ada' },
  },
  {
    why: 'elements that have the part',
    query: { attributes: 'emails.type' },
    want: { schemas, id, emails: [{ type: 'work' }] },
  },
  {
    why: 'unknown names ask for nothing',
    query: { attributes: 'shoeSize' },
    want: { schemas, id },
  },
  {
    why: 'a name with a filter is an unknown one',
    query: { attributes: 'userName,emails[type eq "work"].value' },
    want: { schemas, id, userName: 'ada' },
  },
  {
    why: 'the prototype is no attribute',
    query: { attributes: '__proto__.x' },
    want: { schemas, id },
  },
  {
    why: 'a list of a search body',
    query: { attributes: ['id', 'userName'] },
    want: { schemas, id, userName: 'ada' },
  },
  {
    why: 'some left out',
    query: { excludedAttributes: `emails,name.familyName,${enterprise}` },
    want: { schemas, id, userName: 'ada', name: { givenName: 'Ada' } },
  },
  {
    why: 'what a resource is cannot be left out',
    query: { excludedAttributes: 'id,schemas' },
    want: ada,
  },
  {
    why: 'both',
    query: { attributes: 'name,userName', excludedAttributes: 'name.givenName' },
    want: { schemas, id, userName: 'ada', name: { familyName: 'Lovelace' } },
  },
];

for (const { why, query, want } of cases) {
  test(`projection: ${why}`, () => {
    expect(project(ada, parseProjection(query, userSchema))).toEqual(want);
  });
}

test('names that are no texts are refused', () => {
  expect(() => parseProjection({ attributes: { a: 1 } }, userSchema)).toThrow(
    expect.objectContaining({ status: 400, scimType: 'invalidValue' }),
  );
});

describe('a group whose members are not asked for needs no members loaded', () => {
  const isLoaded = (query: object) => isIncluded(parseProjection(query, groupSchema), 'members');
  const queries = [
    { query: {}, want: true },
    { query: { excludedAttributes: 'members' }, want: false },
    { query: { excludedAttributes: 'members.display' }, want: true },
    { query: { attributes: 'displayName' }, want: false },
    { query: { attributes: 'members.value' }, want: true },
  ];
  for (const { query, want } of queries) {
    test(`${JSON.stringify(query)}: ${want}`, () => expect(isLoaded(query)).toBe(want));
  }
});

test('a projection leaves the resource alone', () => {
  const before = structuredClone(ada);
  project(ada, parseProjection({ excludedAttributes: 'name.givenName' }, userSchema));
  expect(ada).toEqual(before);
});

test('a parameter of more than 100,000 characters or 1,000 names is refused', () => {
  const read = (attributes: unknown) => () => parseProjection({ attributes }, userSchema);
  const refusal = { status: 400, scimType: 'invalidValue' };

  expect(read('title,'.repeat(1_000))).not.toThrow();
  expect(read('title,'.repeat(1_001))).toThrow(expect.objectContaining(refusal));
  expect(read(','.repeat(99_999))).not.toThrow();
  expect(read(','.repeat(100_001))).toThrow(expect.objectContaining(refusal));
  expect(read(Array(100_001).fill(''))).toThrow(expect.objectContaining(refusal));
});
