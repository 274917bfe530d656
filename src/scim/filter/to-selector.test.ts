import { expect, test } from 'vitest';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';
import { parseFilter } from './parse-filter.ts';
import { toSelector } from './to-selector.ts';

const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const email = { kind: 'email', op: 'eq', value: 'ada@example.com' };
const id = { kind: 'id', op: 'eq', value: 'X1' };

const isActive = { kind: 'active', op: 'eq', value: true };
const both = { kind: 'and', parts: [id, isActive] };
const moment = '"2026-03-01T12:00:00Z"';
/** What an index is asked for each filter, and whether its answer is exact. */
const cases: readonly (readonly [filter: string, selector: object | undefined, exact: boolean])[] =
  [
    [
      'userName eq "Ada@Example.com"',
      { kind: 'userName', op: 'eq', value: 'ada@example.com' },
      true,
    ],
    ['id eq "X1"', id, true],
    ['externalId eq "X1"', { ...id, kind: 'externalId' }, true],
    ['displayName eq "Ada L"', { kind: 'displayName', op: 'eq', value: 'ada l' }, true],
    ['active eq "False"', { ...isActive, value: false }, true],
    ['emails eq "Ada@example.com"', email, true],
    ['emails[value eq "Ada@example.com"]', email, true],
    ['emails[type eq "work"].value eq "Ada@example.com"', email, false],
    ['groups.value eq "g1"', { kind: 'member', op: 'eq', value: 'g1' }, true],
    ...['eq', 'gt', 'ge', 'lt', 'le'].map((op) => {
      const selector = { kind: 'lastModified', op, value: Date.UTC(2026, 2, 1, 12) };
      return [`meta.lastModified ${op} ${moment}`, selector, true] as const;
    }),
    ['id eq "X1" and active eq true', both, true],
    ['id eq "X1" and manager eq "m"', id, false],
    ['id eq "X1" and not (active eq true)', id, false],
    ['id eq "X1" or (id eq "X1" and title pr)', { kind: 'or', parts: [id, id] }, false],
    ['shoeSize eq 42', { kind: 'or', parts: [] }, true],
    ['emails[value eq "a"] and emails[primary eq true]', { ...email, value: 'a' }, false],
    ['id eq "X1" or id eq "X1" and active eq true', { kind: 'or', parts: [id, both] }, true],
    ...[
      'id eq "X1" or manager eq "m"',
      'not (userName eq "x")',
      'userName ne "x"',
      'userName sw "x"',
      'userName pr',
      `meta.lastModified ne ${moment}`,
      'title eq "x"',
      'title eq "x" and title pr',
      'emails[primary eq true]',
      `${workManagement}:appsPermissions ge 5`,
      `${workManagement}:appsPermissions eq 5`,
      'meta.lastModified sw "2026"',
      'meta.lastModified co "T12:"',
    ].map((filter) => [filter, undefined, false] as const),
  ];

for (const [filter, selector, exact] of cases) {
  const found = selector
    ? `is answered by an index, ${exact ? 'exactly' : 'then checked'}`
    : 'scans';
  test(`${filter} ${found}`, () => {
    expect(toSelector(parseFilter(filter, userSchema))).toEqual({ selector, exact });
  });
}

test('members of a group are answered by an index', () => {
  const selector = { kind: 'member', op: 'eq', value: 'u1' };
  for (const filter of ['members eq "u1"', 'members.value eq "u1"', 'members[value eq "u1"]'])
    expect(toSelector(parseFilter(filter, groupSchema))).toEqual({ selector, exact: true });
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
