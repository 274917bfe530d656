import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../domain/values.ts';
import type { QueryParameters } from '../http/address.ts';
import { core, enterprise, groupSchema, refused, userSchema } from '../scim-test-support.ts';
import { isIncluded, parseProjection, project } from './projection.ts';

const ada: JsonObject = {
  schemas: [core, enterprise],
  id: 'a1',
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'a@x.example', type: 'work' }, { value: 'b@x.example' }],
  [enterprise]: { department: 'R&D', manager: { value: 'm1', displayName: 'Max' } },
};
const { schemas, id } = ada;
const addresses = [{ value: 'a@x.example' }, { value: 'b@x.example' }];
const only = (rest: object) => ({ schemas, id, ...rest });

const named = { userName: 'ada' };
const [given, family] = [{ givenName: 'Ada' }, { familyName: 'Lovelace' }];
const lacking = `userName,name.middleName,emails.display,${enterprise}:costCenter`;
const ofManager = { ...named, [enterprise]: { manager: { value: 'm1' } } };

const asked: readonly (readonly [why: string, attributes: unknown, shown: object])[] = [
  ['names in any case', 'USERNAME', named],
  ['several, with white space', 'userName, name.givenName', { ...named, name: given }],
  ['parts of the elements of a list', 'emails.value', { emails: addresses }],
  ['the whole wins over its part', 'name.givenName,name,name.familyName', { name: ada.name }],
  ['names qualified by a URN', `${core}:userName,${enterprise}:manager.value`, ofManager],
  ['a whole extension', enterprise, { [enterprise]: ada[enterprise] }],
  ['the whole core schema', core, { ...named, name: ada.name, emails: ada.emails }],
  ['parts that an attribute has not, which leave nothing of it', lacking, named],
  ['elements that have the part', 'emails.type', { emails: [{ type: 'work' }] }],
  ['unknown names ask for nothing', 'shoeSize', {}],
  ['a name with a filter is an unknown one', 'userName,emails[type eq "work"].value', named],
  ['the prototype is no attribute', '__proto__.x', {}],
  ['a list of a search body', ['id', 'userName'], named],
];

const cases: readonly (readonly [why: string, query: QueryParameters, want: unknown])[] = [
  ...asked.map(([why, attributes, shown]) => [why, { attributes }, only(shown)] as const),
  ['nothing asked for is everything', {}, ada],
  ['blank parameters are not there', { attributes: ' ', excludedAttributes: '' }, ada],
  [
    'some left out',
    { excludedAttributes: `emails,name.familyName,${enterprise}` },
    only({ ...named, name: given }),
  ],
  ['what a resource is cannot be left out', { excludedAttributes: 'id,schemas' }, ada],
  [
    'both',
    { attributes: 'name,userName', excludedAttributes: 'name.givenName' },
    only({ ...named, name: family }),
  ],
];

for (const [why, query, want] of cases) {
  test(`projection: ${why}`, () => {
    expect(project(ada, parseProjection(query, userSchema))).toEqual(want);
  });
}

test('names that are no texts are refused', () => {
  const parse = () => parseProjection({ attributes: { a: 1 } }, userSchema);
  expect(parse).toThrow(refused('invalidValue'));
});

describe('a group whose members are not asked for needs no members loaded', () => {
  const isLoaded = (query: QueryParameters) =>
    isIncluded(parseProjection(query, groupSchema), 'members');
  const queries = [
    { query: {}, want: true },
    { query: { excludedAttributes: 'members' }, want: false },
    { query: { excludedAttributes: 'members.display' }, want: true },
    { query: { attributes: 'displayName' }, want: false },
    { query: { attributes: 'members.value' }, want: true },
  ];
  for (const { query, want } of queries)
    test(`${JSON.stringify(query)}: ${want}`, () => expect(isLoaded(query)).toBe(want));
});

test('a projection leaves the resource alone', () => {
  const before = structuredClone(ada);
  project(ada, parseProjection({ excludedAttributes: 'name.givenName' }, userSchema));
  expect(ada).toEqual(before);
});

test('a parameter of more than 100,000 characters or 1,000 names is refused', () => {
  const read = (attributes: unknown) => () => parseProjection({ attributes }, userSchema);

  expect(read('title,'.repeat(1_000))).not.toThrow();
  expect(read('title,'.repeat(1_001))).toThrow(refused('invalidValue'));
  expect(read(','.repeat(99_999))).not.toThrow();
  expect(read(','.repeat(100_001))).toThrow(refused('invalidValue'));
  expect(read(Array(100_001).fill(''))).toThrow(refused('invalidValue'));
});
