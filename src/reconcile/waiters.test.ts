import { beforeEach, describe, expect, test } from 'vitest';
import { groupId, type ResourceKey, userId } from '../domain/ids.ts';
import { createFakeClock, runReady } from '../upstream/testing/fake-clock.ts';
import type { Settlement } from './outcome.ts';
import { GONE } from './recorded.ts';
import { createWaiters, type Waiters } from './waiters.ts';

const ada: ResourceKey = { type: 'user', id: userId('a') };
const bob: ResourceKey = { type: 'user', id: userId('b') };
const problem = { code: 'refused', words: 'No' };
/** Progress in which everything up to version 9 has arrived. */
const DONE = { version: 9, oldestPending: undefined };
const APPLIED: Settlement = { kind: 'applied' };
const REFUSED: Settlement = { kind: 'refused', problem };
const TOO_SLOW = { kind: 'not-yet', reason: 'the service takes longer than the wait' };

/** Waits, and keeps every answer that comes. */
function ask(waiters: Waiters<string>, key: ResourceKey, version: number, waitMs = 3_000) {
  const answers: Settlement[] = [];
  void waiters.wait(key, { version, undo: `undo ${version}` }, waitMs).then((answer) => {
    answers.push(answer);
  });
  return answers;
}

let clock = createFakeClock();
beforeEach(() => {
  clock = createFakeClock();
});

describe('a request that waits for its write', () => {
  test('is answered once nothing is pending', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);

    waiters.settle(ada, DONE);
    await runReady();

    expect(answers).toEqual([APPLIED]);
    expect(waiters.size).toBe(0);
  });

  test('is answered when its version has arrived, not before', async () => {
    const waiters = createWaiters<string>(clock);
    const [third, fourth, fifth] = [3, 4, 5].map((version) => ask(waiters, ada, version));

    waiters.settle(ada, { version: 9, oldestPending: 4 });
    await runReady();

    expect([third, fourth, fifth]).toEqual([[APPLIED], [], []]);
    expect(waiters.size).toBe(2);
  });

  test('shares one look at the progress with those who begin to wait in the same turn, and costs none once it is answered', async () => {
    const waiters = createWaiters<string>(clock);
    let looks = 0;
    const readProgress = async () => {
      looks += 1;
      return DONE;
    };
    const answers = [3, 4].map((version) => ask(waiters, ada, version));
    await Promise.all([
      waiters.settleSoon(ada, readProgress),
      waiters.settleSoon(ada, readProgress),
    ]);
    await runReady();
    const shared = looks;
    const later = ask(waiters, ada, 5);
    const look = waiters.settleSoon(ada, readProgress);
    waiters.settle(ada, DONE);
    await look;

    expect({ shared, looks }).toEqual({ shared: 1, looks: 1 });
    expect([...answers, later]).toEqual([[APPLIED], [APPLIED], [APPLIED]]);
  });

  test('is not answered for somebody else', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);
    const group: ResourceKey = { type: 'group', id: groupId('a') };

    for (const key of [bob, group]) {
      waiters.settle(key, DONE);
      waiters.answerNotYet(key, 9, 'later');
    }
    await runReady();

    expect(answers).toEqual([]);
  });

  test('is not answered by a reading from before its write', async () => {
    const waiters = createWaiters<string>(clock);
    const [ninth, tenth] = [ask(waiters, ada, 9), ask(waiters, ada, 10)];

    waiters.settle(ada, DONE);
    waiters.answerNotYet(ada, 9, 'later');
    await runReady();

    expect([ninth, tenth]).toEqual([[APPLIED], []]);
  });

  test('is answered when there is nothing left to wait for', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 10);

    waiters.settle(ada, GONE);
    await runReady();

    expect(answers).toEqual([APPLIED]);
  });

  test('is told when it takes too long, at its time and not before', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4, 3_000);

    await clock.advance(2_999);
    const before = [...answers];
    await clock.advance(1);

    expect(before).toEqual([]);
    expect(answers).toEqual([TOO_SLOW]);
    expect(waiters.size).toBe(0);
  });

  test('is told why it need not wait any longer', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);

    waiters.answerNotYet(ada, 9, 'somebody else first');
    await runReady();

    expect(answers).toEqual([{ kind: 'not-yet', reason: 'somebody else first' }]);
    expect(waiters.size).toBe(0);
  });

  test('leaves no timer behind once it is answered', () => {
    const waiters = createWaiters<string>(clock);
    ask(waiters, ada, 4);

    waiters.settle(ada, DONE);

    expect(clock.sleeping).toBe(0);
  });
});

