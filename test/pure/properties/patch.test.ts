import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/values.ts';
import { isJsonObject } from '../../../src/domain/values.ts';
import { bridgeForSuite } from '../../support/bridge.ts';
import { toGroup, toMembers, toUser } from '../../support/provider.ts';
import { hold } from './hold.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const SIMPLE = [
  ['title', 'title'],
  ['nickName', 'nickName'],
  ['displayName', 'displayName'],
  ['externalId', 'externalId'],
  ['active', 'active'],
  ['name.givenName', 'name'],
  ['name.familyName', 'name'],
  [`${ENTERPRISE}:department`, ENTERPRISE],
  [`${ENTERPRISE}:costCenter`, ENTERPRISE],
] as const;

const PEOPLE = 6;

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: JsonValue;
}

interface Kind {
  readonly path: string;
  readonly ownKeys: readonly string[];
}
const USERS: Kind = { path: '/Users', ownKeys: ['id', 'meta', 'userName', 'emails'] };
const GROUPS: Kind = { path: '/Groups', ownKeys: ['id', 'meta', 'displayName'] };

type ToBody = (n: number) => JsonObject;

const DETAILS = {
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  title: 'Countess',
  nickName: 'x',
  [ENTERPRISE]: { division: 'd', department: 'a' },
};

interface Named {
  readonly operation: Operation;
  readonly key: string;
}

const userOperation: fc.Arbitrary<Named> = fc.constantFrom(...SIMPLE).chain(([path, key]) => {
  const value = path === 'active' ? fc.boolean() : fc.constantFrom('a', 'b', 'C');
  const set = fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), value });
  const remove = fc.constant({ op: 'remove' as const });
  const change = path === 'active' ? set : fc.oneof({ weight: 3, arbitrary: set }, remove);
  return change.map((one) => ({ operation: { path, ...one }, key }));
});

type GroupOperation =
  | { readonly op: Operation['op']; readonly places: readonly number[] }
  | { readonly removes: number | 'everybody' }
  | { readonly externalId: string };

const place = fc.nat({ max: PEOPLE - 1 });
const groupOperation: fc.Arbitrary<GroupOperation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('add', 'remove', 'replace'),
      places: fc.array(place, { minLength: 1, maxLength: 4 }),
    }),
  },
  fc.record({ removes: fc.oneof(place, fc.constant('everybody' as const)) }),
  fc.record({ externalId: fc.constantFrom('a', 'b') }),
);

function toNamed(operation: GroupOperation, ids: readonly string[]): Named {
  if ('externalId' in operation) {
    const { externalId: value } = operation;
    return { operation: { op: 'replace', path: 'externalId', value }, key: 'externalId' };
  }
  if ('places' in operation) {
    const { op, places } = operation;
    const value = toMembers(places.map((one) => ids[one] ?? ''));
    return { operation: { op, path: 'members', value }, key: 'members' };
  }
  const { removes } = operation;
  const path = removes === 'everybody' ? 'members' : `members[value eq "${ids[removes]}"]`;
  return { operation: { op: 'remove', path }, key: 'members' };
}

describe('PATCH with several operations', () => {
  const bridge = bridgeForSuite({ settings: { SCIM_WRITE_WAIT: '0s' } });
  let ids: readonly string[];
  let made = 0;
  beforeAll(async () => {
    ids = await bridge.addUsers(PEOPLE);
  });

  test('a user: one by one equals together, and what no operation names stays as it was', () =>
    hold(
      fc.asyncProperty(fc.array(userOperation, { minLength: 1, maxLength: 6 }), async (named) => {
        await compare(USERS, named, (n) => toUser(`p${n}`, DETAILS));
      }),
      5,
    ));

  test('a group: one by one equals together, and what no operation names stays as it was', () =>
    hold(
      fc.asyncProperty(
        fc.array(groupOperation, { minLength: 1, maxLength: 6 }),
        fc.subarray(Array.from({ length: PEOPLE }, (_, n) => n)),
        async (operations, places) => {
          const members = places.map((one) => ids[one] ?? '');
          const named = operations.map((operation) => toNamed(operation, ids));
          await compare(GROUPS, named, (n) => toGroup(`g${n}`, members));
        },
      ),
      5,
    ));

  /** Two alike: one is changed by one PATCH, the other by one for each operation. */
  async function compare(kind: Kind, named: readonly Named[], toBody: ToBody): Promise<void> {
    const operations = named.map(({ operation }) => ({ ...operation }));
    const together = await make(kind, toBody);
    const before = await read(together);
    await bridge.patch(together, ...operations);
    const after = await read(together);
    const oneByOne = await make(kind, toBody);
    for (const operation of operations) await bridge.patch(oneByOne, operation);

    expect(withoutKeys(after, kind.ownKeys)).toEqual(
      withoutKeys(await read(oneByOne), kind.ownKeys),
    );
    expect(withoutNamed(after, named)).toEqual(withoutNamed(before, named));
  }

  async function make({ path }: Kind, toBody: ToBody): Promise<string> {
    made += 1;
    return `${path}/${String((await bridge.send('POST', path, toBody(made))).body.id)}`;
  }

  async function read(path: string): Promise<JsonObject> {
    const { members, ...rest } = (await bridge.send('GET', path)).body;
    return members === undefined ? rest : { ...rest, members: toSorted(members) };
  }
});

function toSorted(members: JsonValue): JsonValue[] {
  const list = Array.isArray(members) ? members : [];
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function withoutKeys(resource: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([key]) => !keys.includes(key)));
}

function withoutNamed(resource: JsonObject, named: readonly Named[]): JsonObject {
  const paths = new Set(named.map(({ operation }) => operation.path));
  const keys = new Set(named.map(({ key }) => key));
  const rest: JsonObject = {};
  for (const [key, value] of Object.entries(withoutKeys(resource, ['meta', 'schemas']))) {
    if (isJsonObject(value)) {
      const join = key === 'name' ? '.' : ':';
      for (const [sub, part] of Object.entries(value)) {
        const path = `${key}${join}${sub}`;
        if (!paths.has(path)) rest[path] = part;
      }
    } else if (!keys.has(key)) {
      rest[key] = value;
    }
  }
  return rest;
}
