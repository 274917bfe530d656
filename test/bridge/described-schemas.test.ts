import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { replace, toUser } from '../support/provider.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

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

type Type = 'Users' | 'Groups';

type Place = { readonly type: Type; readonly urn: string; readonly attribute: Described };

const NUMBERS: Record<string, [number, number]> = {
  appsPermissions: [1, 2],
  permissions: [16, 24],
};
/** The account is known by it, so it cannot be any text, nor be cleared without another. */
const ADDRESSES = 'emails';
/** Values of attributes that are never without one again, as their descriptions say. */
const CLEARED: Readonly<Record<string, boolean>> = { active: true, temporarilyInactive: false };

const extensions = readFileSync(join(import.meta.dirname, 'own-extensions.yaml'), 'utf8');

const bridge = bridgeForSuite({
  settings: {
    GROUPS_PERMISSIONS_MAX: '31',
    SCIM_REQUESTS_PER_SECOND: '0',
    SCIM_EXTENSIONS: JSON.stringify(parse(extensions).described),
  },
});
let places: readonly Place[];
let people: readonly string[];
let count = 0;

beforeAll(async () => {
  const described = await bridge.list('/Schemas');
  const types = await bridge.list('/ResourceTypes');
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
  people = await bridge.addPeople('member-one', 'member-two');
});

function toDescribed(schema: JsonObject | undefined): Described[] {
  const attributes = Array.isArray(schema?.attributes) ? schema.attributes : [];
  return attributes.map((attribute): Described => Object(attribute));
}

function toPath({ urn, attribute }: Place): string {
  return urn === USER || urn === GROUP ? attribute.name : `${urn}:${attribute.name}`;
}

const isUserList = ({ attribute: { name } }: Place) => name === 'members' || name === 'admins';

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
    case 'dateTime':
      return new Date(Number.parseInt(mark, 36)).toISOString();
    case 'decimal':
      return Number.parseInt(mark, 36) + 0.5;
    case 'boolean':
      // At most one value of a list is primary.
      return /[0a]$/.test(mark);
    case 'integer':
      return NUMBERS[name]?.[mark.startsWith('0') ? 0 : 1] ?? 1 - Number.parseInt(mark, 36);
    case 'reference':
      return `https://example.com/Aa-${name}-${mark}`;
    case 'binary':
      return Buffer.from(`Aa-${name}-${mark}`).toString('base64');
    case 'complex': {
      const written = subAttributes.filter(({ mutability }) => mutability === 'readWrite');
      return Object.fromEntries(written.map((sub) => [sub.name, toSingle(sub, mark)]));
    }
    default:
      return `Aa-${name}-${mark}-${count}`;
  }
}

function create(type: Type, values: readonly Valued[] = []) {
  count += 1;
  const group = { schemas: [GROUP], displayName: `Described ${count}` };
  const needed = type === 'Users' ? toUser(`described-${count}`) : group;
  return bridge.request('POST', `/${type}`, toBody(values, needed));
}

type Valued = readonly [path: string, value: JsonValue];
const toValued = (...valued: Valued): Valued => valued;

function toBody(values: readonly Valued[], needed: JsonObject): JsonObject {
  const body: Record<string, JsonValue> = { ...needed };
  for (const [path, value] of values) {
    const at = path.lastIndexOf(':');
    const urn = path.slice(0, at);
    if (at === -1) body[path] = value;
    else body[urn] = { ...Object(body[urn]), [path.slice(at + 1)]: value };
  }
  return body;
}

async function read(type: string, id: unknown, paths: readonly string[]) {
  const { body } = await bridge.send('GET', `/${type}/${id}`);
  return paths.map((path) => [path, find(body, path)] as const);
}

/** The same, where no value is an empty list. */
const readListed = async (...asked: Parameters<typeof read>) =>
  (await read(...asked)).map(([path, value]) => [path, value ?? []]);

function find(body: JsonObject, path: string): JsonValue | undefined {
  const at = path.lastIndexOf(':');
  if (at === -1) return body[path];
  const extension = body[path.slice(0, at)];
  return isJsonObject(extension) ? extension[path.slice(at + 1)] : undefined;
}

function containing([path, value]: Valued): readonly [string, unknown] {
  if (Array.isArray(value)) return [path, value.map((item) => containing([path, item])[1])];
  return [path, isJsonObject(value) ? expect.objectContaining(value) : value];
}

