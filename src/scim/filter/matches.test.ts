import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';
import { matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const groupExtension = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';

const ada: JsonObject = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
  id: 'a1',
  externalId: 'Ext-1',
  userName: 'Ada@Example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  title: 'say "hi"\\now',
  nickName: '',
  active: true,
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  groups: [{ value: 'g1', display: 'Math' }],
  [enterprise]: { department: 'R&D', manager: { value: 'm1' } },
  [workManagement]: { appsPermissions: 5 },
  meta: { resourceType: 'User', lastModified: '2026-03-01T12:00:00.000Z' },
};

const cases: { filter: string; want: boolean; why?: string }[] = [
  { filter: 'userName eq "ada@example.COM"', want: true, why: 'userName ignores case' },
  { filter: 'USERNAME EQ "ada@example.com"', want: true, why: 'names and operators ignore case' },
  { filter: 'externalId eq "ext-1"', want: false, why: 'externalId is exact' },
  { filter: 'externalId eq "Ext-1"', want: true },
  { filter: 'id eq "a1"', want: true },
  { filter: 'userName ne "x"', want: true },
  { filter: 'userName ne "ADA@example.com"', want: false },
  { filter: 'userName co "EXAMPLE"', want: true },
  { filter: 'userName sw "ada@"', want: true },
  { filter: 'userName ew ".com"', want: true },
  { filter: 'userName sw "com"', want: false },
  { filter: 'userName co "com.example"', want: false },
  { filter: 'userName ew "ada"', want: false },
  { filter: 'name.familyName gt "a"', want: true },
  { filter: 'name.familyName gt "LOVELACE"', want: false },
  { filter: 'name.familyName lt "A"', want: false },
  { filter: 'name.familyName lt "m"', want: true },
  { filter: 'name.familyName lt "lovelace"', want: false },
  { filter: 'name.familyName ge "lovelace"', want: true },
  { filter: 'name.familyName ge "m"', want: false },
  { filter: 'name.familyName le "lovelace"', want: true },
  { filter: 'name.familyName le "l"', want: false },
  { filter: 'name eq "Ada"', want: false, why: 'a name as a whole has no value' },
  { filter: 'title eq "say \\"hi\\"\\\\now"', want: true, why: 'escapes of JSON' },
  { filter: 'userName eq "\\u0061da@example.com"', want: true, why: 'escapes by number' },
  { filter: 'active eq true', want: true },
  { filter: 'active eq True', want: true, why: 'Entra writes True' },
  { filter: 'active eq "True"', want: true, why: 'and "True"' },
  { filter: 'active ne false', want: true },
  { filter: 'active eq "FALSE"', want: false },
  { filter: 'active eq "yes"', want: false, why: 'it is neither' },
  { filter: 'active ne "yes"', want: true, why: 'it is neither' },
  { filter: 'active eq 1', want: false, why: 'it is neither' },
  { filter: 'userName ne true', want: true, why: 'a text is never a boolean' },
  { filter: 'nickName pr', want: false, why: 'an empty text is no value' },
  { filter: 'displayName pr', want: false },
  { filter: 'displayName ne "x"', want: true, why: 'no value is not this value' },
  { filter: 'displayName eq null', want: true },
  { filter: 'userName eq null', want: false },
  { filter: 'userName ne null', want: true },
  { filter: 'name pr', want: true },
  { filter: 'addresses pr', want: false },
  { filter: 'emails pr', want: true },
  { filter: 'emails eq "ADA@home.example"', want: true, why: 'emails stands for emails.value' },
  { filter: 'emails.value ew "home.example"', want: true },
  {
    filter: 'emails.type eq "home" and emails.value ew "work.example"',
    want: true,
    why: 'each part finds its own element',
  },
  {
    filter: 'emails[type eq "home" and value ew "work.example"]',
    want: false,
    why: 'one element has all parts',
  },
  { filter: 'emails[type eq "Work" and primary eq true]', want: true },
  { filter: 'emails[not (type eq "work")]', want: true },
  { filter: 'emails[type eq "work"].value eq "ada@work.example"', want: true },
  { filter: 'emails[type eq "work"].value eq "ada@home.example"', want: false },
  { filter: 'emails[type eq "work"].value pr', want: true },
  { filter: 'emails[type eq "other"].value pr', want: false },
  { filter: 'emails[type eq "home" and primary eq false]', want: true, why: 'not said is false' },
  { filter: 'emails[type eq "home" and primary ne true]', want: true },
  { filter: 'emails[type eq "home" and primary ne false]', want: false },
  { filter: 'emails[type eq "home" and primary pr]', want: false, why: 'it is not said' },
  { filter: 'emails.primary eq false', want: true },
  { filter: 'phoneNumbers.primary eq false', want: false, why: 'there is none' },
  { filter: 'phoneNumbers[type eq "work"]', want: false, why: 'a list that is not there' },
  { filter: 'emails.value ne "ada@work.example"', want: true, why: 'some other value is there' },
  { filter: 'groups.value eq "g1"', want: true },
  { filter: 'groups[value eq "g2"]', want: false },
  { filter: 'manager eq "m1"', want: true },
  { filter: `${enterprise}:manager.value eq "m1"`, want: true },
  { filter: `${enterprise}:department eq "r&d"`, want: true },
  { filter: `${enterprise} pr`, want: true, why: 'an extension as a whole' },
  { filter: `not (${enterprise.toUpperCase()} pr)`, want: false },
  { filter: `${enterprise}[department eq "r&d" and manager pr]`, want: true },
  { filter: `${enterprise}[department eq "x"]`, want: false },
  { filter: `${enterprise} eq "x"`, want: false, why: 'as a whole it has no value' },
  { filter: `${workManagement}:appsPermissions ge 5`, want: true },
  { filter: `${workManagement}:appsPermissions gt 5`, want: false },
  { filter: `${workManagement}:appsPermissions le 5`, want: true },
  { filter: `${workManagement}:appsPermissions lt 5`, want: false },
  { filter: `${workManagement}:appsPermissions ne 5`, want: false },
  { filter: `${workManagement}:appsPermissions ne -5.0e1`, want: true },
  { filter: `${workManagement}:appsPermissions eq "5"`, want: true },
  { filter: 'meta.lastModified gt "2026-03-01T11:59:59Z"', want: true },
  {
    filter: 'meta.lastModified eq "2026-03-01T13:00:00+01:00"',
    want: true,
    why: 'moments, not texts',
  },
  { filter: 'meta.lastModified lt "2026-03-01T12:00:00Z"', want: false },
  { filter: 'meta.lastModified eq "2026-03-01T12:00:00"', want: true, why: 'UTC without a zone' },
  { filter: 'meta.lastModified gt "2026-03-01"', want: true, why: 'a day is its first moment' },
  { filter: 'meta.lastModified ge "2026-03-01t12:00z"', want: true, why: 'in lower case as well' },
  { filter: 'meta.lastModified le "2026-03-01T12:00:00.000-00:01"', want: true },
  { filter: 'meta.lastModified gt "2026-03-01T12:00:00.000-00:01"', want: false },
  { filter: 'meta.lastModified sw "2026-03"', want: true },
  { filter: 'meta.lastModified co "T12:"', want: true, why: 'parts are those of the text' },
  { filter: 'schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', want: true },
  { filter: 'id eq "a1" and manager eq "m2"', want: false },
  { filter: 'id eq "x" or id eq "a1" and active eq true', want: true, why: 'and binds closer' },
  { filter: '(id eq "x" or id eq "a1") and active eq false', want: false },
  { filter: 'not (id eq "x" or id eq "a1")', want: false },
  { filter: 'not (id eq "x" and id eq "a1")', want: true },
  { filter: 'not (id eq "x") and not (id eq "a1")', want: false },
  { filter: 'not id eq "x"', want: true, why: 'parentheses may be missing' },
  { filter: 'not id eq "x" and id eq "x"', want: false, why: 'then not binds closest' },
  { filter: 'not (not (id pr))', want: true },
  { filter: '((((id pr))))', want: true },
  { filter: '(id pr)and(active pr)', want: true },
  { filter: 'shoeSize eq "42"', want: false, why: 'no schema has it' },
  { filter: 'shoeSize ne "42"', want: true },
  { filter: 'shoeSize pr', want: false },
  { filter: 'shoes[size eq 42].colour eq "red"', want: false },
  { filter: 'urn:acme:custom:1.0:size eq "42"', want: false },
  { filter: 'shoeSize pr or id pr', want: true, why: 'it does not spoil the rest' },
  { filter: 'constructor pr', want: false, why: 'nothing of every object is reached' },
  { filter: 'constructor.keys pr', want: false },
  { filter: 'name.constructor pr', want: false },
  { filter: 'name.toString pr', want: false },
  { filter: `${enterprise}:__proto__.x pr`, want: false },
];

