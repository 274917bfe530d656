import type { Store } from '../store/store.ts';
import { listWhere } from '../store/tables.ts';

const NEXT = { order: 'seq', limit: 1_000 } as const;
const AGAIN_MS = 1_000;

/** Keeps the ids in memory by which an earlier SCIM server knew users and groups. @param onFailure is called for each read that failed; it is made again soon */
export function createFormerIds(
  { read, bell }: Pick<Store, 'read' | 'bell'>,
  onFailure: (error: unknown) => void,
) {
  const known = { user: new Map<string, string>(), group: new Map<string, string>() };
  let afterSeq = 0;
  let reading: Promise<void> = Promise.resolve();
  let unlisten: (() => void) | undefined;
  let again: NodeJS.Timeout | undefined;

  async function readNew(): Promise<void> {
    for (;;) {
      const rows = await listWhere(read, 'former_ids', { seq: { '>': afterSeq } }, NEXT);
      for (const row of rows) {
        known[row.resource_type].set(row.former_id, row.resource_id);
        afterSeq = row.seq;
      }
      if (rows.length < NEXT.limit) return;
    }
  }

  /** Reads those that came since the last time. */
  function refresh(): Promise<void> {
    reading = reading.catch(() => undefined).then(readNew);
    return reading;
  }

  function follow(): void {
    clearTimeout(again);
    refresh().catch((error: unknown) => {
      if (unlisten === undefined) return;
      onFailure(error);
      // No other ring may come.
      again = setTimeout(follow, AGAIN_MS);
    });
  }

  return {
    toOwn: (type: 'user' | 'group', id: string) => known[type].get(id) ?? id,
    refresh,
    async start() {
      unlisten = bell.listen('former-ids', follow);
      await refresh();
    },
    async stop() {
      unlisten?.();
      unlisten = undefined;
      clearTimeout(again);
      await reading.catch(() => undefined);
    },
  };
}