const toValues = (some: readonly Place[], which: 0 | 1) =>
  some.map((place): Valued => [toPath(place), toValue(place, which)]);

const replacing = (values: readonly Valued[]) =>
  values.map(([path, value]) => replace(path, value));

describe.each(['Users', 'Groups'] as const)('what /Schemas says of %s is so', (type) => {
  const listPlaces = (mutability: string) =>
    places.filter((place) => place.type === type && place.attribute.mutability === mutability);
  const patch = (id: unknown, ...operations: JsonObject[]) =>
    bridge.tryPatch(`/${type}/${id}`, ...operations);
  const countFound = async (filter: string) =>
    (await bridge.send('POST', `/${type}/.search`, { filter })).body.totalResults;

  test('readWrite and returned: a value comes back as it was sent, and as it was changed', async () => {
    const written = listPlaces('readWrite');
    const paths = written.map(toPath);
    const [first, second] = [toValues(written, 0), toValues(written, 1)];
    const { status, body } = await create(type, first);
    expect([status, body]).toMatchObject([201, {}]);
    expect(await read(type, body.id, paths)).toEqual(first.map(containing));
    expect((await patch(body.id, ...replacing(second))).status).toBeLessThan(300);
    expect(await read(type, body.id, paths)).toEqual(second.map(containing));
    const query = new URLSearchParams({ excludedAttributes: paths.join() });
    const without = await bridge.send('GET', `/${type}/${body.id}?${query}`);
    for (const { attribute } of written) {
      expect(attribute.returned).toBe('default');
      expect(without.text).not.toContain(`"${attribute.name}":`);
    }
  });

  test('not required: null and an empty text clear it, at a path and by its name', async () => {
    const isCleared = ({ attribute: { name, required } }: Place) => !(required || name in CLEARED);
    const cleared = listPlaces('readWrite').filter(isCleared);
    const values = toValues(cleared, 0);
    const { id } = (await create(type)).body;
    const empty = cleared.map(({ urn, attribute }) => [`${urn}:${attribute.name}`, '']);
    for (const operations of [
      values.map(([path]) => replace(path, null)),
      [{ op: 'replace', value: Object.fromEntries(empty) }],
    ]) {
      expect((await patch(id, ...replacing(values))).status).toBeLessThan(300);
      expect((await patch(id, ...operations)).status).toBeLessThan(300);
      for (const [path, left] of await read(type, id, cleared.map(toPath)))
        expect([path, left ?? []]).toEqual([path, []]);
    }
  });

  test('required: a resource is refused without it, and has it for ever; another is neither', async () => {
    const written = listPlaces('readWrite');
    const { id } = (await create(type, toValues(written, 0))).body;
    // The userName of these people is an address, so that they may be without another one.
    const isNeeded = ({ attribute }: Place) => attribute.required && attribute.name !== ADDRESSES;
    for (const place of written.filter(isNeeded)) {
      const path = toPath(place);
      expect([path, (await create(type, [[path, null]])).status]).toEqual([path, 400]);
      const removed = await patch(id, { op: 'remove', path });
      expect([path, removed.body.scimType]).toEqual([path, 'mutability']);
    }
    const others = written.filter(({ attribute }) => !attribute.required);
    const paths = others.map(toPath);
    const without = paths.map((path): Valued => [path, null]);
    expect((await create(type, without)).status).toBe(201);
    const removing = paths.map((path) => ({ op: 'remove', path }));
    expect((await patch(id, ...removing)).status).toBeLessThan(300);
    const left = others.map((place) => [toPath(place), CLEARED[place.attribute.name] ?? []]);
    expect(await readListed(type, id, paths)).toEqual(left);
  });

  test('required parts: a value without them is refused', async () => {
    for (const place of listPlaces('readWrite')) {
      for (const sub of place.attribute.subAttributes ?? []) {
        if (!sub.required) continue;
        const created = await create(type, [[toPath(place), [{ type: 'User' }]]]);
        expect([toPath(place), sub.name, created.status]).toEqual([toPath(place), sub.name, 400]);
      }
    }
  });

  test('readOnly: it is ignored in a body, and a PATCH of it is refused', async () => {
    const values = toValues(listPlaces('readOnly'), 0);
    const { status, body } = await create(type, values);
    expect(status).toBe(201);
    for (const [path, value] of values) {
      expect(find(body, path)).not.toEqual(containing([path, value])[1]);
      const changed = await patch(body.id, replace(path, value));
      expect([path, changed.body.scimType]).toEqual([path, 'mutability']);
    }
  });

  test('parts that are readOnly or immutable cannot be changed', async () => {
    const written = listPlaces('readWrite');
    const { body } = await create(type, toValues(written, 0));
    const before = await bridge.send('GET', `/${type}/${body.id}`);
    for (const place of written) {
      for (const { name, mutability } of place.attribute.subAttributes ?? []) {
        if (mutability === 'readWrite') continue;
        const which = isUserList(place) ? `[value eq "${people[0]}"]` : '';
        const path = `${toPath(place)}${which}.${name}`;
        expect([path, (await patch(body.id, replace(path, 'x'))).status]).toEqual([path, 400]);
      }
    }
    expect((await bridge.send('GET', `/${type}/${body.id}`)).text).toBe(before.text);
  });

  test('caseExact: a filter in another case finds the value or not', async () => {
    const written = listPlaces('readWrite');
    const values = toValues(written, 0);
    const { id } = (await create(type, values)).body;
    const texts = written.flatMap((place, index) => listTexts(place, values[index]?.[1] ?? null));
    const isFound = (text: (typeof texts)[number], held: string) =>
      countFound(`${text[0]} eq ${JSON.stringify(held)} and id eq "${id}"`);
    for (const text of texts) {
      const [path, leaf, held] = text;
      expect([path, await isFound(text, held)]).toEqual([path, 1]);
      expect([path, await isFound(text, swapCase(held))]).toEqual([path, leaf.caseExact ? 0 : 1]);
    }
  });

  test('uniqueness: a second resource with the value is refused or not', async () => {
    // The description of addresses says when they are.
    const written = listPlaces('readWrite').filter(({ attribute }) => attribute.name !== ADDRESSES);
    const taken = toValues(written, 0).map(([path, value]) =>
      toValued(path, path === 'userName' ? `${value}@example.com` : value),
    );
    expect((await create(type, taken)).status).toBe(201);
    const toUpper = (value: JsonValue) => (typeof value === 'string' ? value.toUpperCase() : value);
    const again = taken.map(([path, value]) => toValued(path, toUpper(value)));
    const isUnique = (_: Valued, at: number) => written[at]?.attribute.uniqueness === 'server';
    for (const one of again.filter(isUnique))
      expect([one[0], (await create(type, [one])).status]).toEqual([one[0], 409]);
    const others = again.filter((one, index) => !isUnique(one, index));
    expect((await create(type, others)).status).toBe(201);
  });

  test('caseExact: values of a list that differ in case alone are two or one, and each goes by itself or not', async () => {
    const lists = listPlaces('readWrite').flatMap((place) => {
      const leaf = place.attribute.subAttributes?.find(({ name }) => name === 'value');
      return place.attribute.multiValued && leaf && !isUserList(place) ? [{ place, leaf }] : [];
    });
    const rows = lists.map(({ place, leaf }) => {
      const path = toPath(place);
      const held = path === ADDRESSES ? `Aa-case@example.com` : String(toSingle(leaf, '0case'));
      return { path, held, other: swapCase(held), isExact: leaf.caseExact };
    });
    const paths = rows.map(({ path }) => path);
    const both = rows.map(({ path, held, other }) =>
      toValued(path, [{ value: held }, { value: other }]),
    );
    const { id } = (await create(type, both)).body;
    const isLeft = ([path, sent]: Valued, at: number) =>
      rows[at]?.isExact ? [path, sent] : [path, [expect.anything()]];
    expect(await read(type, id, paths)).toEqual(both.map(isLeft));
    const one = rows.map(({ path, held }): Valued => [path, [{ value: held }]]);
    for (const operations of [
      rows.map(({ path, other }) => ({ op: 'remove', path: `${path}[value eq "${other}"]` })),
      rows.map(({ path, other }) => ({ op: 'remove', path, value: [{ value: other }] })),
    ]) {
      await patch(id, ...replacing(one));
      await patch(id, ...operations);
      const left = rows.map(({ path, held, isExact }) => [path, isExact ? [{ value: held }] : []]);
      expect(await readListed(type, id, paths)).toEqual(left);
    }
  });

  test('type: what comes back is of it, whatever was sent', async () => {
    // One attribute of each kind.
    const some = listPlaces('readWrite').filter((place) => !isUserList(place));
    const kinds = new Map(some.map((place) => [toKind(place.attribute), place]));
    for (const place of kinds.values()) {
      for (const junk of [true, 'maybe', { value: ['x'] }]) await expectType(place, junk);
    }
  });

  test('type: an order is asked of texts and numbers, and never of booleans and binaries', async () => {
    const filters = places
      .filter((place) => place.type === type)
      .flatMap((place) => listLeaves(place))
      .map(([path, leaf]) => ({ leaf, filter: `${path} gt ${LITERALS[leaf.type] ?? '"x"'}` }));
    const isOrdered = ({ leaf }: { leaf: Described }) => !['boolean', 'binary'].includes(leaf.type);
    for (const { filter } of filters.filter((one) => !isOrdered(one))) {
      const { status, body } = await bridge.request('POST', `/${type}/.search`, { filter });
      expect([filter, status, body.scimType]).toEqual([filter, 400, 'invalidFilter']);
    }
    const ordered = filters.filter(isOrdered).map(({ filter }) => filter);
    for (let at = 0; at < ordered.length; at += 20)
      expect(await countFound(ordered.slice(at, at + 20).join(' or '))).toEqual(expect.any(Number));
  });

  test('canonicalValues: one comes back as it was sent, and so do others where the description says so', async () => {
    const lists = listPlaces('readWrite').filter((place) => !isUserList(place));
    const values = lists.flatMap((place): Valued[] =>
      (place.attribute.subAttributes ?? []).flatMap(({ name, description, canonicalValues }) => {
        if (canonicalValues === undefined) return [];
        expect(description, toPath(place)).toContain('others');
        // Not the first, which may be the only primary one.
        const value = [toValue(place, 0)].flat().at(-1);
        const kinds = [...canonicalValues, 'Aa-odd'];
        return [[toPath(place), kinds.map((kind) => ({ ...Object(value), [name]: kind }))]];
      }),
    );
    const { status, body } = await create(type, values);
    expect([status, body]).toMatchObject([201, {}]);
    expect(values.map(([path]) => [path, find(body, path)])).toEqual(values.map(containing));
  });

  test('canonicalValues of members and admins: they are of no other type, whatever is sent', async () => {
    for (const place of listPlaces('readWrite').filter(isUserList)) {
      const path = toPath(place);
      const kind = place.attribute.subAttributes?.find(({ name }) => name === 'type');
      for (const sent of [undefined, 'user', 'odd', 'Group']) {
        const element = { value: people[0] ?? '', ...(sent === undefined ? {} : { type: sent }) };
        const { body } = await create(type, [[path, [element]]]);
        expect(find(body, path)).toMatchObject([{ type: kind?.canonicalValues?.[0] }]);
      }
    }
  });
});

