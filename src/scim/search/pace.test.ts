import type { Response } from 'express';
import { expect, test } from 'vitest';
import { createPacemaker } from './pace.ts';

/** The part of an answer that a search looks at. */
function toResponse(): Response & { destroyed: boolean } {
  return { destroyed: false } as Response;
}

/** Work that goes on until it is told to end. */
function startWork(pace: ReturnType<ReturnType<typeof createPacemaker>>) {
  const { promise: end, resolve: finish } = Promise.withResolvers<void>();
  let hasBegun = false;
  const done = pace.run(async () => {
    hasBegun = true;
    await end;
  });
  return { done, finish, hasBegun: () => hasBegun };
}

test('four look at everybody at the same time, the fifth when one of them has ended', async () => {
  const toPace = createPacemaker(() => undefined);
  const works = Array.from({ length: 6 }, () => startWork(toPace(toResponse())));
  await Promise.resolve();
  const before = works.map(({ hasBegun }) => hasBegun());

  works[1]?.finish();
  await works[1]?.done;
  await new Promise(setImmediate);
  const after = works.map(({ hasBegun }) => hasBegun());
  for (const { finish } of works) finish();
  await Promise.all(works.map(({ done }) => done));

  expect(before).toEqual([true, true, true, true, false, false]);
  expect(after).toEqual([true, true, true, true, true, false]);
});

test('whoever does not wait any more is not worked for: neither in line nor in the middle', async () => {
  const toPace = createPacemaker(() => undefined);
  const answers = Array.from({ length: 5 }, toResponse);
  let isAsked = 0;
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const runs = answers.map((res) =>
    toPace(res).run(async (turns) => {
      await goOn;
      for (const _ of [1, 2, 3]) {
        await turns();
        isAsked += 1;
      }
    }),
  );
  for (const res of answers) res.destroyed = true;
  resolve();

  const ends = await Promise.allSettled(runs);

  expect(ends.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(isAsked).toBe(0);
  await expect(toPace(toResponse()).run(async () => 'served')).resolves.toBe('served');
});

test('a place is free again after a failure', async () => {
  const toPace = createPacemaker(() => undefined);
  for (let index = 0; index < 10; index += 1) {
    const fails = toPace(toResponse()).run(async () => Promise.reject(new Error('failed')));
    await expect(fails).rejects.toThrow('failed');
  }

  await expect(toPace(toResponse()).run(async () => 'served')).resolves.toBe('served');
});
