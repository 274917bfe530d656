import { expect, test } from 'vitest';
import { createKeptUsers } from './kept-users.ts';

const OWNER = { origin: 'created', provider: 'okta' };

/** Users that are kept, and what tells that some of them have changed. */
function open() {
  let change = (_seqs: ReadonlySet<number>): void => undefined;
  const kept = createKeptUsers((hear) => {
    change = hear;
  });
  return { kept, change: (...seqs: number[]) => change(new Set(seqs)) };
}

const toUser = (seq: number, text = '{}') => ({ id: `id-${seq}`, seq, version: '1', text });

test('a user is found by number and id until it changes', () => {
  const { kept, change } = open();
  kept.beginRead()(toUser(1), OWNER);
  expect([kept.find(1, 'okta'), kept.find('id-1', 'okta')]).toMatchObject([toUser(1), toUser(1)]);

  change(1);

  expect([kept.find(1, 'okta'), kept.find('id-1', 'okta')]).toEqual([undefined, undefined]);
});

test('what was read before a change is not kept after it', () => {
  const { kept, change } = open();
  const keep = kept.beginRead();

  change(1);
  keep(toUser(1), OWNER);

  expect(kept.find(1, 'okta')).toBeUndefined();
});

test('another provider is not given it', () => {
  const { kept } = open();
  kept.beginRead()(toUser(1), OWNER);

  expect(kept.find(1, 'entra')).toBeUndefined();
});

test('the oldest make room', () => {
  const { kept } = open();
  const keep = kept.beginRead();
  const large = 'x'.repeat(6_000_000);

  for (const seq of [1, 2, 3]) keep(toUser(seq, large), OWNER);

  expect([1, 2, 3].map((seq) => kept.find(seq, 'okta')?.seq)).toEqual([undefined, 2, 3]);
});
