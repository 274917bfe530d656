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
    prepare: () => undefined,
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

test('writes that arrive together share one commit, one after another', async () => {
  const { log, transaction } = recorder();
  const queue = createWriteQueue(transaction, 10);

  const values = await Promise.all([queue.run(work(log, 'a')), queue.run(work(log, 'b'))]);

  expect(values).toEqual(['a', 'b']);
  expect(log).toEqual(['begin', 'a starts', 'a ends', 'b starts', 'b ends', 'commit']);
});

test('a commit waits for its preparation, and no other write begins meanwhile', async () => {
  const { log, transaction } = recorder();
  const prepare = async () => {
    log.push('preparation starts');
    await Promise.resolve();
    log.push('preparation ends');
  };
  const queue = createWriteQueue({ ...transaction, prepare }, 1);

  await Promise.all([queue.run(work(log, 'a')), queue.run(work(log, 'b'))]);

  const one = (name: string) => [
    ...['begin', `${name} starts`, `${name} ends`],
    ...['preparation starts', 'preparation ends', 'commit'],
  ];
  expect(log).toEqual([...one('a'), ...one('b')]);
});

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

test('a transaction that cannot begin runs no write', async () => {
  const busy = new StoreError('store-busy', 'somebody else writes');
  const { log, transaction } = recorder({ begin: busy });
  const queue = createWriteQueue(transaction, 10);

  await expect(queue.run(work(log, 'a'))).rejects.toBe(busy);
  expect(log).not.toContain('a starts');
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

test('a batch is bounded', async () => {
  const { log, transaction } = recorder();
  const queue = createWriteQueue(transaction, 3);

  await Promise.all(Array.from({ length: 7 }, (_, i) => queue.run(work(log, `${i}`))));

  expect(log.filter((entry) => entry === 'commit')).toHaveLength(3);
});

test('a write that arrives while another runs gets its turn', async () => {
  const { log, transaction } = recorder();
  const queue = createWriteQueue(transaction, 10);

  const late: Promise<string>[] = [];
  await queue.run(async () => {
    late.push(queue.run(work(log, 'late')));
  });

  expect(await Promise.all(late)).toEqual(['late']);
});

test('close() finishes what was accepted and refuses the rest', async () => {
  const { log, transaction } = recorder();
  const queue = createWriteQueue(transaction, 1);

  const accepted = [queue.run(work(log, 'a')), queue.run(work(log, 'b'))];
  await queue.close();
  const late = queue.run(work(log, 'late'));

  await expect(Promise.all(accepted)).resolves.toEqual(['a', 'b']);
  await expect(late).rejects.toMatchObject({ code: 'store-closed' });
});