for (const { filter, want, why } of cases) {
  test(`${filter} is ${want}${why ? `: ${why}` : ''}`, () => {
    expect(matches(parseFilter(filter, userSchema), ada)).toBe(want);
  });
}

const others: { filter: string; resource: JsonObject; want: boolean; why: string }[] = [
  { filter: 'name.givenName eq "Ada"', resource: {}, want: false, why: 'nothing is there' },
  { filter: 'emails[type eq "work"]', resource: {}, want: false, why: 'nothing is there' },
  { filter: 'emails[type pr]', resource: { emails: ['x'] }, want: false, why: 'no objects' },
  { filter: 'userName pr', resource: { userName: null }, want: false, why: 'null is no value' },
  {
    filter: 'userName eq "null"',
    resource: { userName: null },
    want: false,
    why: 'null is no text',
  },
  { filter: 'userName ne "x"', resource: { userName: null }, want: true, why: 'null is no value' },
  { filter: 'name pr', resource: { name: {} }, want: false, why: 'an empty object is no value' },
  {
    filter: 'name pr',
    resource: { name: { givenName: '', familyName: null } },
    want: false,
    why: 'an object without any value is none',
  },
  {
    filter: 'name pr',
    resource: { name: { givenName: '', familyName: 'L' } },
    want: true,
    why: 'one part is enough',
  },
  { filter: 'emails pr', resource: { emails: [] }, want: false, why: 'an empty list is no value' },
  { filter: 'emails pr', resource: { emails: [{}] }, want: false, why: 'nor is an empty element' },
  { filter: `${enterprise} pr`, resource: {}, want: false, why: 'nothing is there' },
  {
    filter: `${enterprise} pr`,
    resource: { [enterprise]: { manager: {}, department: '' } },
    want: false,
    why: 'an extension without any value is none',
  },
  { filter: 'active pr', resource: { active: false }, want: true, why: 'false is a value' },
  {
    filter: `${workManagement}:appsPermissions ge 5`,
    resource: { [workManagement]: { appsPermissions: '7' } },
    want: false,
    why: 'a text is no number',
  },
  { filter: 'active ne true', resource: { active: 'yes' }, want: false, why: 'nor a boolean' },
  { filter: 'title ne "x"', resource: { title: 5 }, want: false, why: 'a number is no text' },
  {
    filter: `${workManagement}:appsPermissions ne "x"`,
    resource: {},
    want: true,
    why: 'it can never hold that',
  },
  { filter: 'userName ne true', resource: {}, want: true, why: 'it can never hold that' },
  { filter: 'name ne "x"', resource: {}, want: true, why: 'it has no value of its own' },
];

