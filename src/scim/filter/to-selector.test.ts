import { expect, test } from 'vitest';
import { groupSchema, userSchema } from '../scim-test-support.ts';
import { parseFilter } from './parse-filter.ts';
import { toSelector } from './to-selector.ts';

const leaf = (kind: string, value: unknown, op = 'eq') => ({ kind, op, value });
const [id, email, active] = [leaf('id', 'X1'), leaf('email', 'a'), leaf('active', true)];
const and = (...parts: object[]) => ({ kind: 'and', parts });
const or = (...parts: object[]) => ({ kind: 'or', parts });
type Row = [filter: string, selector: object | undefined, exact: boolean];
const moment = '"2026-03-01T12:00:00Z"';

test.each<Row>([
  ['userName eq "Ada@Example.com"', leaf('userName', 'ada@example.com'), true],
  ['id eq "X1"', id, true],
  ['externalId eq "X1"', leaf('externalId', 'X1'), true],
  ['displayName eq "Ada L"', leaf('displayName', 'ada l'), true],
  ['active eq "False"', leaf('active', false), true],
  ['emails eq "A"', email, true],
  ['emails[type eq "work"].value eq "A"', email, false],
  ['groups.value eq "g1"', leaf('member', 'g1'), true],
  ...['eq', 'gt', 'ge', 'lt', 'le'].map((op) => {
    const selector = leaf('lastModified', Date.UTC(2026, 2, 1, 12), op);
    return [`meta.lastModified ${op} ${moment}`, selector, true] satisfies Row;
  }),
  ['id eq "X1" and active eq true', and(id, active), true],
  ['id eq "X1" and manager eq "m"', id, false],
  ['id eq "X1" or (id eq "X1" and title pr)', or(id, id), false],
  ['id eq "X1" or id eq "X1" and active eq true', or(id, and(id, active)), true],
  ['shoeSize eq 42', or(), true],
  ['id eq "X1" or manager eq "m"', undefined, false],
  ['not (userName eq "x")', undefined, false],
  ['userName sw "x"', undefined, false],
  ['userName pr', undefined, false],
  [`meta.lastModified ne ${moment}`, undefined, false],
  ['meta.lastModified sw "2026"', undefined, false],
  ['title eq "x"', undefined, false],
  ['emails[primary eq true]', undefined, false],
  ['members eq "u1"', leaf('member', 'u1'), true],
  ['members[value eq "1" and value eq "2"]', and(leaf('member', '1'), leaf('member', '2')), false],
])('%s asks an index for %j, and exactly that: %s', (filter, selector, exact) => {
  const schema = filter.startsWith('members') ? groupSchema : userSchema;
  expect(toSelector(parseFilter(filter, schema))).toEqual({ selector, exact });
});

const many = (part: string, glue: string, count: number) =>
  Array.from({ length: count }, (_, index) => part.replace('#', `${index}`)).join(glue);
const ten = many('(id eq "x#" or active eq true)', ' and ', 5);
test.each([
  ['hundreds of names are', `(${many('id eq "x#"', ' or ', 300)}) and active eq true`, true],
  ['ten conditions of any form are', ten, true],
  ['eleven are not', `${ten} and active eq true`, false],
  ['eleven names at once are not', many('id eq "x#"', ' and ', 11), false],
  ['many moments are not', many(`meta.lastModified gt ${moment}`, ' or ', 12), false],
  [
    'names of two kinds are not',
    many('(id eq "x#" or externalId eq "y") and userName eq "z"', ' or ', 4),
    false,
  ],
])('%s asked of a database, which nothing can interrupt', (_why, filter, isAsked) => {
  expect(toSelector(parseFilter(filter, userSchema)).selector !== undefined).toBe(isAsked);
});
