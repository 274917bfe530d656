import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../errors.ts';
import { parseAuditEvent } from './audit-event.ts';
import { parseCompanyUser } from './company-user.ts';
import { parseGroupUser, parseGroupUsers, parseRestGroup } from './rest-group.ts';
import { parseScimGroup } from './scim-group.ts';
import { parseScimList } from './scim-list.ts';
import { parseScimUser } from './scim-user.ts';

const anna = {
  id: 7,
  userName: 'anna@example.com',
  name: { givenName: 'Anna', familyName: 'Berg' },
  active: true,
  emails: [{ value: 'anna@example.com', type: 'work', primary: true }],
  groups: [{ value: 12, display: 'Staff' }],
};
const parsedAnna = {
  ...{ id: 7, userName: 'anna@example.com', active: true },
  ...{ givenName: 'Anna', familyName: 'Berg', fullName: 'Anna Berg' },
  ...{ emails: ['anna@example.com'], groupIds: ['12'] },
};

const nameless = { givenName: undefined, familyName: undefined };
const mailbox = 'anna@example.com';

test.each<[why: string, differs: object, want?: object]>([
  ['as documented', {}],
  ['ids as text', { id: '7', groups: ['12'] }],
  ['addresses as text', { emails: [mailbox] }],
  ['active as a word', { active: 'false' }, { active: false }],
  ['active as a number', { active: 0 }, { active: false }],
  ['its only address as an object', { emails: { value: mailbox, type: 'work' } }],
  ['no mailbox: an entry without an address', { emails: [{ value: null }] }, { emails: [] }],
  ['no groups listed', { groups: undefined }, { groupIds: undefined }],
  ['a name in one piece', { name: 'Anna Berg' }, nameless],
  [
    'no name, no address, no userName',
    { name: null, emails: null, userName: null },
    { ...nameless, userName: undefined, fullName: '', emails: [] },
  ],
])('a SCIM user, in every form that the service may choose: %s', (_, differs, want) => {
  expect(parseScimUser({ ...anna, ...differs })).toEqual({ ...parsedAnna, ...want });
});

describe('a SCIM group', () => {
  test.each([
    { why: 'members with numbers', members: [{ value: 3 }], want: [3] },
    { why: 'members with text', members: [{ value: '3' }], want: [3] },
    { why: 'bare members', members: [3, '4'], want: [3, 4] },
    { why: 'no members', members: [], want: [] },
    { why: 'members not listed are not none', members: undefined, want: undefined },
  ])('$why', ({ members, want }) => {
    const group = parseScimGroup({ id: 5, displayName: 'Staff', members });
    expect(group).toEqual({ id: '5', displayName: 'Staff', memberIds: want });
  });
});

test('a REST group', () => {
  const body = { id: '5', uid: 'u', name: 'Staff', permissions: '16', users_count: 2 };
  expect(parseRestGroup(body)).toEqual({
    ...{ id: 5, uid: 'u', name: 'Staff', permissions: 16, usersCount: 2 },
    addToCardsAndSpacesEnabled: undefined,
  });
});

test('one group or company user, also as the only entry of a list', () => {
  const group = { id: 5, uid: 'u', name: 'Staff' };
  const user = { id: 7, full_name: 'Anna Berg', role: 1, apps_permissions: 5, virtual: false };
  expect(parseRestGroup([group])).toEqual(parseRestGroup(group));
  expect(parseCompanyUser([user])).toEqual(parseCompanyUser(user));
});

test('a company user whose rights and times of activation come in forms that nobody knows', () => {
  const body = {
    ...{ id: 7, uid: 12, activated: '2026-04-01T12:00:00.000Z', apps_permissions: 'full' },
    ...{ permissions: { members: true }, take_licence: 1 },
  };
  const read = { id: 7, appsPermissions: undefined, takesLicence: true };
  expect(parseCompanyUser(body)).toMatchObject(read);
});

test.each([
  { role: 'Owner', want: 1 },
  { role: 'user', want: 2 },
  { role: 'DEACTIVATED', want: 3 },
  { role: '3', want: 3 },
  { role: null, want: undefined },
])('the role $role of a company user', ({ role, want }) => {
  expect(parseCompanyUser({ id: 7, role }).role).toBe(want);
});

test('the people of a group, of whom nothing but the id is asked', () => {
  const body = [{ id: 7, email: 'anna@example.com', activated: '2026-04-01', virtual: 'no' }];
  expect(parseGroupUsers(body)).toEqual([{ id: 7 }]);
});

test.each(['items', 'data', 'results', 'Resources'])('a list that comes as %s', (name) => {
  expect(parseGroupUsers({ total: 1, [name]: [{ id: 7 }] })).toEqual([{ id: 7 }]);
});

