import { pruneAuditEvents } from '../../store/audit-events.ts';
import { pruneOwnCalls } from '../../store/own-calls.ts';
import type { ReconcileDeps } from '../deps.ts';

/** How often old rows are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Keeps the ledger of our own calls, and the events of the audit log, from growing for ever. */
export interface Pruning {
  start(): void;
  stop(): void;
}

/** How long rows are kept, in milliseconds. */
export interface Retention {
  readonly ledgerMs: number;
  readonly auditMs: number;
}

/** Forgets at the start and every hour what is older than that. */
export function createPruning(
  { store, clock, events }: Pick<ReconcileDeps, 'store' | 'clock' | 'events'>,
  { ledgerMs, auditMs }: Retention,
): Pruning {
  let timer: NodeJS.Timeout | undefined;

  async function prune(): Promise<void> {
    const now = clock.now();
    const ledger = { before: now - ledgerMs, limit: PRUNE_MAX };
    const audit = { before: now - auditMs, limit: PRUNE_MAX };
    try {
      while ((await store.write((tx) => pruneOwnCalls(tx, ledger))) === PRUNE_MAX);
      while ((await store.write((tx) => pruneAuditEvents(tx, audit))) === PRUNE_MAX);
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
