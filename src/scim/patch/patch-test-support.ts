import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { parsePatch } from '../dialect/parse-body.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { applyPatch } from './apply-patch.ts';

/** The URN of the core schema. */
export const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The URN of the enterprise extension. */
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The first address of `ada`. */
export const work = { value: 'ada@work.example', type: 'work', primary: true };
/** The second address of `ada`. */
export const home = { value: 'ada@home.example', type: 'home' };
/** The manager of `ada`. */
export const manager = { value: 'm1', $ref: 'http://x/m1' };

/** A user to be patched. */
export const ada: JsonObject = {
  userName: 'ada@x.example',
  active: true,
  title: 'Countess',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [work, home],
  [enterprise]: { department: 'R&D', manager },
};

/** One or several operations; attributes of `ada` that differ afterwards, undefined: no longer there. */
export type PatchCase = readonly [object | readonly object[], Record<string, unknown>];

/** An operation with a path. */
export const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
/** An operation with a path. */
export const add = (path: string, value: unknown) => ({ op: 'add', path, value });
/** An operation with a path, and a value only when one is given. */
export const remove = (path: string, ...values: unknown[]) => {
  const [value] = values;
  return values.length === 0 ? { op: 'remove', path } : { op: 'remove', path, value };
};
/** An operation without a path. */
export const replaceKeys = (value: unknown) => ({ op: 'replace', value });
/** An operation without a path. */
export const addKeys = (value: unknown) => ({ op: 'add', value });

/** The attributes after the operations of one PATCH. */
export function patch(attributes: JsonObject, operations: unknown): JsonObject {
  const Operations = Array.isArray(operations) ? operations : [operations];
  const { steps } = parsePatch(
    { Operations },
    { schema: userSchema, repairs: { count: () => {} } },
  );
  return applyPatch(attributes, steps);
}

/** Tests that a PATCH of `ada` changes these attributes alone, the same when sent again, and never its input. */
export function testPatches(title: string, cases: readonly PatchCase[]): void {
  for (const [operations, want] of cases) {
    test(`${title}: ${JSON.stringify(operations)}`, () => {
      const before = structuredClone(ada);
      const after = Object.entries({ ...ada, ...want }).filter(([, value]) => value !== undefined);
      const patched = patch(ada, operations);
      expect(patched).toStrictEqual(Object.fromEntries(after));
      expect(ada, 'the input is not touched').toStrictEqual(before);
      expect(patch(patched, operations), 'again: no change').toStrictEqual(patched);
    });
  }
}