test('an audit event', () => {
  const created = '2026-04-01T12:00:00.000Z';
  const both = { id: 'e-1', details: { group: 5 } };
  const body = {
    ...{ ...both, category: 'group_management', action: 'add_user', created },
    ...{ author_id: 3, author: null },
  };
  const event = { ...both, createdAt: new Date(created), authorId: 3, message: undefined };
  expect(parseAuditEvent(body)).toMatchObject(event);
});

test('an audit event of which only the id and the time can be understood', () => {
  const body = {
    ...{ id: 12, created: '2026-04-01 12:00:00', category: null, message: { text: 'x' } },
    ...{ author_id: '8e9f3a54-0d5e-4a0c-9f4e-1f6d2b7c3a10', author_username: 5 },
  };
  expect(parseAuditEvent(body)).toMatchObject({
    ...{ id: '12', category: '', action: '', message: undefined },
    ...{ authorId: undefined, authorUsername: undefined },
  });
});

test.each([
  { form: 'a zone of its own', created: '2026-04-01T15:00:00.000+03:00' },
  { form: 'no zone, which is UTC', created: '2026-04-01T12:00:00' },
  { form: 'a space and no zone', created: '2026-04-01 12:00:00.000' },
  { form: 'milliseconds', created: 1_775_044_800_000 },
  { form: 'seconds, as digits', created: '1775044800' },
])('the time of an audit event: $form', ({ created }) => {
  const { createdAt } = parseAuditEvent({ id: 'e', created });
  expect(createdAt.toISOString()).toBe('2026-04-01T12:00:00.000Z');
});

test('a SCIM list says its total, or not', () => {
  expect(parseScimList({ Resources: [1], totalResults: '5' })).toEqual({ items: [1], total: 5 });
  expect(parseScimList({ Resources: [1] })).toEqual({ items: [1], total: undefined });
  expect(parseScimList({ totalResults: 0 })).toEqual({ items: [], total: 0 });
});

describe('an answer that cannot be understood is an error and never a default', () => {
  const unreadable: [parse: (body: unknown) => unknown, body: unknown, problem: RegExp][] = [
    [parseScimUser, undefined, /not an object/],
    [parseScimUser, 'anna', /not an object/],
    [parseScimUser, { ...anna, id: 'x7' }, /id is not a whole number/],
    [parseScimUser, { ...anna, id: undefined }, /id is not/],
    [parseScimUser, { ...anna, active: undefined }, /active is not/],
    [parseScimUser, { ...anna, active: 'yes' }, /active is not/],
    [parseScimUser, { ...anna, emails: [{}] }, /emails is not/],
    [parseScimUser, { ...anna, emails: 'x' }, /emails is not a list/],
    [parseScimUser, { ...anna, groups: [{ value: {} }] }, /groups is not/],
    [parseScimGroup, { id: '', displayName: 'x' }, /id is not an id/],
    [parseScimGroup, { id: 1, displayName: 'x', members: [{ value: 'me' }] }, /members is not/],
    [parseRestGroup, { id: 1, name: 'x' }, /uid is not/],
    [parseCompanyUser, [], /not an object/],
    [parseCompanyUser, { id: 7, role: 'boss' }, /role is not/],
    [parseCompanyUser, { id: 7, role: 'constructor' }, /role is not/],
    [
      parseRestGroup,
      [
        { id: 1, uid: 'u', name: 'x' },
        { id: 2, uid: 'v', name: 'y' },
      ],
      /not an object/,
    ],
    [parseGroupUser, { email: 'x' }, /id is not/],
    [parseGroupUsers, {}, /not a list/],
    [parseGroupUsers, null, /no empty list/],
    [parseGroupUsers, undefined, /no empty list/],
    [parseGroupUsers, { items: null }, /not a list/],
    [parseAuditEvent, { id: 'e', category: 'c', action: 'a', created: 'soon' }, /created is not/],
    [parseScimList, { totalResults: 4 }, /Resources is not/],
  ];
  for (const [parse, body, problem] of unreadable) {
    test(`${parse.name}: ${JSON.stringify(body)}`, () => {
      expect(() => parse(body)).toThrow(UpstreamError);
      expect(() => parse(body)).toThrow(problem);
      const failure = { code: 'unreadable', retry: 'later', outcome: 'unknown' };
      expect(() => parse(body)).toThrow(expect.objectContaining(failure));
    });
  }

  test('the error does not quote the answer', () => {
    expect(() => parseScimUser({ ...anna, active: 'anna is away' })).not.toThrow(/away/);
  });
});
