import { pruneOwnCalls } from '../../store/own-calls.ts';
import type { ReconcileDeps } from '../deps.ts';

/** How often old rows are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Keeps the ledger of our own calls from growing for ever. */
export interface LedgerPruning {
  start(): void;
  stop(): void;
}

/** `retentionMs`: how long a row is kept. */
export function createLedgerPruning(
  { store, clock, events }: Pick<ReconcileDeps, 'store' | 'clock' | 'events'>,
  retentionMs: number,
): LedgerPruning {
  let timer: NodeJS.Timeout | undefined;

  async function prune(): Promise<void> {
    const old = { before: clock.now() - retentionMs, limit: PRUNE_MAX };
    try {
      while ((await store.write((tx) => pruneOwnCalls(tx, old))) === PRUNE_MAX);
    } catch (error) {
      // What is old now is so in an hour too.
      events.failed({ type: 'ledger', id: 'prune', error });
    }
  }

  return {
    start() {
      void prune();
      timer = setInterval(() => void prune(), PRUNE_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
