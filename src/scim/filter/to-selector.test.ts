import { expect, test } from 'vitest';
import { groupSchema, userSchema } from '../scim-test-support.ts';
import { parseFilter } from './parse-filter.ts';
import { toSelector } from './to-selector.ts';

const moment = '"2026-03-01T12:00:00Z"';
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

test('an index that finds each part of a filter on one element does not answer it alone', () => {
  const filter = parseFilter('members[value eq "1" and value eq "2"]', groupSchema);

  expect(toSelector(filter)).toMatchObject({ selector: { kind: 'and' }, exact: false });
});
