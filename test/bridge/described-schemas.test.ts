import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addUser, listResources, send, toPatch, toUser } from '../support/provider.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** One attribute as `/Schemas` describes it. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly mutability: string;
  readonly returned: string;
  readonly uniqueness?: string;
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Described[];
}

/** An attribute and the schema that it belongs to. */
interface Place {
  readonly type: 'Users' | 'Groups';
  readonly urn: string;
  readonly attribute: Described;
}

/** Numbers that the service takes. */
const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  appsPermissions: [1, 2],
  permissions: [16, 24],
};
/** The account is known by it, so it cannot be any text, nor be cleared without another. */
const ADDRESSES = 'emails';
/** Values of attributes that are never without one again, as their descriptions say. */
const CLEARED: Readonly<Record<string, boolean>> = { active: true, temporarilyInactive: false };

let bridge: TestBridge;
let places: readonly Place[];
let people: readonly string[];
let count = 0;

beforeAll(async () => {
  bridge = await startTestBridge({
    settings: { GROUPS_PERMISSIONS_MAX: '31', SCIM_REQUESTS_PER_SECOND: '0' },
  });
  const described = listResources(await send(bridge, 'GET', '/Schemas'));
  const types = listResources(await send(bridge, 'GET', '/ResourceTypes'));
  // Roles and entitlements are written by nobody: `assignments.test.ts`.
  const written = types.filter(({ name }) => name === 'User' || name === 'Group');
  places = written.flatMap(({ endpoint, schema, schemaExtensions }) => {
    const extensions = [schemaExtensions].flat().map((one) => Object(one).schema);
    return [schema, ...extensions].flatMap((urn) => {
      const found = described.find(({ id }) => id === urn);
      const type = endpoint === '/Users' ? ('Users' as const) : ('Groups' as const);
      return toDescribed(found).map((attribute) => ({ type, urn: String(urn), attribute }));
    });
  });
  people = [await addUser(bridge, 'member-one'), await addUser(bridge, 'member-two')];
});

afterAll(() => bridge.stop());

function toDescribed(schema: JsonObject | undefined): Described[] {
  const attributes = Array.isArray(schema?.attributes) ? schema.attributes : [];
  return attributes.map((attribute): Described => Object(attribute));
}

function toPath({ urn, attribute }: Place): string {
  return urn === USER || urn === GROUP ? attribute.name : `${urn}:${attribute.name}`;
}

function isUserList({ attribute }: Place): boolean {
  return attribute.name === 'members' || attribute.name === 'admins';
}

/** A value of the attribute; two of them differ in all their parts. */
function toValue(place: Place, which: 0 | 1): JsonValue {
  const { attribute } = place;
  if (isUserList(place)) return [{ value: people[which] ?? '' }];
  if (attribute.name === ADDRESSES)
    return [{ value: `Aa${count}-${which}@example.com`, type: 'odd' }];
  if (!attribute.multiValued) return toSingle(attribute, `${which}`);
  return [toSingle(attribute, `${which}a`), toSingle(attribute, `${which}b`)];
}

function toSingle({ name, type, subAttributes = [] }: Described, mark: string): JsonValue {
  switch (type) {
    case 'boolean':
      // At most one value of a list is primary.
      return name === 'primary' ? mark.endsWith('a') : mark.startsWith('0');
    case 'integer':
      return NUMBERS[name]?.[mark.startsWith('0') ? 0 : 1] ?? 0;
    case 'reference':
      return `https://example.com/Aa-${name}-${mark}`;
    case 'binary':
      return Buffer.from(`Aa-${name}-${mark}`).toString('base64');
    case 'complex':
      return Object.fromEntries(
        subAttributes
          .filter(({ mutability }) => mutability === 'readWrite')
          .map((sub) => [sub.name, toSingle(sub, mark)]),
      );
    default:
      return `Aa-${name}-${mark}-${count}`;
  }
}

/** A new resource with more than it needs. */
async function create(type: 'Users' | 'Groups', path?: string, value?: JsonValue) {
  count += 1;
  const change = path === undefined ? {} : toChange(path, value ?? null);
  const body =
    type === 'Users'
      ? { ...toUser(`described-${count}`), ...change }
      : { schemas: [GROUP], displayName: `Described ${count}`, ...change };
  return bridge.request('POST', `/${type}`, body);
}