for (const { filter, resource, want, why } of others) {
  test(`${filter} is ${want} for ${JSON.stringify(resource)}: ${why}`, () => {
    expect(matches(parseFilter(filter, userSchema), resource)).toBe(want);
  });
}

describe('members of a group', () => {
  const group: JsonObject = {
    displayName: 'Math',
    members: [{ value: 'u1' }, { value: 'u2' }],
    [groupExtension]: { admins: [] },
  };
  const filters = [
    { filter: 'members eq "u1"', want: true },
    { filter: 'members.value eq "u2"', want: true },
    { filter: 'members[value eq "u3"]', want: false },
    { filter: 'displayName eq "MATH" and members[value eq "u1"]', want: true },
    { filter: `${groupExtension} pr`, want: false },
  ];
  for (const { filter, want } of filters) {
    test(`${filter} is ${want}`, () => {
      expect(matches(parseFilter(filter, groupSchema), group)).toBe(want);
    });
  }
});

const numbers = [
  { written: '42', other: '42.0' },
  { written: '9007199254740993', other: '9007199254740992' },
  { written: '1e3', other: '1000' },
];
for (const { written, other } of numbers) {
  test(`a number without quotes finds the id that is written so and no other: ${written}`, () => {
    const filter = parseFilter(`externalId eq ${written}`, userSchema);

    expect(matches(filter, { externalId: written })).toBe(true);
    expect(matches(filter, { externalId: other })).toBe(false);
  });
}

test('a moment without a zone is in UTC, wherever the bridge runs', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Asia/Tokyo';
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  expect(new Date(0).getHours()).toBe(9);

  for (const moment of ['2026-03-01T12:00:00', '2026-03-01T12:00']) {
    const filter = parseFilter(`meta.lastModified eq "${moment}"`, userSchema);
    expect(matches(filter, ada)).toBe(true);
  }
});

test('no filter changes the prototype of objects', () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  for (const { filter } of cases) matches(parseFilter(filter, userSchema), ada);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(Object.keys({ a: 1 })).toEqual(['a']);
});
