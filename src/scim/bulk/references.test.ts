import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { listReferences, resolveReferences } from './references.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

interface Case {
  readonly why: string;
  readonly method: 'POST' | 'PATCH';
  readonly data: JsonValue;
  readonly resolved: JsonValue;
  readonly names: readonly string[];
}

const group = { method: 'POST' } as const;
const user = { method: 'POST' } as const;
const patch = (...Operations: JsonObject[]): JsonObject => ({ Operations });

const cases: readonly Case[] = [
  {
    ...group,
    why: 'the ids of members, as a whole text in any case',
    data: { Members: [{ Value: 'bulkId:a' }, { value: 'bulkid:b' }, 'bulkId:c'] },
    resolved: { Members: [{ Value: '<a>' }, { value: '<b>' }, '<c>'] },
    names: ['a', 'b', 'c'],
  },
  {
    ...group,
    why: 'no other text',
    data: {
      displayName: 'bulkId:a',
      externalId: 'bulkId:b',
      members: [{ value: '1', display: 'bulkId:c' }],
    },
    resolved: {
      displayName: 'bulkId:a',
      externalId: 'bulkId:b',
      members: [{ value: '1', display: 'bulkId:c' }],
    },
    names: [],
  },
  {
    ...user,
    why: 'the manager, wherever it is written',
    data: {
      title: 'bulkId:t',
      manager: 'bulkId:a',
      [`${ENTERPRISE}:manager.value`]: 'bulkId:b',
      [ENTERPRISE]: {
        manager: { value: 'bulkId:c', displayName: 'bulkId:d' },
        department: 'bulkId:e',
      },
    },
    resolved: {
      title: 'bulkId:t',
      manager: '<a>',
      [`${ENTERPRISE}:manager.value`]: '<b>',
      [ENTERPRISE]: { manager: { value: '<c>', displayName: 'bulkId:d' }, department: 'bulkId:e' },
    },
    names: ['a', 'b', 'c'],
  },
  {
    ...user,
    why: 'the address of the manager',
    data: {
      [ENTERPRISE]: { manager: { value: 'bulkId:a', $ref: 'https://x/Users/bulkId:a' } },
      manager: { $ref: 'bulkId:b', displayName: '../Users/bulkId:c' },
    },
    resolved: {
      [ENTERPRISE]: { manager: { value: '<a>', $ref: 'https://x/Users/<a>' } },
      manager: { $ref: '../Users/<b>', displayName: '../Users/bulkId:c' },
    },
    names: ['a', 'b'],
  },
  {
    ...user,
    why: 'not what is read-only',
    data: { groups: [{ value: 'bulkId:a' }] },
    resolved: { groups: [{ value: 'bulkId:a' }] },
    names: [],
  },
  {
    ...{ method: 'PATCH' },
    why: 'values and filters of operations',
    data: patch(
      { op: 'remove', path: 'members[value eq "bulkId:a" or value eq bulkId:b]' },
      { op: 'remove', path: 'members[display eq "bulkId:n" and VALUE NE "bulkId:a"]' },
      { op: 'remove', path: 'members[display eq "value eq bulkId:n" or value co "bulkId:n"]' },
      { op: 'remove', path: 'members [ value eq "bulkId:a" ] .value' },
      { op: 'remove', path: 'members[value eq "bulkId:n]' },
      { op: 'add', path: 'members', value: [{ value: 'bulkId:c' }] },
      { op: 'add', value: { members: { value: 'bulkId:d' }, displayName: 'bulkId:x' } },
      { op: 'replace', path: 'displayName', value: 'bulkId:y' },
      { op: 'replace', path: 'displayName[value eq "bulkId:z"]', value: '"bulkId:z"' },
    ),
    resolved: patch(
      { op: 'remove', path: 'members[value eq "<a>" or value eq "<b>"]' },
      { op: 'remove', path: 'members[display eq "bulkId:n" and VALUE NE "<a>"]' },
      { op: 'remove', path: 'members[display eq "value eq bulkId:n" or value co "bulkId:n"]' },
      { op: 'remove', path: 'members [ value eq "<a>" ] .value' },
      { op: 'remove', path: 'members[value eq "bulkId:n]' },
      { op: 'add', path: 'members', value: [{ value: '<c>' }] },
      { op: 'add', value: { members: { value: '<d>' }, displayName: 'bulkId:x' } },
      { op: 'replace', path: 'displayName', value: 'bulkId:y' },
      { op: 'replace', path: 'displayName[value eq "bulkId:z"]', value: '"bulkId:z"' },
    ),
    names: ['a', 'b', 'c', 'd'],
  },
  {
    ...{ method: 'PATCH' },
    why: 'the manager of an operation',
    data: patch(
      { op: 'add', path: 'manager', value: 'bulkId:a' },
      { op: 'add', path: `${ENTERPRISE}:manager.value`, value: 'bulkId:b' },
      { op: 'add', path: ENTERPRISE, value: { manager: { value: 'bulkId:c' } } },
    ),
    resolved: patch(
      { op: 'add', path: 'manager', value: '<a>' },
      { op: 'add', path: `${ENTERPRISE}:manager.value`, value: '<b>' },
      { op: 'add', path: ENTERPRISE, value: { manager: { value: '<c>' } } },
    ),
    names: ['a', 'b', 'c'],
  },
  {
    ...{ method: 'PATCH' },
    why: 'other values stay',
    data: [null, 1, true],
    resolved: [null, 1, true],
    names: [],
  },
];

test.each(cases)('references: $why', ({ method, data, resolved, names }) => {
  const action =
    method === 'POST'
      ? ({ method, data } as const)
      : ({ method, id: '1', preconditions: ANY_VERSION, data } as const);

  expect([...listReferences(action)]).toEqual(names);
  expect(resolveReferences(action, (bulkId) => `<${bulkId}>`)).toEqual({
    ...action,
    data: resolved,
  });
});

test('references: the id in the path is one, and a DELETE has no other', () => {
  const action = { method: 'DELETE', id: 'bulkId:a', preconditions: ANY_VERSION } as const;

  const resolve = (id: string | undefined) => resolveReferences(action, () => id);

  expect([...listReferences(action)]).toEqual(['a']);
  expect(resolve('found')).toMatchObject({ id: 'found' });
  expect(resolve(undefined)).toEqual(action);
});

test('references: the key __proto__ stays a key', () => {
  const data: JsonObject = JSON.parse(
    '{"__proto__":{"value":"bulkId:a"},"members":{"value":"bulkId:a"}}',
  );
  const action = { method: 'POST', data } as const;

  const resolved = resolveReferences(action, () => 'id');

  const written = '{"__proto__":{"value":"bulkId:a"},"members":{"value":"id"}}';
  expect(JSON.stringify(resolved)).toBe(`{"method":"POST","data":${written}}`);
});