/** The path as members of a body. */
function toChange(path: string, value: JsonValue): JsonObject {
  const at = path.lastIndexOf(':');
  return at === -1 ? { [path]: value } : { [path.slice(0, at)]: { [path.slice(at + 1)]: value } };
}

async function read(type: string, id: unknown, path: string): Promise<JsonValue | undefined> {
  const { body } = await send(bridge, 'GET', `/${type}/${id}`);
  const at = path.lastIndexOf(':');
  if (at === -1) return body[path];
  const extension = body[path.slice(0, at)];
  return isJsonObject(extension) ? extension[path.slice(at + 1)] : undefined;
}

/** Lists of people, which are unlike all others, are always among them. */
function listPlaces(mutability: string): Place[] {
  const fitting = places.filter(({ attribute }) => attribute.mutability === mutability);
  const others = fitting.filter((place) => !isUserList(place));
  return [...others, ...fitting.filter(isUserList)];
}

/** What is sent, as part of what is answered. */
function containing(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map((item) => expect.objectContaining(Object(item)));
  return isJsonObject(value) ? expect.objectContaining(value) : value;
}

function patch(place: Place, id: unknown, operation: JsonObject) {
  return bridge.request('PATCH', `/${place.type}/${id}`, toPatch(operation));
}

describe('what /Schemas says is so, attribute by attribute', () => {
  test('readWrite and returned: a value comes back as it was sent, and as it was changed', async () => {
    for (const place of listPlaces('readWrite')) {
      const path = toPath(place);
      const first = toValue(place, 0);
      const created = await create(place.type, path, first);
      expect({ path, status: created.status, body: created.body }).toMatchObject({
        path,
        status: 201,
      });
      const { id } = created.body;
      expect([path, await read(place.type, id, path)]).toEqual([path, containing(first)]);
      const second = toValue(place, 1);
      const changed = await patch(place, id, { op: 'replace', path, value: second });
      expect([path, changed.status < 300]).toEqual([path, true]);
      expect([path, await read(place.type, id, path)]).toEqual([path, containing(second)]);
      const query = new URLSearchParams({ excludedAttributes: path });
      const without = await send(bridge, 'GET', `/${place.type}/${id}?${query}`);
      expect(place.attribute.returned).toBe('default');
      expect(JSON.stringify(without.body)).not.toContain(`"${place.attribute.name}":`);
    }
  });

  test('not required: null and an empty text clear it, at a path and by its name', async () => {
    const cleared = listPlaces('readWrite').filter(
      ({ attribute: { name, required } }) => !(required || name in CLEARED),
    );
    for (const place of cleared) {
      const path = toPath(place);
      const whole = `${place.urn}:${place.attribute.name}`;
      const { body } = await create(place.type, path, toValue(place, 0));
      for (const operation of [
        { op: 'replace', path, value: null },
        { op: 'replace', value: { [whole]: '' } },
      ]) {
        await patch(place, body.id, { op: 'add', path, value: toValue(place, 0) });
        const { status } = await patch(place, body.id, operation);
        const left = await read(place.type, body.id, path);
        expect([operation, status < 300, left ?? []]).toEqual([operation, true, []]);
      }
    }
  });

  test('required: a resource is refused without it, and has it for ever; another is neither', async () => {
    for (const place of listPlaces('readWrite')) {
      const path = toPath(place);
      const { required, name } = place.attribute;
      const without = await create(place.type, path, null);
      expect([path, without.status]).toEqual([path, required ? 400 : 201]);
      const created = await create(place.type, path, required ? `Aa ${count}` : toValue(place, 0));
      const removed = await patch(place, created.body.id, { op: 'remove', path });
      const left = await read(place.type, created.body.id, path);
      if (required) expect([path, removed.body.scimType]).toEqual([path, 'mutability']);
      else
        expect([path, removed.status < 300, left ?? []]).toEqual([path, true, CLEARED[name] ?? []]);
    }
  });

  test('required parts: a value without them is refused', async () => {
    for (const place of places) {
      for (const sub of place.attribute.subAttributes ?? []) {
        if (!sub.required) continue;
        const path = toPath(place);
        const created = await create(place.type, path, [{ type: 'User' }]);
        expect([path, sub.name, created.status]).toEqual([path, sub.name, 400]);
      }
    }
  });

  test('readOnly: it is ignored in a body, and a PATCH of it is refused', async () => {
    for (const place of listPlaces('readOnly')) {
      const path = toPath(place);
      const sent = toValue(place, 0);
      const created = await create(place.type, path, sent);
      expect([path, created.status]).toEqual([path, 201]);
      expect(await read(place.type, created.body.id, path)).not.toEqual(containing(sent));
      const changed = await patch(place, created.body.id, { op: 'replace', path, value: sent });
      expect([path, changed.body.scimType]).toEqual([path, 'mutability']);
    }
  });

  test('parts that are readOnly or immutable cannot be changed', async () => {
    for (const place of places) {
      for (const { name, mutability } of place.attribute.subAttributes ?? []) {
        if (mutability === 'readWrite' || place.attribute.mutability === 'readOnly') continue;
        const path = toPath(place);
        const created = await create(place.type, path, toValue(place, 0));
        const before = await read(place.type, created.body.id, path);
        const part = isUserList(place)
          ? `${path}[value eq "${people[0]}"].${name}`
          : `${path}.${name}`;
        const changed = await patch(place, created.body.id, {
          op: 'replace',
          path: part,
          value: 'x',
        });
        expect([part, changed.status]).toEqual([part, 400]);
        expect(await read(place.type, created.body.id, path)).toEqual(before);
      }
    }
  });

  test('caseExact: a filter in another case finds the value or not', async () => {
    for (const place of listPlaces('readWrite')) {
      const value = toValue(place, 0);
      const created = await create(place.type, toPath(place), value);
      for (const [path, leaf, held] of listTexts(place, value)) {
        const swapped = swapCase(held);
        const find = async (text: string) => {
          const filter = `${path} eq ${JSON.stringify(text)} and id eq "${created.body.id}"`;
          return (await send(bridge, 'POST', `/${place.type}/.search`, { filter })).body
            .totalResults;
        };
        expect([path, await find(held)]).toEqual([path, 1]);
        expect([path, await find(swapped)]).toEqual([path, leaf.caseExact ? 0 : 1]);
      }
    }
  });

  test('uniqueness: a second resource with the value is refused or not', async () => {
    for (const place of listPlaces('readWrite')) {
      // Their description says when they are.
      if (place.attribute.name === ADDRESSES) continue;
      const path = toPath(place);
      const value = toValue(place, 0);
      const taken = place.attribute.name === 'userName' ? `${value}@example.com` : value;
      const again = typeof taken === 'string' ? taken.toUpperCase() : taken;
      expect((await create(place.type, path, taken)).status).toBe(201);
      const second = await create(place.type, path, again);
      const isUnique = place.attribute.uniqueness === 'server';
      expect([path, second.status]).toEqual([path, isUnique ? 409 : 201]);
    }
  });

  test('caseExact: values of a list that differ in case alone are two or one, and each goes by itself or not', async () => {
    for (const place of listPlaces('readWrite')) {
      const leaf = place.attribute.subAttributes?.find(({ name }) => name === 'value');
      if (place.attribute.multiValued && leaf && !isUserList(place)) await expectCase(place, leaf);
    }
  });

  test('type: what comes back is of it, whatever was sent', async () => {
    const junk = [true, 'maybe', { value: ['x'] }];
    for (const place of listPlaces('readWrite').filter((one) => !isUserList(one))) {
      for (const value of junk) await expectType(place, value);
    }
  });

  test('type: an order is asked of texts and numbers, and never of booleans and binaries', async () => {
    for (const place of places) {
      for (const [path, { type }] of listLeaves(place)) {
        const filter = `${path} gt ${LITERALS[type] ?? '"x"'}`;
        const { status, body } = await bridge.request('POST', `/${place.type}/.search`, {
          filter,
          count: 1,
        });
        const isOrdered = type !== 'boolean' && type !== 'binary';
        expect([path, status, body.scimType ?? '']).toEqual(
          isOrdered ? [path, 200, ''] : [path, 400, 'invalidFilter'],
        );
      }
    }
  });

  test('canonicalValues: one comes back as it was sent, and so do others where the description says so', async () => {
    for (const place of listPlaces('readWrite')) {
      for (const sub of place.attribute.subAttributes ?? []) {
        if (sub.canonicalValues === undefined || isUserList(place)) continue;
        const path = toPath(place);
        expect([path, sub.description]).toEqual([path, expect.stringContaining('others')]);
        for (const kind of [...sub.canonicalValues, 'Aa-odd']) {
          const [value] = [toValue(place, 0)].flat();
          const sent = [{ ...Object(value), [sub.name]: kind }];
          const created = await create(place.type, path, sent);
          expect([path, created.status]).toEqual([path, 201]);
          expect(await read(place.type, created.body.id, path)).toEqual(containing(sent));
        }
      }
    }
  });

  test('canonicalValues of members and admins: they are of no other type, whatever is sent', async () => {
    for (const place of listPlaces('readWrite').filter(isUserList)) {
      const path = toPath(place);
      const type = place.attribute.subAttributes?.find(({ name }) => name === 'type');
      for (const sent of [undefined, 'user', 'odd']) {
        const element = { value: people[0] ?? '', ...(sent === undefined ? {} : { type: sent }) };
        const created = await create(place.type, path, [element]);
        expect(await read(place.type, created.body.id, path)).toMatchObject([
          { type: type?.canonicalValues?.[0] },
        ]);
      }
      const group = await create(place.type, path, [{ value: people[0] ?? '', type: 'Group' }]);
      expect([path, group.status]).toEqual([path, 400]);
    }
  });
});

