import { expect, test } from 'vitest';
import { ANY_VERSION } from '../http/etag.ts';
import type { BulkOperation } from './bulk-operation.ts';
import { toOrder } from './to-order.ts';

/** `a>b,c`: a POST with bulkId a that names b and c. `>b`: a PATCH that names b. */
function toOperations(text: string): BulkOperation[] {
  return text.split(' ').map((word, index) => {
    const [bulkId = '', names = ''] = word.split('>');
    const action =
      bulkId === ''
        ? ({ method: 'PATCH', id: 'x', preconditions: ANY_VERSION, data: null } as const)
        : ({ method: 'POST', data: null } as const);
    return {
      kind: 'write',
      index,
      bulkId: bulkId === '' ? undefined : bulkId,
      type: 'User',
      action,
      references: new Set(names.split(',').filter((name) => name !== '')),
      behind: new Set(),
      postponed: undefined,
    };
  });
}

const cases: { why: string; text: string; order: number[]; circular?: number[] }[] = [
  { why: 'without references the order of the request', text: 'a > b', order: [0, 1, 2] },
  { why: 'backward references change nothing', text: 'a >a b>a', order: [0, 1, 2] },
  { why: 'who refers forward follows right behind', text: 'a>b b c', order: [1, 0, 2] },
  { why: 'right behind the last of several', text: 'a>b,c b > c >', order: [1, 2, 3, 0, 4] },
  { why: 'a chain backwards', text: 'a>b b>c c>d d', order: [3, 2, 1, 0] },
  { why: 'those that wait for one keep their order', text: '>a >a a', order: [2, 0, 1] },
  { why: 'whose turn is to come is not drawn forward', text: 'a > > >a', order: [0, 1, 2, 3] },
  { why: 'what nobody creates is waited for by nobody', text: 'a>z b', order: [0, 1] },
  { why: 'a circle', text: 'a>b b>a c', order: [2], circular: [0, 1] },
  { why: 'an operation that names itself', text: 'a>a b', order: [1], circular: [0] },
  { why: 'who depends on a circle', text: 'a>b b>a >a', order: [], circular: [0, 1, 2] },
];

test.each(cases)('toOrder: $why', ({ text, order, circular = [] }) => {
  const found = toOrder(toOperations(text));

  expect(found.order.map(({ index }) => index)).toEqual(order);
  expect(found.circular.map(({ index }) => index)).toEqual(circular);
});

test('toOrder: 10,000 operations in the worst order take no time', async () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => `n${index}>n${index + 1}`).join(' ');

  expect(toOrder(toOperations(chain)).order.at(0)?.index).toBe(9_999);
});
