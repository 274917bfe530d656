import { expect, test } from 'vitest';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';
import { parseFilter } from './parse-filter.ts';
import { toSelector } from './to-selector.ts';

const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const email = { kind: 'email', op: 'eq', value: 'ada@example.com' };
const id = { kind: 'id', op: 'eq', value: 'X1' };

const cases = [
  {
    filter: 'userName eq "Ada@Example.com"',
    selector: { kind: 'userName', op: 'eq', value: 'ada@example.com' },
    exact: true,
  },
  { filter: 'id eq "X1"', selector: id, exact: true },
  { filter: 'externalId eq "X1"', selector: { ...id, kind: 'externalId' }, exact: true },
  {
    filter: 'displayName eq "Ada L"',
    selector: { kind: 'displayName', op: 'eq', value: 'ada l' },
    exact: true,
  },
  {
    filter: 'active eq "False"',
    selector: { kind: 'active', op: 'eq', value: false },
    exact: true,
  },
  { filter: 'emails eq "Ada@example.com"', selector: email, exact: true },
  { filter: 'emails[value eq "Ada@example.com"]', selector: email, exact: true },
  { filter: 'emails[type eq "work"].value eq "Ada@example.com"', selector: email, exact: false },
  {
    filter: 'groups.value eq "g1"',
    selector: { kind: 'member', op: 'eq', value: 'g1' },
    exact: true,
  },
  ...['eq', 'gt', 'ge', 'lt', 'le'].map((op) => ({
    filter: `meta.lastModified ${op} "2026-03-01T12:00:00Z"`,
    selector: { kind: 'lastModified', op, value: Date.UTC(2026, 2, 1, 12) },
    exact: true,
  })),
  {
    filter: 'id eq "X1" and active eq true',
    selector: { kind: 'and', parts: [id, { kind: 'active', op: 'eq', value: true }] },
    exact: true,
  },
  { filter: 'id eq "X1" and manager eq "m"', selector: id, exact: false },
  { filter: 'id eq "X1" and not (active eq true)', selector: id, exact: false },
  { filter: 'id eq "X1" or manager eq "m"', selector: undefined, exact: false },
  {
    filter: 'id eq "X1" or (id eq "X1" and title pr)',
    selector: { kind: 'or', parts: [id, id] },
    exact: false,
  },
  { filter: 'shoeSize eq 42', selector: { kind: 'or', parts: [] }, exact: true },
  { filter: 'not (userName eq "x")', selector: undefined, exact: false },
  { filter: 'userName ne "x"', selector: undefined, exact: false },
  { filter: 'userName sw "x"', selector: undefined, exact: false },
  { filter: 'userName pr', selector: undefined, exact: false },
  { filter: 'meta.lastModified ne "2026-03-01T12:00:00Z"', selector: undefined, exact: false },
  { filter: 'title eq "x"', selector: undefined, exact: false },
  { filter: 'title eq "x" and title pr', selector: undefined, exact: false },
  { filter: 'emails[primary eq true]', selector: undefined, exact: false },
  {
    filter: 'emails[value eq "a"] and emails[primary eq true]',
    selector: { ...email, value: 'a' },
    exact: false,
  },
  { filter: `${workManagement}:appsPermissions ge 5`, selector: undefined, exact: false },
  { filter: `${workManagement}:appsPermissions eq 5`, selector: undefined, exact: false },
  { filter: 'meta.lastModified sw "2026"', selector: undefined, exact: false },
  { filter: 'meta.lastModified co "T12:"', selector: undefined, exact: false },
  {
    filter: 'id eq "X1" or id eq "X1" and active eq true',
    selector: {
      kind: 'or',
      parts: [id, { kind: 'and', parts: [id, { kind: 'active', op: 'eq', value: true }] }],
    },
    exact: true,
  },
];

for (const { filter, selector, exact } of cases) {
  const found = selector
    ? `is answered by an index, ${exact ? 'exactly' : 'then checked'}`
    : 'scans';
  test(`${filter} ${found}`, () => {
    expect(toSelector(parseFilter(filter, userSchema))).toEqual({ selector, exact });
  });
}

test('members of a group are answered by an index', () => {
  const selector = { kind: 'member', op: 'eq', value: 'u1' };
  for (const filter of ['members eq "u1"', 'members.value eq "u1"', 'members[value eq "u1"]']) {
    expect(toSelector(parseFilter(filter, groupSchema))).toEqual({ selector, exact: true });
  }
});

test('two conditions on one element are checked, because an index finds them on two', () => {
  const filter = 'members[value eq "u1" and value eq "u2"]';
  expect(toSelector(parseFilter(filter, groupSchema)).exact).toBe(false);
});

const many = (part: string, glue: string, count: number) =>
  Array.from({ length: count }, (_, index) => part.replace('#', String(index))).join(glue);
const sizes: [why: string, filter: string, isAsked: boolean][] = [
  ['hundreds of names', many('id eq #', ' or ', 600), true],
  [
    'hundreds of names and a few conditions',
    `(${many('id eq "x#"', ' or ', 300)}) and active eq true`,
    true,
  ],
  ['ten conditions of any form', many('(id eq "x#" or active eq true)', ' and ', 5), true],
  [
    'eleven of them',
    `${many('(id eq "x#" or active eq true)', ' and ', 5)} and active eq true`,
    false,
  ],
  ['many moments', many('meta.lastModified gt "2026-01-01T00:00:00.#Z"', ' or ', 12), false],
  [
    'names that no single index finds',
    many('(id eq "x#" or externalId eq "y#") and userName eq "z#"', ' or ', 4),
    false,
  ],
];
for (const [why, filter, isAsked] of sizes) {
  test(`${why}: ${isAsked ? 'the database is asked' : 'a database would hold everybody up'}`, () => {
    const parsed = parseFilter(filter, userSchema);

    expect(toSelector(parsed).selector !== undefined).toBe(isAsked);
  });
}
