import { setTimeout as sleep } from 'node:timers/promises';
import { readBacklog } from '../../src/store/resources/backlog.ts';
import type { Store } from '../../src/store/store.ts';
import { createPatience } from './provider.ts';

/** Waits until nothing is due in a store and no call is on its way, whichever process works on it. */
export async function untilStoreSettled(store: Store): Promise<void> {
  const expectProgress = createPatience();
  for (;;) {
    // In this order, because what ends may leave something due.
    const running = await countRunning(store);
    const { due } = await readBacklog(store.read);
    if (due + running === 0) return;
    expectProgress(`${due} due, ${running} running`);
    await sleep(5);
  }
}

/** How many resources have a call on its way. */
export async function countRunning({ read }: Pick<Store, 'read'>): Promise<number> {
  let running = 0;
  for (const table of ['users', 'groups'] as const) {
    const held = read.selectFrom(table).select('id').where('in_flight', '!=', 0);
    running += (await held.execute()).length;
  }
  return running;
}
