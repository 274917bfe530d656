import { expect, test } from 'vitest';
import { StoreError } from './store-error.ts';
import { createWriteQueue, type WriterTransaction } from './write-queue.ts';

/** Records what the queue does to the database, and fails where a test says so. */
function recorder(failing: Partial<Record<'begin' | 'commit', StoreError>> = {}) {
  const log: string[] = [];
  let isOpen = false;
  const transaction: WriterTransaction = {
    begin: () => {
      log.push('begin');
      if (failing.begin) throw failing.begin;
      isOpen = true;
    },
    commit: () => {
      log.push('commit');
      if (failing.commit) throw failing.commit;
      isOpen = false;
    },
    rollback: () => {
      log.push('rollback');
      isOpen = false;
    },
    isOpen: () => isOpen,
  };
  return { log, transaction, lose: () => transaction.rollback() };
}

/** A write that takes a few turns of the microtask queue, as queries do. */
function work(log: string[], name: string): () => Promise<string> {
  return async () => {
    log.push(`${name} starts`);
    await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
}

test('no write settles before the commit, not even one that failed', async () => {
  const { log, transaction } = recorder();
  const queue = createWriteQueue(transaction, 10);
  const refuse = () => Promise.reject(new Error('no'));

  await Promise.all([
    queue.run(work(log, 'a')).then(() => log.push('a told')),
    queue.run(refuse).catch(() => log.push('b told')),
  ]);

  expect(log).toEqual(['begin', 'a starts', 'a ends', 'commit', 'a told', 'b told']);
});

test('a commit that fails fails every write of its batch and none after it', async () => {
  const full = new StoreError('store-full', 'no room');
  const failing = { commit: full };
  const { log, transaction } = recorder(failing);
  const queue = createWriteQueue(transaction, 2);

  const first = queue.run(work(log, 'a'));
  const second = queue.run(work(log, 'b'));
  const third = queue.run(async () => Reflect.deleteProperty(failing, 'commit'));
  const outcomes = await Promise.allSettled([first, second, third]);

  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: full },
    { status: 'rejected', reason: full },
    { status: 'fulfilled' },
  ]);
  expect(log.filter((entry) => entry === 'rollback')).toHaveLength(1);
});

test('when the database gives up the transaction, only the write that caused it fails', async () => {
  const { log, transaction, lose } = recorder();
  const queue = createWriteQueue(transaction, 10);
  const full = new StoreError('store-full', 'no room');

  const outcomes = await Promise.allSettled([
    queue.run(work(log, 'before')),
    queue.run(async () => {
      lose();
      throw full;
    }),
    queue.run(work(log, 'after')),
  ]);

  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: 'before' },
    { status: 'rejected', reason: full },
    { status: 'fulfilled', value: 'after' },
  ]);
  expect(log).toEqual([
    ...['begin', 'before starts', 'before ends', 'rollback'],
    ...['begin', 'before starts', 'before ends', 'after starts', 'after ends', 'commit'],
  ]);
});
