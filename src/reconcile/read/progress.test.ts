import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import {
  estimateEnd,
  FIRST_READ_FACT,
  findOpenStep,
  type Progress,
  readProgress,
  reopen,
  STEPS,
  saveProgress,
  withStep,
} from './progress.ts';

function withDone(count: number): Progress {
  const done = { state: 'done', count: 1 } as const;
  return STEPS.slice(0, count).reduce<Progress>((all, step) => withStep(all, step, done), {
    steps: {},
  });
}

const estimates = [
  {
    why: 'at the rate so far',
    read: { count: 100, total: 300, since: 0 },
    now: 10_000,
    want: 30_000,
  },
  {
    why: 'nothing within two seconds',
    read: { count: 100, total: 300, since: 0 },
    now: 1_999,
    want: undefined,
  },
  {
    why: 'nothing before the first page',
    read: { count: 0, total: 300, since: 0 },
    now: 10_000,
    want: undefined,
  },
  { why: 'nothing without a total', read: { count: 100, since: 0 }, now: 10_000, want: undefined },
  {
    why: 'now, when there are more than were said',
    read: { count: 301, total: 300, since: 0 },
    now: 10_000,
    want: 10_000,
  },
];
for (const { why, read, now, want } of estimates) {
  test(`the end of a list is estimated: ${why}`, () => expect(estimateEnd(read, now)).toBe(want));
}

test('steps are read in order, and a reopened one from its beginning', () => {
  expect(findOpenStep(withDone(0))).toBe('service');
  expect(findOpenStep(withDone(2))).toBe('companyUsers');
  expect(findOpenStep(withDone(STEPS.length))).toBeUndefined();
  const again = reopen(withDone(STEPS.length), ['groups']);
  expect(findOpenStep(again)).toBe('groups');
  expect(again.steps.groups).toEqual({ state: 'open', count: 0 });
});

describeStores('progress', ({ makeStore }) => {
  test('what another process has finished stays finished', async () => {
    const store = await makeStore();
    const finished = { ...withDone(STEPS.length), finishedAt: 5 };
    await store.write((tx) =>
      saveProgress(tx, { progress: finished, fact: FIRST_READ_FACT, now: 5 }),
    );

    const saved = await store.write((tx) =>
      saveProgress(tx, { progress: withDone(2), fact: FIRST_READ_FACT, now: 6 }),
    );

    expect(saved).toEqual({ ...withDone(2), finishedAt: 5 });
    expect(await readProgress(store.read)).toEqual(saved);
  });
});
