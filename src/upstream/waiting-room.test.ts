import { expect, test } from 'vitest';
import type { CallClass } from './call-class.ts';
import { createWaitingRoom, type Place, type WaitingRoom } from './waiting-room.ts';

function place(waiter: string, callClass: CallClass, rest: Partial<Place<string>> = {}) {
  return { waiter, callClass, key: undefined, again: false, ...rest };
}

function fill(...places: Place<string>[]): WaitingRoom<string> {
  const room = createWaitingRoom<string>();
  for (const each of places) room.add(each);
  return room;
}

function takeAll(room: WaitingRoom<string>): string[] {
  return Array.from({ length: room.size }, () => room.next() ?? 'nobody');
}

test('an empty room has nobody', () => {
  const room = createWaitingRoom();

  expect(room.next()).toBeUndefined();
  expect(room.clear()).toEqual([]);
  expect([room.size, room.counts().look]).toEqual([0, 0]);
});

test('who waits is counted, by class too', () => {
  const room = fill(place('a', 'remove'), place('b', 'look'), place('c', 'look'));

  expect([room.size, room.counts().remove, room.counts().look]).toEqual([3, 1, 2]);
  room.next();
  expect([room.size, room.counts().remove, room.counts().look]).toEqual([2, 0, 2]);
});

test('a call that had its turn goes before its class, but not before a more urgent one', () => {
  const room = fill(
    place('change', 'change', { key: 'a' }),
    place('again', 'change', { key: 'a', again: true }),
    place('again later', 'change', { key: 'a', again: true }),
    place('remove', 'remove', { key: 'b' }),
  );

  expect(takeAll(room)).toEqual(['remove', 'again', 'again later', 'change']);
});

test('calls without a key are each a resource of their own', () => {
  const room = fill(
    place('a1', 'change', { key: 'a' }),
    place('a2', 'change', { key: 'a' }),
    place('x', 'change'),
    place('y', 'change'),
  );

  expect(takeAll(room)).toEqual(['a1', 'x', 'y', 'a2']);
});

test('who leaves is gone, once, and takes no turn from the others', () => {
  const gone = place('gone', 'change', { key: 'a' });
  const goneAgain = place('gone again', 'change', { key: 'a', again: true });
  const room = fill(
    gone,
    goneAgain,
    place('a', 'change', { key: 'a' }),
    place('b', 'change', { key: 'b' }),
    place('p', 'pass'),
  );

  expect([room.remove(gone), room.remove(gone), room.remove(goneAgain)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(room.remove(place('stranger', 'look'))).toBe(false);
  expect([room.size, room.counts().change]).toEqual([3, 2]);
  expect(takeAll(room)).toEqual(['a', 'b', 'p']);
});

test('the last of a resource to leave leaves no turn behind', () => {
  const only = place('only', 'change', { key: 'a' });
  const room = fill(only, place('b', 'change', { key: 'b' }));
  room.remove(only);

  expect(takeAll(room)).toEqual(['b']);
  expect(room.next()).toBeUndefined();
});

test('a look is passed nine times, then it goes; with no look waiting nothing is counted', () => {
  const room = createWaitingRoom<string>();
  const addChanges = (n: number) => {
    for (let i = 0; i < n; i += 1) room.add(place('c', 'change'));
  };
  addChanges(20);
  for (let i = 0; i < 9; i += 1) room.next();
  room.add(place('look', 'look'));
  room.add(place('look', 'look'));
  addChanges(20);

  const order = takeAll(room);

  expect(order.indexOf('look')).toBe(9);
  expect(order.lastIndexOf('look')).toBe(19);
});

test('a call that is passed through is passed nine times, then it goes, also beside looks', () => {
  const room = createWaitingRoom<string>();
  const add = (name: string, callClass: CallClass, count: number) => {
    for (let i = 0; i < count; i += 1) room.add(place(name, callClass));
  };
  add('remove', 'remove', 40);
  add('look', 'look', 40);
  add('pass', 'pass', 3);

  const order = takeAll(room);

  expect(order.indexOf('look')).toBe(9);
  expect(order.flatMap((name, n) => (name === 'pass' ? [n] : []))).toEqual([10, 20, 30]);
  expect(order.slice(0, 31).filter((name) => name === 'remove')).toHaveLength(25);
});

test('what is prioritised goes with the removals, in the order in which it came', () => {
  const room = fill(
    place('change', 'change', { key: 'a' }),
    place('again', 'change', { key: 'a', again: true }),
    place('look', 'look', { key: 'a' }),
    place('other', 'change', { key: 'b' }),
    place('other again', 'change', { key: 'b', again: true }),
    place('remove', 'remove', { key: 'c' }),
  );

  room.prioritise('a');

  expect([room.size, room.counts().remove, room.counts().change, room.counts().look]).toEqual([
    6, 4, 2, 0,
  ]);
  expect(takeAll(room)).toEqual(['again', 'remove', 'change', 'look', 'other again', 'other']);
});

test('a prioritised call can still leave, and a key without waiting calls prioritises nothing', () => {
  const change = place('change', 'change', { key: 'a' });
  const room = fill(change, place('other', 'change', { key: 'b' }));

  room.prioritise('a');
  room.prioritise('nobody');

  expect(room.counts().remove).toBe(1);
  expect(room.remove(change)).toBe(true);
  expect([room.size, room.counts().remove]).toEqual([1, 0]);
});

test('everybody is taken out at the end', () => {
  const room = fill(place('p', 'pass'), place('l', 'look'), place('r', 'remove'));

  expect(room.clear()).toEqual(['r', 'l', 'p']);
  expect(room.size).toBe(0);
});
