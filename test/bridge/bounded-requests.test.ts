import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import type { TestAnswer } from '../support/provider.ts';
import { replace, toGroup, toMembers } from '../support/provider.ts';
import { sendRaw } from '../support/send-raw.ts';

const bridge = bridgeForSuite({ settings: { SCIM_REQUESTS_PER_SECOND: '0' } });
let ada: string;
let pilots: string;
let named = 0;

beforeAll(async () => {
  ada = await bridge.addUser('ada');
  pilots = await bridge.addGroup('Pilots', [ada]);
});

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const remove = (path: string): JsonObject => ({ op: 'remove', path });
const toStranger = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const strangers = many(10_000, toStranger);

function repeat(part: string, glue: string, lengthMax = 9_800): string {
  const parts: string[] = [];
  for (let length = 0; length < lengthMax; length += part.length + glue.length + 2)
    parts.push(part.replace('#', String(parts.length)));
  return parts.join(glue);
}

const toOutcome = ({ status, body }: TestAnswer) => ({ status, scimType: body.scimType });

describe('a filter of 10,000 characters is answered', () => {
  const filters: readonly (readonly [string, string, number])[] = [
    ['what no index has', repeat('(id eq "x#" or active eq true)', ' and '), 2],
    ['names and flags', repeat('userName eq "x#" or active eq false', ' or '), 0],
    ['parts of texts', repeat('title co "x#"', ' or '), 0],
  ];
  test.each(filters)('%s', async (_, filter, totalResults) => {
    const answer = await bridge.request('POST', '/Users/.search', { filter, count: 1 });

    expect(answer).toMatchObject({ status: 200, body: { totalResults } });
  });
});

test('the people of groups are compared with 20 values, and not with more', async () => {
  const search = (parts: string[]) =>
    bridge.request('POST', '/Groups/.search', { filter: parts.join(' or ') });
  const few = many(20, (index) => `members[display co "${index}"]`);

  expect(await search(few)).toMatchObject({ status: 200 });
  const refused = await search([...few, 'members.display pr']);
  expect(toOutcome(refused)).toEqual({ status: 400, scimType: 'tooMany' });
});

describe('a PATCH that asks for more is refused and changes nothing', () => {
  const filters = () => [
    remove(`members[value eq "${ada}"]`),
    ...many(21, (index) => remove(`members[display co "${index}"]`)),
  ];
  const lists = () => many(1_001, () => replace('members', []));
  test.each([
    ['filters on members', filters, 'invalidFilter'],
    ['whole lists of members', lists, 'invalidValue'],
  ] as const)('%s', async (_, toOperations, scimType) => {
    const path = `/Groups/${pilots}`;
    const before = await bridge.request('GET', path);

    const answer = await bridge.tryPatch(path, ...toOperations());

    expect(toOutcome(answer)).toEqual({ status: 400, scimType });
    expect((await bridge.request('GET', path)).text).toBe(before.text);
    expect(await bridge.readMemberIds(pilots)).toEqual([ada]);
  });
});

