import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { listReferences, resolveReferences } from './references.ts';

const cases: { why: string; data: JsonValue; resolved: JsonValue; names: string[] }[] = [
  {
    why: 'a whole text, however deep',
    data: { members: [{ value: 'bulkId:a' }, { value: 'bulkid:b' }] },
    resolved: { members: [{ value: '<a>' }, { value: '<b>' }] },
    names: ['a', 'b'],
  },
  {
    why: 'a part of a text is no reference',
    data: { displayName: 'see bulkId:a', title: 'bulkId:' },
    resolved: { displayName: 'see bulkId:a', title: 'bulkId:' },
    names: [],
  },
  {
    why: 'every quoted one in the filter of a path',
    data: { Operations: [{ path: 'members[value eq "bulkId:a" or value eq "bulkId:b"]' }] },
    resolved: { Operations: [{ path: 'members[value eq "<a>" or value eq "<b>"]' }] },
    names: ['a', 'b'],
  },
  { why: 'a quoted one elsewhere is text', data: '"bulkId:a"', resolved: '"bulkId:a"', names: [] },
  { why: 'other values stay', data: [null, 1, true], resolved: [null, 1, true], names: [] },
];

test.each(cases)('references: $why', ({ data, resolved, names }) => {
  const action = { method: 'PATCH', id: '1', preconditions: ANY_VERSION, data } as const;

  expect([...listReferences(action, 'Group')]).toEqual(names);
  expect(resolveReferences(action, (bulkId) => `<${bulkId}>`)).toEqual({
    ...action,
    data: resolved,
  });
});

test('references: the id in the path is one, and a DELETE has no other', () => {
  const action = { method: 'DELETE', id: 'bulkId:a', preconditions: ANY_VERSION } as const;

  expect([...listReferences(action, 'User')]).toEqual(['a']);
  expect(resolveReferences(action, () => 'found')).toMatchObject({ id: 'found' });
  expect(resolveReferences(action, () => undefined)).toEqual(action);
});

test('references: the key __proto__ stays a key', () => {
  const data: JsonObject = JSON.parse('{"__proto__":{"value":"bulkId:a"}}');
  const action = { method: 'POST', data } as const;

  const resolved = resolveReferences(action, () => 'id');

  expect(JSON.stringify(resolved)).toBe('{"method":"POST","data":{"__proto__":{"value":"id"}}}');
});
