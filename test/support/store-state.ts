import type { Store } from '../../src/store/store.ts';

/** How many resources have a call on its way. */
export async function countRunning({ read }: Pick<Store, 'read'>): Promise<number> {
  let running = 0;
  for (const table of ['users', 'groups'] as const) {
    const held = read.selectFrom(table).select('id').where('in_flight', '!=', 0);
    running += (await held.execute()).length;
  }
  return running;
}
