import { expect, test } from 'vitest';
import { recordHeld } from './record-held.ts';
import { GONE, type Recorded, type Undone } from './recorded.ts';

const waiter = { version: 4, undo: 'undo' };
const undone: Undone[] = [{ version: 4, problem: { code: 'refused', words: 'No' } }];

function makeHeld() {
  const told: (readonly Undone[])[] = [];
  return {
    told,
    held: { waiters: [waiter], letGo: (list: readonly Undone[]) => void told.push(list) },
  };
}

test('those who wait are let go with what was taken back, after it is recorded', async () => {
  const { held, told } = makeHeld();
  const result: Recorded<object> = { finished: true, ...GONE, undone, woken: [] };

  const recorded = await recordHeld<object, string>(held, async (undos) => {
    expect([undos, told]).toEqual([[waiter], []]);
    return result;
  });

  expect(recorded).toBe(result);
  expect(told).toEqual([undone]);
});

test('a result that cannot be recorded refuses nobody, and nobody is held for ever', async () => {
  const { held, told } = makeHeld();
  const failure = new Error('the store is full');

  await expect(recordHeld(held, () => Promise.reject(failure))).rejects.toBe(failure);

  expect(told).toEqual([[]]);
});
