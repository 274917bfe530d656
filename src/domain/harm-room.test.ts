import { expect, test } from 'vitest';
import { createHarmRoom } from './harm.ts';

const removal = 'removeMember';
const deactivation = 'deactivate';

test('nothing is let through uncounted before the room is known', () => {
  const room = createHarmRoom({ count: 100 });

  expect(room.take([removal])).toBe(false);
  expect(room.take([])).toBe(true);
});

test('the room of a kind is used up by its own kind, all of a call or none of it', () => {
  const room = createHarmRoom({ count: 100 });
  room.learn(new Map([['removeMember', 3]]));

  expect(room.take([removal, removal])).toBe(true);
  expect(room.take([removal, removal])).toBe(false);
  expect(room.take([removal])).toBe(true);
  expect(room.take([removal])).toBe(false);
  expect(room.take([deactivation])).toBe(false);
});

test('without a limit there is always room', () => {
  expect(createHarmRoom({ count: 0 }).take([removal, deactivation])).toBe(true);
});