/** Literals of a filter on an attribute of the type. */
const LITERALS: Readonly<Record<string, string>> = {
  boolean: 'true',
  integer: '1',
  dateTime: '"2020-01-01T00:00:00Z"',
};

async function expectCase(place: Place, leaf: Described): Promise<void> {
  const path = toPath(place);
  const held = path === ADDRESSES ? `Aa${count}-case@example.com` : `${toSingle(leaf, '0case')}`;
  const both = [{ value: held }, { value: swapCase(held) }];
  const { id } = (await create(place.type, path, both)).body;
  const shown = await read(place.type, id, path);
  expect([path, shown]).toEqual([path, leaf.caseExact ? both : [expect.anything()]]);
  for (const operation of [
    { op: 'remove', path: `${path}[value eq "${swapCase(held)}"]` },
    { op: 'remove', path, value: [{ value: swapCase(held) }] },
  ]) {
    await patch(place, id, { op: 'replace', path, value: [{ value: held }] });
    await patch(place, id, operation);
    const left = (await read(place.type, id, path)) ?? [];
    expect([path, left]).toEqual([path, leaf.caseExact ? [{ value: held }] : []]);
  }
}

/** Sends the value as the attribute, or as all of its parts. */
async function expectType(place: Place, value: JsonValue): Promise<void> {
  const path = toPath(place);
  const { multiValued, subAttributes = [] } = place.attribute;
  const parts = Object.fromEntries(subAttributes.map(({ name }) => [name, value]));
  const item = subAttributes.length === 0 ? value : parts;
  const { status, body } = await create(place.type, path, multiValued ? [item] : item);
  if (status !== 201) expect([path, value, body.scimType]).toEqual([path, value, 'invalidValue']);
  else expect(isOf(place.attribute, await read(place.type, body.id, path))).toBe(true);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** True when the value is of the described type, or there is none. */
function isOf(described: Described, value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) {
    return (
      described.multiValued &&
      value.every((item) => isOf({ ...described, multiValued: false }, item))
    );
  }
  if (described.multiValued) return false;
  switch (described.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'complex':
      return (
        isJsonObject(value) &&
        Object.entries(value).every(([name, part]) => {
          const sub = described.subAttributes?.find((one) => one.name === name);
          return sub !== undefined && isOf(sub, part);
        })
      );
    default:
      return typeof value === 'string';
  }
}

/** The simple attributes of a place by their paths. */
function listLeaves(place: Place): [string, Described][] {
  const { attribute } = place;
  const path = toPath(place);
  if (attribute.type !== 'complex') return [[path, attribute]];
  return (attribute.subAttributes ?? []).map((sub) => [`${path}.${sub.name}`, sub]);
}

/** The texts of a value by their paths; of a list those of its first value. */
function listTexts(place: Place, value: JsonValue): [string, Described, string][] {
  const { attribute } = place;
  const path = toPath(place);
  if (typeof value === 'string') return [[path, attribute, value]];
  const first = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(first)) return [];
  return (attribute.subAttributes ?? []).flatMap((sub): [string, Described, string][] => {
    const held = first[sub.name];
    return typeof held === 'string' ? [[`${path}.${sub.name}`, sub, held]] : [];
  });
}
