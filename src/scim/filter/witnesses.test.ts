import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { collectWitnesses, matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

const tests = [
  'members pr',
  'members.display pr',
  'members.value eq "a"',
  'members eq "b"',
  'members.display ne "Ada"',
  'members.display co "b"',
  'members.display eq null',
  'members[value eq "a" and display eq "Bob"]',
  'members[not (display pr)]',
  'members[display ne "Ada"]',
];
const filters = [
  ...tests,
  ...tests.map((one) => `not (${one})`),
  ...tests.flatMap((one) => tests.map((other) => `${one} and not (${other})`)),
  ...tests.map((one) => `displayName eq "Crew" and (${one} or externalId pr)`),
];

const people: JsonObject[] = ['a', 'b'].flatMap((value): JsonObject[] => [
  { value, display: 'Ada' },
  { value, display: 'Bob' },
  { value },
]);
const longer = (some: readonly JsonObject[][]) =>
  some.flatMap((list) => people.map((one) => [...list, one]));
const ones = longer([[]]);
const twos = longer(ones);
/** Every list of up to three of them. */
const lists = [[], ...ones, ...twos, ...longer(twos)];

test('a filter says the same of the witnesses of a list as of the whole', () => {
  const wrong: unknown[] = [];
  for (const text of filters) {
    const filter = parseFilter(text, groupSchema);
    for (const members of lists) {
      const witnesses = collectWitnesses(filter, 'members');
      members.every((member) => witnesses.look(member));
      const [few, all] = [witnesses.list(), members].map((some) =>
        matches(filter, { displayName: 'Crew', members: some }),
      );

      const isSame = few === all && witnesses.list()[0] === members[0];
      if (!isSame) wrong.push({ text, members, few, all });
    }
  }
  expect(wrong).toEqual([]);
});

test('of any number of members few are kept, and once all is known no more are asked for', () => {
  const filter = parseFilter('members[display eq "x"] or members.value eq "5"', groupSchema);
  const witnesses = collectWitnesses(filter, 'members');
  const asked = Array.from({ length: 100_000 }, (_, index) => ({ value: String(index) }));

  expect(asked.every((member) => witnesses.look(member))).toBe(true);
  expect(witnesses.list()).toEqual([{ value: '0' }, { value: '5' }]);
  expect(witnesses.look({ value: 'a', display: 'x' })).toBe(false);
});
