import type { KyselyPlugin } from 'kysely';
import type { Bell } from '../../../src/store/bell.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Scheduler } from './scheduler.ts';

/** Before `owner` hears what it read, and after each of its commits, others may come first. */
export function gateStore(
  store: Store,
  owner: string,
  { scheduler, bell }: { readonly scheduler: Scheduler; readonly bell: Bell },
): Store {
  const lateAnswers: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await scheduler.pass(owner, () => `has read ${result.rows.length} rows`);
      return result;
    },
  };
  const read = store.read.withPlugin(lateAnswers);
  return {
    // Several processes share this store.
    engine: 'postgres',
    read,
    aside: read,
    bell,
    generation: () => undefined,
    onStatement: store.onStatement,
    connections: store.connections,
    scrub: async () => undefined,
    async write(work) {
      try {
        return await scheduler.join(store.write(work));
      } finally {
        await scheduler.pass(owner, 'has written');
      }
    },
    close: async () => undefined,
  };
}
