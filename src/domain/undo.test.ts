import { expect, test } from 'vitest';
import type { JsonObject } from './json.ts';
import { withoutWrite } from './undo.ts';

const urn = 'urn:x:User';
const before: JsonObject = { title: 'a', [urn]: { one: 1 } };
const after: JsonObject = { title: 'b', externalId: 'e', [urn]: { one: 2, two: true } };

test.each<{ why: string; current: JsonObject; want: JsonObject }>([
  { why: 'nothing was written since', current: after, want: before },
  {
    why: 'an attribute was written since',
    current: { ...after, title: 'c' },
    want: { ...before, title: 'c' },
  },
  {
    why: 'one of an extension was written since',
    current: { ...after, [urn]: { one: 3, two: true } },
    want: { title: 'a', [urn]: { one: 3 } },
  },
  {
    why: 'another attribute was written since',
    current: { ...after, nickName: 'n' },
    want: { ...before, nickName: 'n' },
  },
  { why: 'the extension was cleared since', current: { title: 'b' }, want: { title: 'a' } },
])('a write is taken out of a resource where $why', ({ current, want }) => {
  expect(withoutWrite(current, { before, after })).toEqual(want);
});

test('an extension that a write brought goes with it', () => {
  const written = { [urn]: { one: 1 } };
  expect(withoutWrite(written, { before: {}, after: written })).toEqual({});
});
