import { describe, expect, onTestFinished, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/values.ts';
import { enterprise, groupSchema, userSchema } from '../scim-test-support.ts';
import { matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

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
  [USER_EXTENSION]: { appsPermissions: 5 },
  meta: { resourceType: 'User', lastModified: '2026-03-01T12:00:00.000Z' },
};

const home = 'emails.type eq "home"';
const cases: [filter: string, want: boolean, why?: string][] = [
  ['userName eq "ada@example.COM"', true, 'userName ignores case'],
  ['USERNAME EQ "ada@example.com"', true, 'names and operators ignore case'],
  ['userName eq " ada@example.com "', true, 'nor is white space around a name a part of it'],
  ['userName sw " ada"', false],
  ['title eq "say \\"hi\\"\\\\now "', false, 'of another text it is'],
  ['externalId eq "ext-1"', false, 'externalId is exact'],
  ['nothing ne "x"', true, 'an unknown attribute has no value'],
  ['nothing eq null', true],
  ['nothing ne null', false],
  [`userName co "${'x'.repeat(250)}"`, false],
  ['externalId eq "Ext-1"', true],
  ['id eq "a1"', true],
  ['userName ne "x"', true],
  ['userName ne "ADA@example.com"', false],
  ['userName co "EXAMPLE"', true],
  ['userName sw "ada@"', true],
  ['userName ew ".com"', true],
  ['userName sw "com"', false],
  ['userName co "com.example"', false],
  ['userName ew "ada"', false],
  ['name.familyName gt "a"', true],
  ['name.familyName gt "LOVELACE"', false],
  ['name.familyName lt "A"', false],
  ['name.familyName lt "m"', true],
  ['name.familyName lt "lovelace"', false],
  ['name.familyName ge "lovelace"', true],
  ['name.familyName ge "m"', false],
  ['name.familyName le "lovelace"', true],
  ['name.familyName le "l"', false],
  ['name eq "Ada"', false, 'a name as a whole has no value'],
  ['title eq "say \\"hi\\"\\\\now"', true, 'escapes of JSON'],
  ['userName eq "\\u0061da@example.com"', true, 'escapes by number'],
  ['active eq true', true],
  ['active eq True', true, 'Entra writes True'],
  ['active eq "True"', true, 'and "True"'],
  ['active ne false', true],
  ['active eq "FALSE"', false],
  ['active eq "yes"', false, 'it is neither'],
  ['active ne "yes"', true, 'it is neither'],
  ['active eq 1', false, 'it is neither'],
  ['userName ne true', true, 'a text is never a boolean'],
  ['nickName pr', false, 'an empty text is no value'],
  ['displayName pr', false],
  ['displayName ne "x"', true, 'no value is not this value'],
  ['displayName eq null', true],
  ['userName eq null', false],
  ['userName ne null', true],
  ['name pr', true],
  ['addresses pr', false],
  ['emails pr', true],
  ['emails eq "ADA@home.example"', true, 'emails stands for emails.value'],
  ['emails.value ew "home.example"', true],
  [`${home} and emails.value ew "work.example"`, true, 'each part finds its own element'],
  ['emails[type eq "home" and value ew "work.example"]', false, 'one element has all parts'],
  ['emails[type eq "Work" and primary eq true]', true],
  ['emails[not (type eq "work")]', true],
  ['emails[type eq "work"].value eq "ada@work.example"', true],
  ['emails[type eq "work"].value eq "ada@home.example"', false],
  ['emails[type eq "work"].value pr', true],
  ['emails[type eq "other"].value pr', false],
  ['emails[type eq "home" and primary eq false]', true, 'not said is false'],
  ['emails[type eq "home" and primary ne true]', true],
  ['emails[type eq "home" and primary ne false]', false],
  ['emails[type eq "home" and primary pr]', false, 'it is not said'],
  ['emails.primary eq false', true],
  ['phoneNumbers.primary eq false', false, 'there is none'],
  ['phoneNumbers[type eq "work"]', false, 'a list that is not there'],
  ['emails.value ne "ada@work.example"', true, 'some other value is there'],
  ['groups.value eq "g1"', true],
  ['groups[value eq "g2"]', false],
  ['manager eq "m1"', true],
  [`${enterprise}:manager.value eq "m1"`, true],
  [`${enterprise}:department eq "r&d"`, true],
  [`${enterprise} pr`, true, 'an extension as a whole'],
  [`not (${enterprise.toUpperCase()} pr)`, false],
  [`${enterprise}[department eq "r&d" and manager pr]`, true],
  [`${enterprise}[department eq "x"]`, false],
  [`${enterprise} eq "x"`, false, 'as a whole it has no value'],
  [`${USER_EXTENSION}:appsPermissions ge 5`, true],
  [`${USER_EXTENSION}:appsPermissions gt 5`, false],
  [`${USER_EXTENSION}:appsPermissions le 5`, true],
  [`${USER_EXTENSION}:appsPermissions lt 5`, false],
  [`${USER_EXTENSION}:appsPermissions ne 5`, false],
  [`${USER_EXTENSION}:appsPermissions ne -5.0e1`, true],
  [`${USER_EXTENSION}:appsPermissions eq "5"`, true],
  ['meta.lastModified gt "2026-03-01T11:59:59Z"', true],
  ['meta.lastModified eq "2026-03-01T13:00:00+01:00"', true, 'moments, not texts'],
  ['meta.lastModified eq "2026-03-01T13:00:00+0100"', true],
  ['meta.lastModified lt "2026-03-01T12:00:00Z"', false],
  ['meta.lastModified eq "2026-03-01T12:00:00"', true, 'UTC without a zone'],
  ['meta.lastModified gt "2026-03-01"', true, 'a day is its first moment'],
  ['meta.lastModified ge "2026-03-01t12:00z"', true, 'in lower case as well'],
  ['meta.lastModified le "2026-03-01T12:00:00.000-00:01"', true],
  ['meta.lastModified gt "2026-03-01T12:00:00.000-00:01"', false],
  ['meta.lastModified sw "2026-03"', true],
  ['meta.lastModified co "T12:"', true, 'parts are those of the text'],
  ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', true],
  ['id eq "a1" and manager eq "m2"', false],
  ['id eq "x" or id eq "a1" and active eq true', true, 'and binds closer'],
  ['(id eq "x" or id eq "a1") and active eq false', false],
  ['not (id eq "x" or id eq "a1")', false],
  ['not (id eq "x" and id eq "a1")', true],
  ['not (id eq "x") and not (id eq "a1")', false],
  ['not id eq "x"', true, 'parentheses may be missing'],
  ['not id eq "x" and id eq "x"', false, 'then not binds closest'],
  ['not (not (id pr))', true],
  ['((((id pr))))', true],
  ['(id pr)and(active pr)', true],
  ['shoeSize eq "42"', false, 'no schema has it'],
  ['shoeSize ne "42"', true],
  ['shoeSize pr', false],
  ['shoes[size eq 42].colour eq "red"', false],
  ['urn:acme:custom:1.0:size eq "42"', false],
  ['shoeSize pr or id pr', true, 'it does not spoil the rest'],
  ['constructor pr', false, 'nothing of every object is reached'],
  ['constructor.keys pr', false],
  ['name.constructor pr', false],
  ['name.toString pr', false],
  [`${enterprise}:__proto__.x pr`, false],
];

for (const [filter, want, why] of cases) {
  test(`${filter} is ${want}${why ? `: ${why}` : ''}`, () => {
    expect(matches(parseFilter(filter, userSchema), ada)).toBe(want);
  });
}

const blank = { givenName: '', familyName: null };
const blankExtension = { [enterprise]: { manager: {}, department: '' } };
const textual = { [USER_EXTENSION]: { appsPermissions: '7' } };
const others: [filter: string, resource: JsonObject, want: boolean, why: string][] = [
  ['name.givenName eq "Ada"', {}, false, 'nothing is there'],
  ['emails[type eq "work"]', {}, false, 'nothing is there'],
  ['emails[type pr]', { emails: ['x'] }, false, 'no objects'],
  ['userName pr', { userName: null }, false, 'null is no value'],
  ['userName eq "null"', { userName: null }, false, 'null is no text'],
  ['userName ne "x"', { userName: null }, true, 'null is no value'],
  ['name pr', { name: {} }, false, 'an empty object is no value'],
  ['name pr', { name: blank }, false, 'an object without any value is none'],
  ['name pr', { name: { givenName: '', familyName: 'L' } }, true, 'one part is enough'],
  ['emails pr', { emails: [] }, false, 'an empty list is no value'],
  ['emails pr', { emails: [{}] }, false, 'nor is an empty element'],
  [`${enterprise} pr`, {}, false, 'nothing is there'],
  [`${enterprise} pr`, blankExtension, false, 'an extension without any value is none'],
  ['active pr', { active: false }, true, 'false is a value'],
  [`${USER_EXTENSION}:appsPermissions ge 5`, textual, false, 'a text is no number'],
  ['active ne true', { active: 'yes' }, false, 'nor a boolean'],
  ['title ne "x"', { title: 5 }, false, 'a number is no text'],
  [`${USER_EXTENSION}:appsPermissions ne "x"`, {}, true, 'it can never hold that'],
  ['userName ne true', {}, true, 'it can never hold that'],
  ['name ne "x"', {}, true, 'it has no value of its own'],
];

for (const [filter, resource, want, why] of others) {
  test(`${filter} is ${want} for ${JSON.stringify(resource)}: ${why}`, () => {
    expect(matches(parseFilter(filter, userSchema), resource)).toBe(want);
  });
}

describe('members of a group', () => {
  const group: JsonObject = {
    displayName: 'Math',
    members: [{ value: 'u1' }, { value: 'u2' }],
    [GROUP_EXTENSION]: { admins: [] },
  };
  const filters = [
    { filter: 'members eq "u1"', want: true },
    { filter: 'members.value eq "u2"', want: true },
    { filter: 'members[value eq "u3"]', want: false },
    { filter: 'displayName eq "MATH" and members[value eq "u1"]', want: true },
    { filter: `${GROUP_EXTENSION} pr`, want: false },
  ];
  for (const { filter, want } of filters) {
    test(`${filter} is ${want}`, () => {
      expect(matches(parseFilter(filter, groupSchema), group)).toBe(want);
    });
  }
});

const numbers = { '42': '42.0', '9007199254740993': '9007199254740992', '1e3': '1000' };
for (const [written, other] of Object.entries(numbers)) {
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

  for (const moment of ['2026-03-01T12:00:00', '2026-03-01T12:00'])
    expect(matches(parseFilter(`meta.lastModified eq "${moment}"`, userSchema), ada)).toBe(true);
});
