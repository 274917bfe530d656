import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { applyUserPatch } from './apply-user-patch.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const repairs = { count: () => {} };

function patch(attributes: JsonObject, operations: unknown): JsonObject {
  return applyUserPatch(attributes, parsePatch({ Operations: operations }, userSchema, repairs));
}

const ada: JsonObject = {
  userName: 'ada@x.example',
  active: true,
  title: 'Countess',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  [enterprise]: { department: 'R&D', manager: { value: 'm1', $ref: 'http://x/m1' } },
};
const [work = {}, home = {}] = [
  { value: 'ada@work.example', type: 'work', primary: true },
  { value: 'ada@home.example', type: 'home' },
];

/** `want`: the attributes that differ afterwards; undefined: it is gone. */
const cases: { why: string; ops: object[]; want: Record<string, unknown> }[] = [
  {
    why: 'replace of one value',
    ops: [{ op: 'replace', path: 'title', value: 'T' }],
    want: { title: 'T' },
  },
  {
    why: 'add of one value',
    ops: [{ op: 'Add', path: 'nickName', value: 'Babs' }],
    want: { nickName: 'Babs' },
  },
  {
    why: 'remove of one value',
    ops: [{ op: 'remove', path: 'title' }],
    want: { title: undefined },
  },
  {
    why: 'remove with a needless value',
    ops: [{ op: 'remove', path: 'title', value: 'x' }],
    want: { title: undefined },
  },
  { why: 'remove of what is not there', ops: [{ op: 'remove', path: 'nickName' }], want: {} },
  {
    why: 'null unassigns',
    ops: [{ op: 'replace', path: 'title', value: null }],
    want: { title: undefined },
  },
  {
    why: '"" unassigns',
    ops: [{ op: 'replace', path: 'title', value: '' }],
    want: { title: undefined },
  },
  {
    why: 'a name in odd case',
    ops: [{ op: 'replace', path: 'DisplayName', value: 'A' }],
    want: { displayName: 'A' },
  },
  {
    why: 'a path with the core URN',
    ops: [{ op: 'replace', path: `${core}:title`, value: 'T' }],
    want: { title: 'T' },
  },
  {
    why: 'a scalar in an array',
    ops: [{ op: 'replace', path: 'name.givenName', value: ['X'] }],
    want: { name: { givenName: 'X', familyName: 'Lovelace' } },
  },
  {
    why: 'active as text',
    ops: [{ op: 'Replace', path: 'active', value: 'False' }],
    want: { active: false },
  },
  {
    why: 'active that is blank switches nothing',
    ops: [{ op: 'replace', path: 'active', value: '' }],
    want: {},
  },
  { why: 'active cannot be removed', ops: [{ op: 'remove', path: 'active' }], want: {} },
  {
    why: 'pathless',
    ops: [{ op: 'replace', value: { active: false, id: 'x', password: 'p' } }],
    want: { active: false },
  },
  {
    why: 'pathless in an array',
    ops: [{ op: 'replace', value: [{ active: false }] }],
    want: { active: false },
  },
  {
    why: 'pathless with an empty path',
    ops: [{ op: 'replace', path: '', value: { title: 'T' } }],
    want: { title: 'T' },
  },
  {
    why: 'member names in odd case',
    ops: [{ Op: 'Replace', Path: 'title', Value: 'T' }],
    want: { title: 'T' },
  },
  {
    why: 'replace of an object merges',
    ops: [{ op: 'replace', path: 'name', value: { familyName: 'King' } }],
    want: { name: { givenName: 'Ada', familyName: 'King' } },
  },
  {
    why: 'null in an object unassigns that part',
    ops: [{ op: 'replace', path: 'name', value: { familyName: null, middleName: 'B' } }],
    want: { name: { givenName: 'Ada', middleName: 'B' } },
  },
  {
    why: 'pathless merges objects too',
    ops: [{ op: 'replace', value: { name: { familyName: 'King' } } }],
    want: { name: { givenName: 'Ada', familyName: 'King' } },
  },
  {
    why: 'dotted keys',
    ops: [{ op: 'replace', value: { 'name.familyName': 'King', 'name.formatted': 'Ada King' } }],
    want: { name: { givenName: 'Ada', familyName: 'King', formatted: 'Ada King' } },
  },
  {
    why: 'removing the parts one by one removes the object',
    ops: [
      { op: 'remove', path: 'name.givenName' },
      { op: 'remove', path: 'name.familyName' },
    ],
    want: { name: undefined },
  },
  { why: 'remove of an object', ops: [{ op: 'remove', path: 'name' }], want: { name: undefined } },
  {
    why: 'operations in order',
    ops: [
      { op: 'remove', path: 'externalId' },
      { op: 'add', path: 'externalId', value: 'a' },
      { op: 'replace', path: 'externalId', value: 'b' },
    ],
    want: { externalId: 'b' },
  },

  {
    why: 'a filtered value',
    ops: [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'n@x' }],
    want: { emails: [{ ...work, value: 'n@x' }, home] },
  },
  {
    why: 'a filtered value as a key',
    ops: [{ op: 'replace', value: { 'emails[type eq "work"].value': 'n@x', title: 'T' } }],
    want: { title: 'T', emails: [{ ...work, value: 'n@x' }, home] },
  },
  {
    why: 'a filtered value with the core URN',
    ops: [{ op: 'replace', path: `${core}:emails[type eq "work"].value`, value: 'n@x' }],
    want: { emails: [{ ...work, value: 'n@x' }, home] },
  },
  {
    why: 'replace makes the element that a filter names',
    ops: [{ op: 'replace', path: 'phoneNumbers[type eq "mobile"].value', value: '1' }],
    want: { phoneNumbers: [{ type: 'mobile', value: '1' }] },
  },
  {
    why: 'add makes it too',
    ops: [{ op: 'Add', path: 'addresses[type eq "work"].country', value: 'Belize' }],
    want: { addresses: [{ type: 'work', country: 'Belize' }] },
  },
  {
    why: 'several operations on one absent element make one',
    ops: [
      { op: 'add', path: 'roles[primary eq "True"].display', value: 'D' },
      { op: 'add', path: 'roles[primary eq "True"].value', value: 'V' },
      { op: 'add', path: 'roles[primary eq "True"].type', value: 'T' },
    ],
    want: { roles: [{ primary: true, display: 'D', value: 'V', type: 'T' }] },
  },
  {
    why: 'primary first, value later',
    ops: [
      { op: 'add', path: 'phoneNumbers[type eq "fax"].primary', value: 'True' },
      { op: 'add', path: 'phoneNumbers[type eq "fax"].value', value: '2' },
    ],
    want: { phoneNumbers: [{ type: 'fax', primary: true, value: '2' }] },
  },
  {
    why: 'an element made by two conditions',
    ops: [{ op: 'add', path: 'ims[type eq "xmpp" and primary eq true].value', value: 'i' }],
    want: { ims: [{ type: 'xmpp', primary: true, value: 'i' }] },
  },
  {
    why: 'an element that never gets a value does not stay',
    ops: [{ op: 'add', path: 'phoneNumbers[type eq "fax"].primary', value: true }],
    want: {},
  },
  {
    why: 'an object for the filtered element merges',
    ops: [{ op: 'replace', path: 'emails[type eq "home"]', value: { display: 'H' } }],
    want: { emails: [work, { ...home, display: 'H' }] },
  },
  {
    why: 'a text for the filtered element is its value',
    ops: [{ op: 'replace', path: 'emails[type eq "home"]', value: 'h@x' }],
    want: { emails: [work, { ...home, value: 'h@x' }] },
  },
  {
    why: 'an object for an absent element',
    ops: [{ op: 'add', path: 'emails[type eq "other"]', value: { value: 'o@x' } }],
    want: { emails: [work, home, { type: 'other', value: 'o@x' }] },
  },
  {
    why: 'a blank filtered value drops the element',
    ops: [{ op: 'replace', path: 'emails[type eq "work"].value', value: '' }],
    want: { emails: [home] },
  },
  {
    why: 'null likewise, and the last one takes the list along',
    ops: [
      { op: 'replace', path: 'emails[type eq "work"].value', value: null },
      { op: 'remove', path: 'emails[type eq "home"]' },
    ],
    want: { emails: undefined },
  },
  {
    why: 'a blank value of an absent element makes none',
    ops: [{ op: 'replace', path: 'ims[type eq "xmpp"].value', value: '' }],
    want: {},
  },
  {
    why: 'a bracket inside a text',
    ops: [{ op: 'add', path: 'roles[value eq "a\\"]b"].display', value: 'D' }],
    want: { roles: [{ value: 'a"]b', display: 'D' }] },
  },
  {
    why: 'remove by filter',
    ops: [{ op: 'Remove', path: 'emails[type eq "work"]' }],
    want: { emails: [home] },
  },
  {
    why: 'remove by a filter that finds nothing',
    ops: [{ op: 'remove', path: 'emails[type eq "other"]' }],
    want: {},
  },
  {
    why: 'remove of a part by filter',
    ops: [{ op: 'remove', path: 'emails[type eq "work"].primary' }],
    want: { emails: [{ value: work.value, type: 'work' }, home] },
  },
  {
    why: 'a part of all elements',
    ops: [{ op: 'replace', path: 'emails.display', value: 'D' }],
    want: {
      emails: [
        { ...work, display: 'D' },
        { ...home, display: 'D' },
      ],
    },
  },
  {
    why: 'a part of a list that is empty makes an element',
    ops: [{ op: 'add', path: 'ims.value', value: 'i' }],
    want: { ims: [{ value: 'i' }] },
  },
  {
    why: 'primary moves',
    ops: [{ op: 'replace', path: 'emails[type eq "home"].primary', value: 'true' }],
    want: {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  },
  {
    why: 'a part that cannot be held is dropped',
    ops: [{ op: 'replace', path: 'emails[type eq "home"].primary', value: 'maybe' }],
    want: {},
  },

  {
    why: 'add to a list',
    ops: [{ op: 'add', path: 'emails', value: [{ value: 'o@x', type: 'other' }] }],
    want: { emails: [work, home, { value: 'o@x', type: 'other' }] },
  },
  {
    why: 'add of one object to a list',
    ops: [{ op: 'add', path: 'emails', value: { value: 'o@x' } }],
    want: { emails: [work, home, { value: 'o@x' }] },
  },
  {
    why: 'add of what is there',
    ops: [
      { op: 'add', path: 'emails', value: [work, { value: 'ADA@home.example', type: 'home' }] },
    ],
    want: { emails: [work, { ...home, value: 'ADA@home.example' }] },
  },
  {
    why: 'add of a new primary',
    ops: [{ op: 'add', path: 'emails', value: [{ value: 'o@x', primary: true }] }],
    want: { emails: [{ ...work, primary: false }, home, { value: 'o@x', primary: true }] },
  },
  {
    why: 'pathless add to a list',
    ops: [{ op: 'add', value: { emails: [{ value: 'o@x' }] } }],
    want: { emails: [work, home, { value: 'o@x' }] },
  },
  {
    why: 'add of an empty list adds nothing',
    ops: [{ op: 'add', path: 'emails', value: [] }],
    want: {},
  },
  {
    why: 'replace of a list',
    ops: [{ op: 'replace', path: 'emails', value: [{ value: 'o@x' }] }],
    want: { emails: [{ value: 'o@x' }] },
  },
  {
    why: 'pathless replace of a list replaces it',
    ops: [{ op: 'replace', value: { emails: [{ value: 'o@x' }] } }],
    want: { emails: [{ value: 'o@x' }] },
  },
  {
    why: 'replace of a list by none',
    ops: [{ op: 'replace', path: 'emails', value: [] }],
    want: { emails: undefined },
  },
  { why: 'remove of a list', ops: [{ op: 'remove', path: 'emails' }], want: { emails: undefined } },
  {
    why: 'remove of given values only',
    ops: [{ op: 'remove', path: 'emails', value: [{ value: 'ADA@work.example' }] }],
    want: { emails: [home] },
  },
  {
    why: 'remove of a given value for another use',
    ops: [{ op: 'remove', path: 'emails', value: [{ value: 'ada@work.example', type: 'home' }] }],
    want: {},
  },
  { why: 'remove of no values', ops: [{ op: 'remove', path: 'emails', value: [] }], want: {} },
  {
    why: 'roles as JSON in texts',
    ops: [
      { op: 'Add', path: 'roles', value: [{ value: '{"id":"1","value":"A","displayName":"AA"}' }] },
    ],
    want: { roles: [{ value: 'A', display: 'AA' }] },
  },

  {
    why: 'an extension attribute',
    ops: [{ op: 'Add', path: `${enterprise}:department`, value: 'Retail' }],
    want: { [enterprise]: { department: 'Retail', manager: { value: 'm1', $ref: 'http://x/m1' } } },
  },
  {
    why: 'extension keys without a path',
    ops: [
      {
        op: 'replace',
        value: { [`${enterprise}:department`]: 'D', [`${enterprise}:division`]: 'V' },
      },
    ],
    want: {
      [enterprise]: {
        department: 'D',
        division: 'V',
        manager: { value: 'm1', $ref: 'http://x/m1' },
      },
    },
  },
  {
    why: 'an extension object without a path',
    ops: [{ op: 'add', value: { [enterprise]: { division: 'V' } } }],
    want: {
      [enterprise]: {
        department: 'R&D',
        division: 'V',
        manager: { value: 'm1', $ref: 'http://x/m1' },
      },
    },
  },
  {
    why: 'an extension as the path',
    ops: [{ op: 'replace', path: enterprise, value: { department: 'D' } }],
    want: { [enterprise]: { department: 'D', manager: { value: 'm1', $ref: 'http://x/m1' } } },
  },
  {
    why: 'remove of an extension',
    ops: [{ op: 'remove', path: enterprise }],
    want: { [enterprise]: undefined },
  },
  {
    why: 'null for an extension',
    ops: [{ op: 'replace', value: { [enterprise]: null } }],
    want: { [enterprise]: undefined },
  },
  { why: 'null for the core schema', ops: [{ op: 'replace', value: { [core]: null } }], want: {} },
  {
    why: 'the core schema with an object',
    ops: [{ op: 'replace', path: core, value: { title: 'T' } }],
    want: { title: 'T' },
  },
  {
    why: 'the manager as text',
    ops: [{ op: 'replace', path: `${enterprise}:manager`, value: 'm2' }],
    want: { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  },
  {
    why: 'the manager by its value',
    ops: [{ op: 'replace', path: `${enterprise}:manager.value`, value: 'm2' }],
    want: { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  },
  {
    why: 'the manager in an array, bare',
    ops: [{ op: 'Add', path: 'manager', value: [{ $ref: 'http://x/m2', value: 'm2' }] }],
    want: { [enterprise]: { department: 'R&D', manager: { value: 'm2', $ref: 'http://x/m2' } } },
  },
  {
    why: 'the manager cleared by ""',
    ops: [{ op: 'replace', path: `${enterprise}:manager`, value: '' }],
    want: { [enterprise]: { department: 'R&D' } },
  },
  {
    why: 'the manager cleared by null',
    ops: [{ op: 'replace', path: `${enterprise}:manager`, value: null }],
    want: { [enterprise]: { department: 'R&D' } },
  },
  {
    why: 'the manager cleared by a blank value',
    ops: [{ op: 'replace', path: `${enterprise}:manager`, value: { value: '' } }],
    want: { [enterprise]: { department: 'R&D' } },
  },
  {
    why: 'the manager cleared by its value',
    ops: [{ op: 'remove', path: `${enterprise}:manager.value` }],
    want: { [enterprise]: { department: 'R&D' } },
  },
  {
    why: 'an unknown extension is dropped',
    ops: [
      { op: 'replace', path: 'urn:acme:custom:2.0:User:size', value: 1 },
      { op: 'replace', path: 'title', value: 'T' },
    ],
    want: { title: 'T' },
  },
  {
    why: 'an unknown attribute of a known extension is dropped',
    ops: [{ op: 'add', path: `${enterprise}:extensionAttribute1`, value: 'x' }],
    want: {},
  },
  {
    why: 'unknown keys without a path are dropped',
    ops: [{ op: 'replace', value: { shoeSize: 1, title: 'T', meta: {}, groups: [] } }],
    want: { title: 'T' },
  },
  {
    why: 'a password is dropped',
    ops: [{ op: 'replace', path: 'password', value: 'p' }],
    want: {},
  },
  {
    why: 'schemas are not stored',
    ops: [{ op: 'replace', path: 'schemas', value: [core] }],
    want: {},
  },
  {
    why: 'a value that cannot be held is dropped',
    ops: [{ op: 'replace', path: 'title', value: { x: 1 } }],
    want: {},
  },
];

for (const { why, ops, want } of cases) {
  test(`PATCH: ${why}`, () => {
    const before = structuredClone(ada);
    const expected = Object.entries({ ...ada, ...want }).filter(([, value]) => value !== undefined);
    const patched = patch(ada, ops);
    expect(patched).toStrictEqual(Object.fromEntries(expected));
    expect(ada, 'the input is not touched').toStrictEqual(before);
    expect(patch(patched, ops), 'doing it again changes nothing').toStrictEqual(patched);
  });
}

test('one operation may stand for the list of them', () => {
  expect(patch(ada, { op: 'replace', path: 'title', value: 'T' }).title).toBe('T');
});

test('manager and its value in two operations, reference first, keep both', () => {
  const manager = `${enterprise}:manager`;
  const patched = patch({ userName: 'a' }, [
    { op: 'add', path: `${manager}.$ref`, value: 'http://x/m2' },
    { op: 'add', path: `${manager}.value`, value: 'm2' },
  ]);
  expect(patched[enterprise]).toEqual({ manager: { value: 'm2', $ref: 'http://x/m2' } });
});

describe('a PATCH is refused', () => {
  const refused = [
    {
      why: 'remove without path',
      op: { op: 'remove', value: { active: false } },
      scimType: 'noTarget',
    },
    {
      why: 'an unknown op',
      op: { op: 'frobnicate', path: 'active', value: true },
      scimType: 'invalidSyntax',
    },
    { why: 'no op', op: { path: 'active', value: true }, scimType: 'invalidSyntax' },
    { why: 'an operation that is no object', op: 'replace', scimType: 'invalidSyntax' },
    {
      why: 'active that is no boolean',
      op: { op: 'replace', path: 'active', value: 'yes' },
      scimType: 'invalidValue',
    },
    { why: 'no value', op: { op: 'replace', path: 'title' }, scimType: 'invalidValue' },
    { why: 'no path and no object', op: { op: 'replace', value: 'x' }, scimType: 'invalidValue' },
    {
      why: 'a userName that is no text',
      op: { op: 'replace', path: 'userName', value: { x: 1 } },
      scimType: 'invalidValue',
    },
    {
      why: 'a displayName no index could hold',
      op: { op: 'replace', path: 'displayName', value: 'a'.repeat(513) },
      scimType: 'invalidValue',
    },
    {
      why: 'an address no index could hold',
      op: { op: 'replace', path: 'emails[type eq "work"].value', value: 'a'.repeat(513) },
      scimType: 'invalidValue',
    },
    {
      why: 'a blank userName',
      op: { op: 'replace', path: 'userName', value: '' },
      scimType: 'invalidValue',
    },
    {
      why: 'a userName of white space',
      op: { op: 'replace', value: { userName: ' ' } },
      scimType: 'invalidValue',
    },
    { why: 'remove of userName', op: { op: 'remove', path: 'userName' }, scimType: 'mutability' },
    {
      why: 'a read-only attribute as path',
      op: { op: 'replace', path: 'id', value: 'x' },
      scimType: 'mutability',
    },
    {
      why: 'a read-only part as path',
      op: { op: 'replace', path: 'meta.version', value: 'x' },
      scimType: 'mutability',
    },
    {
      why: 'groups as path',
      op: { op: 'add', path: 'groups', value: [{ value: 'g' }] },
      scimType: 'mutability',
    },
    {
      why: 'an unknown core name',
      op: { op: 'replace', path: 'shoeSize', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'an unknown core name with its URN',
      op: { op: 'replace', path: `${core}:shoeSize`, value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'an unknown part',
      op: { op: 'replace', path: 'name.x', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'an unknown part behind a filter',
      op: { op: 'replace', path: 'emails[type eq "work"].x', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'members of a user',
      op: { op: 'add', path: 'members', value: [] },
      scimType: 'invalidPath',
    },
    {
      why: 'a path that is no text',
      op: { op: 'replace', path: 5, value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'a bracket that does not close',
      op: { op: 'replace', path: 'emails[type eq "work"', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'something after the bracket',
      op: { op: 'replace', path: 'emails[type eq "work"]x', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'a filter on what is no list',
      op: { op: 'replace', path: 'name[x eq 1]', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'a filter that is none',
      op: { op: 'replace', path: 'emails[work]', value: 1 },
      scimType: 'invalidFilter',
    },
    {
      why: 'the prototype in a filter',
      op: { op: 'replace', path: 'emails[__proto__ eq "x"].value', value: 1 },
      scimType: 'invalidFilter',
    },
    {
      why: 'the prototype as path',
      op: { op: 'replace', path: '__proto__.x', value: 1 },
      scimType: 'invalidPath',
    },
    {
      why: 'a filter that finds nothing and names nothing',
      op: { op: 'replace', path: 'emails[type ne "work" and type ne "home"].value', value: 'x' },
      scimType: 'noTarget',
    },
    {
      why: 'a path of 100,000 characters',
      op: { op: 'replace', path: `${'a.'.repeat(50_000)}a`, value: 1 },
      scimType: 'invalidPath',
    },
    { why: 'NUL', op: { op: 'replace', path: 'title', value: '\0' }, scimType: 'invalidValue' },
  ];
  for (const { why, op, scimType } of refused) {
    test(why, () => {
      const ops = [{ op: 'replace', path: 'title', value: 'T' }, op];
      expect(() => patch(ada, ops)).toThrow(expect.objectContaining({ status: 400, scimType }));
    });
  }

  const bodies = [null, [], {}, { Operations: [] }, { Operations: 'x' }];
  for (const body of bodies) {
    test(`the body ${JSON.stringify(body)}`, () => {
      expect(() => parsePatch(body, userSchema, repairs)).toThrow(
        expect.objectContaining({ status: 400, scimType: 'invalidSyntax' }),
      );
    });
  }

  test('more operations than anybody needs', () => {
    const operations = Array(1_001).fill({ op: 'replace', path: 'title', value: 'T' });
    expect(() => patch(ada, operations)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test('a list that grows too long', () => {
    const values = (from: number) => Array.from({ length: 600 }, (_, i) => `${from + i}@x`);
    const operations = [0, 1_000].map((from) => ({
      op: 'add',
      path: 'emails',
      value: values(from),
    }));
    expect(() => patch(ada, operations)).toThrow(/more than 1000 values/);
  });
});

test('keys that every object has are only keys', () => {
  const operations: unknown = JSON.parse(
    '[{"op":"replace","value":{"__proto__":{"x":1},"constructor":{"y":1},"name":{"__proto__":{"z":1},"givenName":"A"}}}]',
  );
  const patched = patch({ userName: 'a' }, operations);
  expect(patched).toStrictEqual({ userName: 'a', name: { givenName: 'A' } });
  for (const name of ['x', 'y', 'z']) expect({}).not.toHaveProperty(name);
});
