import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullName, normaliseName, splitName } from '../../../src/domain/name.ts';
import type { JsonObject, JsonValue } from '../../../src/domain/values.ts';
import { foldCase } from '../../../src/domain/values.ts';
import type { Content } from '../../../src/scim/dialect/parse-body.ts';
import { parseResource } from '../../../src/scim/dialect/parse-body.ts';
import { ScimError } from '../../../src/scim/errors.ts';
import type { RepairKind } from '../../../src/scim/repairs.ts';
import { groupSchema, userSchema } from '../../../src/scim/scim-test-support.ts';
import { hold } from './hold.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const WORK = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

const word = fc.oneof(
  fc.constantFrom('ada', ' Ada ', 'é', 'e\u0301', 'x'.repeat(40), 'True', '7'),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const blank = fc.constantFrom('', ' ', null);
const flag = fc.constantFrom(true, false, 'True', 'false', 'TRUE', ['true'], { value: 'True' });
const text: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: word },
  blank,
  word.map((one) => [one]),
  word.map((value) => ({ value })),
  fc.integer({ min: 0, max: 99 }),
);
const element: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record(
    { value: text, type: fc.oneof(fc.constantFrom('work', 'Work', 'home'), blank), primary: flag },
    { requiredKeys: [] },
  ),
  word,
  blank,
);
const list: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: fc.array(element, { maxLength: 4 }) },
  element,
);

function spell(name: string): fc.Arbitrary<string> {
  return fc.constantFrom(name, name, name.toLowerCase(), name.toUpperCase());
}

type Entry = readonly [string, JsonValue];

function entry(name: string, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<Entry> {
  return fc.tuple(spell(name), value);
}

function body(entries: readonly fc.Arbitrary<Entry>[]): fc.Arbitrary<JsonObject> {
  return fc
    .array(fc.oneof(...entries), { maxLength: 8 })
    .map((some) => Object.fromEntries(some.map(([key, value]) => [key, value])));
}

const userBody = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 8 }).filter((one) => one.trim() !== ''),
    body([
      entry('title', text),
      entry('displayName', text),
      entry('externalId', text),
      entry('active', fc.oneof(flag, blank)),
      entry('emails', list),
      entry('phoneNumbers', list),
      entry('password', word),
      entry('unheardOf', text),
      entry('name.givenName', text),
      entry(`${USER}:nickName`, text),
      entry(`${ENTERPRISE}:department`, text),
      entry('name', body([entry('givenName', text), entry('familyName', text)])),
      entry('roles', list),
      entry(ENTERPRISE, body([entry('department', text), entry('manager', text)])),
      entry(WORK, body([entry('appsPermissions', fc.constantFrom(1, '2', null))])),
    ]),
  )
  .map(([userName, rest]): JsonObject => ({ ...rest, userName }));

const groupBody = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 8 }).filter((one) => one.trim() !== ''),
    body([
      entry('externalId', text),
      entry('members', fc.array(fc.record({ value: fc.uuid(), display: word }), { maxLength: 4 })),
    ]),
  )
  .map(([displayName, rest]): JsonObject => ({ ...rest, displayName }));

describe('what the normaliser made of a body', () => {
  const expectStable = (
    schema: typeof userSchema,
    bodies: fc.Arbitrary<JsonObject>,
    schemas: readonly string[],
  ) =>
    fc.property(bodies, (sent) => {
      const first = attempt(() => parseResource(sent, schema, { count: () => undefined }));
      if (first === undefined) return;
      const repairs: RepairKind[] = [];
      const ids = listMembers(first);
      const members = ids && { members: ids.map((value) => ({ value })) };
      const canonical = { schemas, ...first.attributes, ...members };
      const again = parseResource(canonical, schema, { count: (kind) => void repairs.push(kind) });

      expect(again.attributes).toEqual(first.attributes);
      expect(listMembers(again)).toEqual(ids);
      expect(repairs).toEqual([]);
    });

  test('is what it makes of that again, with nothing left to put right: a user', () =>
    hold(expectStable(userSchema, userBody, [USER, ENTERPRISE, WORK]), 250));

  test('is what it makes of that again, with nothing left to put right: a group', () =>
    hold(expectStable(groupSchema, groupBody, [GROUP]), 125));

  test('names, too: folded once is folded for good', () =>
    hold(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(foldCase(foldCase(name))).toBe(foldCase(name));
        expect(normaliseName(normaliseName(name))).toBe(normaliseName(name));
        expect(fullName(splitName(name))).toBe(normaliseName(name));
      }),
      250,
    ));
});

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}

function listMembers({ steps }: Content): string[] | undefined {
  const step = steps.find(({ kind }) => kind === 'users');
  return step?.kind === 'users' ? [...step.ids.keys()] : undefined;
}
