import { expect, test } from 'vitest';
import {
  findAttribute,
  findRule,
  findTable,
  groupSchema,
  isQualified,
  userSchema,
} from './resource-schemas.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const names = [
  { why: 'the name of the schema', name: 'userName', want: ['userName'] },
  { why: 'odd case', name: 'NAME.FAMILYNAME', want: ['name', 'familyName'] },
  { why: 'qualified by the core URN', name: `${core}:name.givenName`, want: ['name', 'givenName'] },
  {
    why: 'qualified by an extension',
    name: `${enterprise}:department`,
    want: [enterprise, 'department'],
  },
  {
    why: 'qualified by a misspelt URN',
    name: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User:department',
    want: [enterprise, 'department'],
  },
  { why: 'an enterprise attribute, bare', name: 'manager', want: [enterprise, 'manager'] },
  { why: 'a common attribute', name: 'meta.lastModified', want: ['meta', 'lastModified'] },
  { why: 'unknown', name: 'shoeSize', want: undefined },
  { why: 'an unknown sub-attribute', name: 'name.shoeSize', want: undefined },
  { why: 'only the work-management URN reaches its attributes', name: 'role', want: undefined },
  { why: 'a name every object has', name: 'constructor', want: undefined },
  { why: 'the prototype', name: '__proto__', want: undefined },
];

for (const { why, name, want } of names) {
  test(`findAttribute: ${why}`, () => expect(findAttribute(userSchema, name)?.keys).toEqual(want));
}

test('an extension has no id of its own', () => {
  expect(findAttribute(userSchema, `${enterprise}:id`)).toBeUndefined();
});

test('a schema is found by its URN in any case and by the URNs of old', () => {
  expect(findTable(userSchema, core.toUpperCase())?.urn).toBe(core);
  expect(findTable(userSchema, 'urn:scim:schemas:extension:enterprise:1.0')?.urn).toBe(enterprise);
  expect(findTable(groupSchema, enterprise)).toBeUndefined();
});

test('qualified names are told from plain ones', () => {
  expect(isQualified('urn:okta:acme:2.0:user:custom')).toBe(true);
  expect(isQualified('HTTP://schemas.example/x')).toBe(true);
  expect(isQualified('urnName')).toBe(false);
});

test('the rules of an attribute cannot be changed', () => {
  expect(Object.isFrozen(findRule(userSchema.core.attributes, 'USERNAME'))).toBe(true);
});
