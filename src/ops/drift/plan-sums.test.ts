import { expect, test } from 'vitest';
import { sumUp, toParts } from './plan-sums.ts';

test('the parts of a plan are by group, kind and author, and add up by kind and author', () => {
  const toAction = (resourceId: string, by?: string) => ({
    ...({ kind: 'member.remove', type: 'group', resourceId } as const),
    author: by === undefined ? undefined : { by },
  });
  const parts = toParts([
    toAction('a', 'carl'),
    toAction('b', 'carl'),
    toAction('a'),
    toAction('b', 'carl'),
  ]);

  expect(parts).toEqual([
    { group: 'b', kind: 'member.remove', by: 'carl', count: 2 },
    { group: 'a', kind: 'member.remove', by: 'carl', count: 1 },
    { group: 'a', kind: 'member.remove', by: null, count: 1 },
  ]);
  expect(sumUp(parts)).toEqual([
    { kind: 'member.remove', by: 'carl', count: 3 },
    { kind: 'member.remove', by: null, count: 1 },
  ]);
});
