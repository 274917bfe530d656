import { expect, test } from 'vitest';
import type { RepairKind } from '../repairs.ts';
import { core, enterprise, parse, workManagement } from './dialect-test-support.ts';

/** Why; what the body says; what it comes to; the repair that is counted, if any. */
type ValueCase = readonly [string, object, object, RepairKind?];

const taken: readonly ValueCase[] = [
  ['a name in odd case', { DisplayName: 'A' }, { displayName: 'A' }, 'name-spelling'],
  [
    'parts in odd case',
    { NAME: { FAMILYNAME: 'L' } },
    { name: { familyName: 'L' } },
    'name-spelling',
  ],
  [
    'dotted keys',
    { 'name.givenName': 'A', 'name.familyName': 'L' },
    { name: { givenName: 'A', familyName: 'L' } },
    'name-spelling',
  ],
  [
    'a dotted key beside the object',
    { name: { givenName: 'A' }, 'name.familyName': 'L' },
    { name: { givenName: 'A', familyName: 'L' } },
  ],
  ['a key qualified by the core URN', { [`${core}:title`]: 'T' }, { title: 'T' }, 'name-spelling'],
  [
    'a key qualified by an extension',
    { [`${enterprise}:department`]: 'D' },
    { [enterprise]: { department: 'D' } },
    'name-spelling',
  ],
  [
    'a misspelt URN with an object',
    { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User': { department: 'D' } },
    { [enterprise]: { department: 'D' } },
  ],
  [
    'an enterprise attribute at the top',
    { department: 'D' },
    { [enterprise]: { department: 'D' } },
    'name-spelling',
  ],
  ['the core URN with an object', { [core]: { title: 'T' } }, { title: 'T' }],
  ['a text boolean', { active: 'False' }, { active: false }, 'boolean-as-text'],
  ['a boolean in an array', { active: [true] }, { active: true }, 'value-wrapped'],
  ['a text in an array', { title: ['T'] }, { title: 'T' }, 'value-wrapped'],
  ['a text in an object', { title: { value: 'T' } }, { title: 'T' }, 'value-wrapped'],
  ['a number for a text', { externalId: 42 }, { externalId: '42' }, 'text-as-other'],
  [
    'a text for a number',
    { [workManagement]: { appsPermissions: '2' } },
    { [workManagement]: { appsPermissions: 2 } },
    'number-as-text',
  ],
  ['null', { title: null }, {}],
  ['an empty text', { title: '' }, {}, 'blank-as-unassign'],
  ['an empty array for one value', { title: [] }, {}],
  ['a blank part', { name: { familyName: '', givenName: 'A' } }, { name: { givenName: 'A' } }],
  ['nothing but blank parts', { name: { familyName: '' } }, {}],
  ['an empty object', { name: {} }, {}],
  ['an empty list', { emails: [] }, {}],
  ['null for a list', { emails: null }, {}],
  ['a text for a name', { name: 'Ada L' }, { name: { formatted: 'Ada L' } }, 'value-for-object'],
  [
    'one object for a list',
    { emails: { value: 'a@x' } },
    { emails: [{ value: 'a@x' }] },
    'value-for-list',
  ],
  ['one text for a list', { emails: 'a@x' }, { emails: [{ value: 'a@x' }] }, 'value-for-list'],
  [
    'texts in a list',
    { emails: ['a@x', 'b@x'] },
    { emails: [{ value: 'a@x' }, { value: 'b@x' }] },
    'value-for-object',
  ],
  ['a text address', { addresses: ['Road 1'] }, { addresses: [{ formatted: 'Road 1' }] }],
  [
    'an element without content',
    { emails: [{ type: 'work', primary: true }, { type: 'work', value: '' }, null] },
    {},
  ],
  [
    'parts that are null',
    { emails: [{ value: 'a@x', type: null, $ref: null }] },
    { emails: [{ value: 'a@x' }] },
  ],
  [
    'primary as a text',
    { roles: [{ value: 'r', primary: 'True' }] },
    { roles: [{ value: 'r', primary: true }] },
    'boolean-as-text',
  ],
  [
    'several primaries',
    {
      emails: [
        { value: 'a@x', primary: true },
        { value: 'b@x', primary: true },
      ],
    },
    {
      emails: [
        { value: 'a@x', primary: true },
        { value: 'b@x', primary: false },
      ],
    },
    'several-primaries',
  ],
  [
    'the same value twice',
    {
      emails: [
        { value: 'A@x', type: 'work' },
        { value: 'a@x', type: 'Work', display: 'A' },
      ],
    },
    { emails: [{ value: 'a@x', type: 'Work', display: 'A' }] },
    'duplicate-values',
  ],
  [
    'the same value for two uses stays two',
    {
      emails: [
        { value: 'a@x', type: 'work' },
        { value: 'a@x', type: 'home' },
      ],
    },
    {
      emails: [
        { value: 'a@x', type: 'work' },
        { value: 'a@x', type: 'home' },
      ],
    },
  ],
  [
    'the same address twice',
    {
      addresses: [
        { type: 'work', country: 'BE' },
        { country: 'BE', type: 'work', primary: true },
      ],
    },
    { addresses: [{ type: 'work', country: 'BE', primary: true }] },
  ],
  [
    'a role as JSON in a text',
    { roles: [{ value: '{"id":"1","value":"Admin","displayName":"The Admin"}' }] },
    { roles: [{ value: 'Admin', display: 'The Admin' }] },
    'json-in-text',
  ],
  ['a role that only looks like JSON', { roles: ['{x'] }, { roles: [{ value: '{x' }] }],
  [
    'a manager as text',
    { [enterprise]: { manager: 'm1' } },
    { [enterprise]: { manager: { value: 'm1' } } },
  ],
  [
    'a manager in an array',
    { manager: [{ value: 'm1', $ref: 'http://x/m1' }] },
    { [enterprise]: { manager: { value: 'm1', $ref: 'http://x/m1' } } },
  ],
  ['a manager without value', { manager: { value: '', $ref: 'x' } }, {}],
  [
    "a manager's name is not taken",
    { manager: { value: 'm1', displayName: 'M' } },
    { [enterprise]: { manager: { value: 'm1' } } },
    'read-only-dropped',
  ],
  [
    'a read-only attribute of an extension',
    { [workManagement]: { role: 1 } },
    {},
    'read-only-dropped',
  ],
  [
    'an unknown extension',
    { 'urn:okta:acme:2.0:user:custom': { a: 1 } },
    {},
    'unknown-schema-dropped',
  ],
  ['a key with a filter', { 'emails[type eq "work"].value': 'a@x' }, {}],
  ['a text in an object of its name', { title: { Title: 'X' } }, { title: 'X' }, 'value-wrapped'],
  ['a null extension', { [enterprise]: null }, {}],
];

for (const [why, body, want, repair] of taken) {
  test(`a value is taken: ${why}`, () => {
    const { attributes, counts } = parse({ userName: 'a', ...body });
    expect(attributes).toEqual({ userName: 'a', ...want });
    if (repair) expect(counts[repair]).toBeGreaterThan(0);
  });
}

/** Of these nothing is taken, as if they had not been sent. */
const dropped: readonly ValueCase[] = [
  ['a password', { password: 'p' }, {}, 'password-dropped'],
  ['an id', { id: 'x' }, {}, 'read-only-dropped'],
  ['meta', { meta: { resourceType: 'User' } }, {}, 'read-only-dropped'],
  ['groups', { groups: [{ value: 'g' }] }, {}, 'read-only-dropped'],
  ['active that is blank says nothing', { active: '' }, {}, 'blank-active-dropped'],
  ['active that is null', { active: null }, {}],
  ['an unknown attribute', { shoeSize: 42 }, {}, 'unknown-attribute-dropped'],
];

test.each([
  ['an object in the place of a text', { title: { x: 1 } }, 'The value of title is not a text.'],
  ['two values where one belongs', { title: ['a', 'b'] }, 'The value of title is not a text.'],
  [
    'a part of the wrong type',
    { name: { givenName: {} } },
    'The value of givenName is not a text.',
  ],
  [
    'a part of a value of the wrong type',
    { roles: [{ value: 'r', primary: 'perhaps' }] },
    'Value 1 of roles: The value of primary is no boolean.',
  ],
  [
    'an object of unknown parts alone',
    { manager: { id: 'x' } },
    'The value of manager has no part that is known here.',
  ],
  [
    'an extension that is no object',
    { [enterprise]: 'x' },
    `The value of ${enterprise} is not an object.`,
  ],
])('a value that its attribute cannot hold is refused: %s', (_, body, message) => {
  expect(() => parse({ userName: 'a', ...body })).toThrow(
    expect.objectContaining({ status: 400, scimType: 'invalidValue', message }),
  );
});

for (const [why, body, , repair] of dropped) {
  test(`a value is dropped and counted: ${why}`, () => {
    const { attributes, mentioned, counts } = parse({ userName: 'a', ...body });
    expect(attributes).toEqual({ userName: 'a' });
    expect([...mentioned]).toEqual(['userName']);
    if (repair) expect(counts[repair]).toBeGreaterThan(0);
  });
}
