import { expect, test } from 'vitest';
import { describePostgres, describeStores } from '../../test/support/stores.ts';
import { type ResourceKey, userId } from '../domain/ids.ts';
import { isUserUndo, toUndoText, type UserUndo } from '../store/resources/undo.ts';
import type { Store } from '../store/store.ts';
import { endWait, insertWait } from '../store/waits.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import type { Settlement } from './outcome.ts';
import { recordHeld } from './record-held.ts';
import { GONE, type Recorded, type Undone } from './recorded.ts';
import { createWaiters } from './waiters.ts';

const key: ResourceKey = { type: 'user', id: userId('ada') };
const undo: UserUndo = { type: 'user', before: undefined, after: '{}' };
const problem = { code: 'refused', words: 'No' };
const undone: Undone[] = [{ version: 4, problem }];
const result: Recorded<object> = { finished: true, ...GONE, undone, notified: [] };

function record(
  store: Store,
  work: (versions: number[]) => Promise<Recorded<object>> | Recorded<object>,
  waiters = createWaiters<UserUndo>(systemClock),
) {
  const held = { key, waiters, mayRefuse: true, isUndo: isUserUndo, change: undefined };
  const deps = { store, clock: systemClock, events: { changeHeld() {} } };
  return recordHeld<object, UserUndo>(deps, held, async (_tx, undos) =>
    work(undos.map(({ version }) => version)),
  );
}

function wait(store: Store, id: string, change: { version?: number; until?: number } = {}) {
  const { version = 4, until = Date.now() + 60_000 } = change;
  const wait = { id, version, until, undo: toUndoText(undo) };
  return store.write((tx) =>
    insertWait(tx, { ...wait, resource_type: key.type, resource_id: key.id }),
  );
}

describeStores('the record of a step', ({ makeStore }) => {
  test('tells requests of this process what was taken back, after it is stored', async () => {
    const store = await makeStore();
    const waiters = createWaiters<UserUndo>(systemClock);
    const settled: Settlement[] = [];
    const waiting = waiters.wait(key, { version: 4, undo }, 60_000);
    void waiting.then((settlement) => settled.push(settlement));

    await record(
      store,
      async (versions) => {
        expect([versions, settled]).toEqual([[4], []]);
        return result;
      },
      waiters,
    );

    expect(await waiting).toEqual({ kind: 'refused', problem });
  });

  test('that cannot be stored refuses nobody, and nobody is held for ever', async () => {
    const store = await makeStore();
    const waiters = createWaiters<UserUndo>(systemClock);
    const waiting = waiters.wait(key, { version: 4, undo }, 100);
    const failure = new Error('the store is full');

    await expect(record(store, () => Promise.reject(failure), waiters)).rejects.toBe(failure);

    expect(await waiting).toMatchObject({ kind: 'not-yet' });
  });
});

describePostgres('the record of a step with requests in other processes', ({ makeStore }) => {
  test('tells them what was taken back', async () => {
    const store = await makeStore();
    await wait(store, 'w');

    await record(store, (versions) => (versions.includes(4) ? result : { ...result, undone: [] }));

    const ended = await store.write((tx) => endWait(tx, 'w'));
    expect(JSON.parse(ended?.refusal ?? '{}')).toEqual(problem);
  });

  test.each([
    { why: 'whose wait is over', change: { until: Date.now() - 1 } },
    { why: 'that were told already', change: {} },
  ])('finds none $why', async ({ why, change }) => {
    const store = await makeStore();
    await wait(store, 'w', change);
    if (why.endsWith('already')) await store.write((tx) => endWait(tx, 'w'));

    await record(store, (versions) => {
      expect(versions).toEqual([]);
      return { ...result, undone: [] };
    });
  });
});