describe('the work of one PATCH of a list', () => {
  const roles = (count: number): JsonValue[] =>
    many(count, (index) => ({ value: `role${index}`, type: 'work' }));
  const role = (index: number) => [{ value: `role${index}` }];
  const additions = () =>
    many(1_000, (index) => ({ op: 'add', path: 'roles', value: role(index) }));
  const keys = () =>
    many(900, (index) => [`roles[value eq "ROLE${index}"].display`, `D${index}`] as const);
  const keyed = () => [{ op: 'replace', value: Object.fromEntries(keys()) }];
  test.each<[string, number, () => JsonObject[], number]>([
    ['1,000 roles are added one by one', 0, additions, 1_000],
    ['each of 900 values has a filter of its own as a key', 900, keyed, 900],
  ])('is done: %s', async (_, before, toOperations, after) => {
    const path = await addPerson({ roles: roles(before) });

    const answer = await bridge.tryPatch(path, ...toOperations());

    expect(answer.status).toBe(200);
    expect([(await bridge.send('GET', path)).body.roles ?? []].flat()).toHaveLength(after);
  });

  const uses = () => many(1_000, (index) => replace('roles[type eq "work"].display', `D${index}`));
  const texts = () => [replace('roles.display', 'x'.repeat(200_000))];
  test.each([
    ['a use that all of 1,000 values have is named 1,000 times', uses],
    ['a long text is written into 1,000 values', texts],
  ])('is refused, and nothing is changed: %s', async (_, toOperations) => {
    const path = await addPerson({ roles: roles(1_000) });
    const { text } = await bridge.send('GET', path);

    const answer = await bridge.tryPatch(path, ...toOperations());

    expect(toOutcome(answer)).toEqual({ status: 400, scimType: 'invalidValue' });
    expect((await bridge.send('GET', path)).text === text).toBe(true);
  });
});

async function addPerson(change: JsonObject): Promise<string> {
  named += 1;
  return `/Users/${await bridge.addUser(`person${named}`, change)}`;
}

test('a body of a user may have a megabyte, and one of a group eight', async () => {
  // Packed, so that an answer before the end meets no body that still comes.
  const packed = (length: number) => ({
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ ...toGroup('Long'), note: 'x'.repeat(length) })),
  });
  const ofUser = await addPerson({});

  const answers = [
    await sendRaw(bridge, { method: 'POST', path: '/Groups', ...packed(8_000_000) }),
    await sendRaw(bridge, { method: 'POST', path: '/Groups', ...packed(8_400_000) }),
    await sendRaw(bridge, { method: 'PUT', path: `/Groups/${pilots}`, ...packed(8_400_000) }),
    await sendRaw(bridge, { method: 'PUT', path: ofUser, ...packed(1_050_000) }),
    await sendRaw(bridge, { method: 'POST', path: '/Bulk', ...packed(1_050_000) }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([201, 413, 413, 413, 413]);
});

describe('a PUT of a group', () => {
  const unknown = Object.fromEntries(many(10_000, (index) => [`unknown${index}`, `x${index}`]));
  const puts: readonly (readonly [string, () => JsonObject, number])[] = [
    ['10,000 members who are nobody', () => toGroup('Pilots', [ada, ...strangers]), 400],
    ['one member 20,000 times', () => toGroup('Pilots', Array(20_000).fill(ada)), 200],
    ['10,000 unknown attributes', () => ({ ...toGroup('Pilots', [ada]), ...unknown }), 400],
  ];
  test.each(puts)('is stored or refused: %s', async (_, toBody, status) => {
    expect((await bridge.request('PUT', `/Groups/${pilots}`, toBody())).status).toBe(status);
    expect(await bridge.readMemberIds(pilots)).toEqual([ada]);
  });

  test('as a PATCH: 10,000 members who are nobody do not join, and leave', async () => {
    const change = (op: string) =>
      bridge.tryPatch(`/Groups/${pilots}`, { op, path: 'members', value: toMembers(strangers) });

    expect([(await change('add')).status, (await change('remove')).status]).toEqual([400, 204]);
    expect(await bridge.readMemberIds(pilots)).toEqual([ada]);
  });
});

test('a user who is too large may lose access, and nothing else may make the user larger', async () => {
  const path = await addPerson({
    addresses: many(1_000, (index) => ({ formatted: `${index} ${'y'.repeat(220)}` })),
  });

  const more = await bridge.tryPatch(path, { op: 'add', path: 'title', value: 'x'.repeat(40_000) });
  const off = await bridge.tryPatch(path, replace('active', false));

  expect(toOutcome(more)).toEqual({ status: 400, scimType: 'invalidValue' });
  expect(more.body.detail).toContain('262144');
  expect([off.status, off.body.active]).toEqual([200, false]);
});
