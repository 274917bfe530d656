import { expect, test } from 'vitest';
import { type Content, parsePatch, parseResource } from '../dialect/parse-body.ts';
import { UNCOUNTED } from '../repairs.ts';
import { listWritten } from '../requests.ts';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';

const USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const SECRET = 'ada.lovelace@example.com';
const ofUser = (body: object) => parseResource(body, userSchema, UNCOUNTED);
const ofGroup = (body: object) => parseResource(body, groupSchema, UNCOUNTED);
const ofPatch = (schema: typeof userSchema, ...Operations: object[]) =>
  parsePatch({ Operations }, { schema, repairs: UNCOUNTED });

const cases: {
  readonly why: string;
  readonly content: Content | undefined;
  readonly want: readonly string[];
}[] = [
  {
    why: 'a POST names its attributes, parts and extensions, and how many values a list has',
    content: ofUser({
      userName: SECRET,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: SECRET }, { value: `x${SECRET}` }],
      active: true,
      [USER]: { department: SECRET },
    }),
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
    content: ofGroup({ displayName: SECRET, members: [] }),
    want: ['set displayName 1', 'set members 0'],
  },
  {
    why: 'what is unassigned has no value',
    content: ofUser({ userName: SECRET, title: null }),
    want: ['set userName 1', 'set title 0'],
  },
  {
    why: 'a filter in a path is left out, for it holds a value',
    content: ofPatch(userSchema, {
      op: 'Replace',
      path: `emails[value eq "${SECRET}"].value`,
      value: SECRET,
    }),
    want: ['replace emails.value 1'],
  },
  {
    why: 'many operations on members are one line',
    content: ofPatch(
      groupSchema,
      { op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
      { op: 'add', path: 'members', value: [{ value: 'c' }] },
      { op: 'remove', path: 'members[value eq "d"]' },
    ),
    want: ['add members 3', 'remove members 1'],
  },
  {
    why: 'an attribute that no schema has is not named: somebody may have put a name there',
    content: ofUser({ userName: SECRET, [SECRET]: SECRET }),
    want: ['set userName 1'],
  },
  { why: 'what was not understood writes nothing', content: undefined, want: [] },
];
for (const { why, content, want } of cases) {
  test(`what a request writes: ${why}`, () => {
    const written = listWritten(content);

    expect(written.map(({ op, path, values }) => `${op} ${path} ${values}`)).toEqual(want);
    expect(JSON.stringify(written)).not.toContain(SECRET);
  });
}
