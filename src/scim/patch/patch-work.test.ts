import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { applyUserPatch, PATCH_PIECE_MAX, PATCH_WORK_MAX } from './apply-user-patch.ts';
import { add, addKeys, remove, replace, replaceKeys } from './patch-test-support.ts';

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Cost of a PATCH in units of work; `largest`: without a pause. */
interface Spent {
  readonly work: number;
  readonly largest: number;
  readonly error: unknown;
  readonly attributes: JsonObject | undefined;
}

function spend(attributes: JsonObject, operations: readonly object[]): Spent {
  const steps = parsePatch(
    { Operations: operations },
    { schema: userSchema, repairs: { count: () => {} }, operationsMax: 1_000 },
  );
  const pieces = applyUserPatch(attributes, steps);
  let work = 0;
  let largest = 0;
  try {
    for (;;) {
      const piece = pieces.next();
      if (piece.done) return { work, largest, error: undefined, attributes: piece.value };
      work += piece.value;
      largest = Math.max(largest, piece.value);
    }
  } catch (error) {
    return { work, largest, error, attributes: undefined };
  }
}

const roles = (count: number) => many(count, (index) => ({ value: `role${index}` }));
const addresses = (count: number) =>
  many(count, (index) => ({ type: 'work', streetAddress: `Road ${index}`, locality: 'Ada' }));
/** Another spelling of a name for each number, as far as its letters go. */
const spell = (name: string, number: number) =>
  [...name].map((letter, at) => ((number >> at) & 1 ? letter.toUpperCase() : letter)).join('');

/** Reason; length of a user's list; number of operations on it. */
const linear: readonly (readonly [string, (n: number) => JsonObject, (n: number) => object[]])[] = [
  [
    'values added one by one',
    () => ({}),
    (n) => many(n, (i) => add('roles', [{ value: `r${i}` }])),
  ],
  [
    'values added one by one to as many',
    (n) => ({ addresses: addresses(n) }),
    (n) => many(n, (i) => add('addresses', [{ type: 'home', streetAddress: `Way ${i}` }])),
  ],
  [
    'the same value added again and again',
    (n) => ({ addresses: addresses(n) }),
    (n) => many(n, () => add('addresses', addresses(1))),
  ],
  [
    'values removed one by one',
    (n) => ({ roles: roles(n) }),
    (n) => many(n, (i) => remove('roles', [{ value: `role${i}` }])),
  ],
  [
    'values removed that are not there',
    (n) => ({ roles: roles(n) }),
    (n) =>
      many(n, (i) =>
        remove(
          'roles',
          many(5, (k) => ({ value: `none${i}-${k}` })),
        ),
      ),
  ],
  [
    'values removed by a filter each',
    (n) => ({ roles: roles(n) }),
    (n) => many(n, (i) => remove(`roles[value eq "role${i}"]`)),
  ],
  [
    'a filter for each value as a key',
    (n) => ({ roles: roles(n) }),
    (n) => [
      replaceKeys(
        Object.fromEntries(many(n, (i) => [`roles[value eq "ROLE${i}"].display`, `${i}`])),
      ),
    ],
  ],
  [
    'spellings of one key',
    (n) => ({ roles: roles(n) }),
    (n) => [
      addKeys(
        Object.fromEntries(
          many(n, (i) => [spell('entitlements', i + 1), [{ value: `e${i % 100}` }]]),
        ),
      ),
    ],
  ],
];

for (const [why, attributes, operations] of linear) {
  test(`twice as many are twice the work: ${why}`, () => {
    const few = spend(attributes(200), operations(200));
    const more = spend(attributes(400), operations(400));

    expect([few.error, more.error]).toEqual([undefined, undefined]);
    expect(more.work / few.work).toBeLessThan(2.2);
    expect(more.largest).toBeLessThan(50);
  });
}

const tooMuch: readonly (readonly [string, JsonObject, object[]])[] = [
  [
    'a use that many values have, named again and again',
    { roles: many(900, (i) => ({ value: `role${i}`, type: 'work' })) },
    many(1_000, (i) => replace('roles[type eq "work"].display', `${i}`)),
  ],
  [
    'many values compared with much',
    { roles: roles(900) },
    [remove(`roles[${many(300, (i) => `display co "${i}"`).join(' or ')}]`)],
  ],
  [
    'a long text in every value',
    { roles: roles(900) },
    [replace('roles.display', 'x'.repeat(100_000))],
  ],
  [
    'a long text compared with much',
    { roles: [{ value: 'role', display: 'x'.repeat(200_000) }] },
    [remove('roles[display co "a" or display co "b"]')],
  ],
];

for (const [why, attributes, operations] of tooMuch) {
  test(`more than a PATCH may be is refused before it is done: ${why}`, () => {
    const { error, work, largest } = spend(attributes, operations);

    expect(error).toMatchObject({
      status: 400,
      scimType: 'invalidValue',
      message: expect.stringContaining(String(PATCH_WORK_MAX)),
    });
    expect(work).toBeLessThanOrEqual(PATCH_WORK_MAX);
    expect(largest).toBeLessThanOrEqual(PATCH_PIECE_MAX);
  });
}

test('what a provider sends is little work', () => {
  const person = { emails: [{ value: 'ada@x', type: 'work' }], roles: roles(20) };
  const operations = many(30, (i) => replace('emails[type eq "work"].value', `ada${i}@x`));

  expect(spend(person, operations).work).toBeLessThan(PATCH_WORK_MAX / 500);
});
