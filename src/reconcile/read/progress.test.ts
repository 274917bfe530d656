import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import {
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
