import type { Store } from '../../src/store/store.ts';

/** How many resources have a call on its way. */
export async function countRunning({ read }: Pick<Store, 'read'>): Promise<number> {
  const held = read.selectFrom('resources').select('id').where('in_flight', '!=', 0);
  return (await held.execute()).length;
}