describe('while a result is recorded', () => {
  test('whoever waits for the resource is held, with what takes the write back', () => {
    const waiters = createWaiters<string>(clock);
    ask(waiters, ada, 4);
    ask(waiters, ada, 5);
    ask(waiters, bob, 6);

    const held = waiters.hold(ada);

    expect(held.waiters.map(({ version, undo }) => [version, undo])).toEqual([
      [4, 'undo 4'],
      [5, 'undo 5'],
    ]);
  });

  test('a deadline that passes answers nobody: a refusal still refuses', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4, 100);
    const held = waiters.hold(ada);

    await clock.advance(500);
    const during = [...answers];
    held.resume([{ version: 4, problem }]);
    await runReady();

    expect(during).toEqual([]);
    expect(answers).toEqual([REFUSED]);
  });

  test('a deadline that passed is told afterwards to those who were not refused', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4, 100);
    const held = waiters.hold(ada);

    await clock.advance(500);
    held.resume([]);
    await runReady();

    expect(answers).toEqual([TOO_SLOW]);
  });

  test('"applied" is not said of a write that is being taken back', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);
    const held = waiters.hold(ada);

    waiters.settle(ada, DONE);
    held.resume([{ version: 4, problem }]);
    await runReady();

    expect(answers).toEqual([REFUSED]);
  });

  test('"not yet" is not said of it either', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);
    const held = waiters.hold(ada);

    waiters.answerNotYet(ada, 9, 'later');
    held.resume([{ version: 4, problem }]);
    await runReady();

    expect(answers).toEqual([REFUSED]);
  });

  test('what could not be said then is said afterwards, so that nobody waits for nothing', async () => {
    const waiters = createWaiters<string>(clock);
    const answers = ask(waiters, ada, 4);
    const held = waiters.hold(ada);

    waiters.settle(ada, DONE);
    held.resume([]);
    await runReady();

    expect(answers).toEqual([APPLIED]);
  });

  test('those who were let go wait on: for their answer or for their deadline', async () => {
    const waiters = createWaiters<string>(clock);
    const [third, fourth] = [ask(waiters, ada, 3, 100), ask(waiters, ada, 4, 100)];
    waiters.hold(ada).resume([]);

    waiters.settle(ada, { version: 9, oldestPending: 4 });
    await clock.advance(100);

    expect([third, fourth]).toEqual([[APPLIED], [TOO_SLOW]]);
  });

  test('only the refused versions are refused', async () => {
    const waiters = createWaiters<string>(clock);
    const [third, fourth] = [ask(waiters, ada, 3), ask(waiters, ada, 4)];

    waiters.hold(ada).resume([{ version: 3, problem }]);
    await runReady();

    expect([third, fourth]).toEqual([[REFUSED], []]);
  });

  test('who comes meanwhile is not held, and is not spoken of', async () => {
    const waiters = createWaiters<string>(clock);
    const held = waiters.hold(ada);
    const answers = ask(waiters, ada, 4, 100);

    held.resume([{ version: 4, problem }]);
    await clock.advance(100);

    expect(held.waiters).toEqual([]);
    expect(answers).toEqual([TOO_SLOW]);
  });

  test('who was answered is not held again', async () => {
    const waiters = createWaiters<string>(clock);
    ask(waiters, ada, 4);
    waiters.hold(ada).resume([{ version: 4, problem }]);

    expect(waiters.hold(ada).waiters).toEqual([]);
  });
});
