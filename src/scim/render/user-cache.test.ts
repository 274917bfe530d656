import { expect, test } from 'vitest';
import { createUserCache } from './user-cache.ts';

const OWNER = { origin: 'created', provider: 'okta' };

/** A cache, and what tells it that some users have changed. */
function open() {
  let change = (_seqs: ReadonlySet<number>): void => undefined;
  const cache = createUserCache((hear) => {
    change = hear;
  });
  return { cache, change: (...seqs: number[]) => change(new Set(seqs)) };
}

const toUser = (seq: number, text = '{}') => ({ id: `id-${seq}`, seq, version: '1', text });

test('what was read before a change is not cached after it', () => {
  const { cache, change } = open();
  const add = cache.beginRead();

  change(1);
  add(toUser(1), OWNER);

  expect(cache.find(1, 'okta')).toBeUndefined();
});

test('the oldest make room', () => {
  const { cache } = open();
  const add = cache.beginRead();
  const large = 'x'.repeat(6_000_000);

  for (const seq of [1, 2, 3]) add(toUser(seq, large), OWNER);

  expect([1, 2, 3].map((seq) => cache.find(seq, 'okta')?.seq)).toEqual([undefined, 2, 3]);
});