const dateTime = '"2020-01-01T00:00:00Z"';
const LITERALS: Record<string, string> = { boolean: 'true', integer: '1', decimal: '1', dateTime };

async function expectType(place: Place, value: JsonValue): Promise<void> {
  const path = toPath(place);
  const { multiValued, subAttributes = [] } = place.attribute;
  const parts = Object.fromEntries(subAttributes.map(({ name }) => [name, value]));
  const item = subAttributes.length === 0 ? value : parts;
  const { status, body } = await create(place.type, [[path, multiValued ? [item] : item]]);
  if (status !== 201) expect([path, value, body.scimType]).toEqual([path, value, 'invalidValue']);
  else expect([path, isOf(place.attribute, find(body, path))]).toEqual([path, true]);
}

function toKind({ type, multiValued, subAttributes = [] }: Described): string {
  return JSON.stringify([type, multiValued, subAttributes.map(toKind)]);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function isOf(described: Described, value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) {
    const single = { ...described, multiValued: false };
    return described.multiValued && value.every((item) => isOf(single, item));
  }
  if (described.multiValued) return false;
  switch (described.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'decimal':
      return typeof value === 'number';
    case 'complex': {
      const isPart = ([name, part]: [string, JsonValue | undefined]) => {
        const sub = described.subAttributes?.find((one) => one.name === name);
        return sub !== undefined && isOf(sub, part);
      };
      return isJsonObject(value) && Object.entries(value).every(isPart);
    }
    default:
      return typeof value === 'string';
  }
}

function listLeaves(place: Place): [string, Described][] {
  const { attribute } = place;
  const path = toPath(place);
  if (attribute.type !== 'complex') return [[path, attribute]];
  return (attribute.subAttributes ?? []).map((sub) => [`${path}.${sub.name}`, sub]);
}

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
