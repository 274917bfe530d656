import { expect, test } from 'vitest';
import { workAtOnce } from '../../domain/turns.ts';
import { listWritten } from './list-written.ts';

const USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const SECRET = 'ada.lovelace@example.com';
const patch = (...Operations: object[]) => ({ Operations });

const cases: {
  readonly why: string;
  readonly type: 'user' | 'group';
  readonly method: string;
  readonly body: unknown;
  readonly want: readonly string[];
}[] = [
  {
    why: 'a POST names its attributes, parts and extensions, and how many values a list has',
    type: 'user',
    method: 'POST',
    body: {
      userName: SECRET,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: SECRET }, { value: `x${SECRET}` }],
      active: true,
      [USER]: { department: SECRET },
    },
    want: [
      'set userName 1',
      'set name.givenName 1',
      'set name.familyName 1',
      'set emails 2',
      'set active 1',
      `set ${USER}:department 1`,
    ],
  },
  {
    why: 'a PUT of a group tells how many members, also none',
    type: 'group',
    method: 'PUT',
    body: { displayName: SECRET, members: [] },
    want: ['set displayName 1', 'set members 0'],
  },
  {
    why: 'what is unassigned has no value',
    type: 'user',
    method: 'PUT',
    body: { userName: SECRET, title: null },
    want: ['set userName 1', 'set title 0'],
  },
  {
    why: 'a filter in a path is left out, for it holds a value',
    type: 'user',
    method: 'PATCH',
    body: patch({ op: 'Replace', path: `emails[value eq "${SECRET}"].value`, value: SECRET }),
    want: ['replace emails.value 1'],
  },
  {
    why: 'many operations on members are one line',
    type: 'group',
    method: 'PATCH',
    body: patch(
      { op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
      { op: 'add', path: 'members', value: [{ value: 'c' }] },
      { op: 'remove', path: 'members[value eq "d"]' },
    ),
    want: ['add members 3', 'remove members 1'],
  },
  {
    why: 'an attribute that no schema has is not named: somebody may have put a name there',
    type: 'user',
    method: 'POST',
    body: { userName: SECRET, [SECRET]: SECRET },
    want: ['set userName 1'],
  },
  {
    why: 'what cannot be understood writes nothing',
    type: 'user',
    method: 'PATCH',
    body: patch({ op: SECRET, path: SECRET }),
    want: [],
  },
  { why: 'a DELETE writes nothing', type: 'user', method: 'DELETE', body: undefined, want: [] },
];
for (const { why, type, method, body, want } of cases) {
  test(`what a request writes: ${why}`, () => {
    const written = workAtOnce(listWritten(type, method, body));

    expect(written.map(({ op, path, values }) => `${op} ${path} ${values}`)).toEqual(want);
    expect(JSON.stringify(written)).not.toContain(SECRET);
  });
}
