import { pruneAccessTokens } from '../../store/access-tokens.ts';
import { pruneAuditEvents } from '../../store/audit-events.ts';
import { pruneDrifts } from '../../store/drifts.ts';
import { pruneOwnCalls } from '../../store/own-calls.ts';
import { prunePlans } from '../../store/plans.ts';
import { pruneRequests } from '../../store/requests.ts';
import { pruneSweeps } from '../../store/sweeps.ts';
import type { ReconcileDeps } from '../deps.ts';

/** How often old rows are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** How long sweeps, plans and drifts that are over are shown, in milliseconds. */
const SHOWN_MS = 30 * 24 * 3_600_000;

/** Keeps what the store remembers of the past from growing for ever. */
export interface Pruning {
  start(): void;
  stop(): void;
}

/** What pruning is given. */
export interface PruningDeps extends Pick<ReconcileDeps, 'store' | 'clock'> {
  readonly events: Pick<ReconcileDeps['events'], 'failed'>;
}

/** How long rows are kept, in milliseconds. */
export interface Retention {
  readonly ledgerMs: number;
  readonly auditMs: number;
  readonly requestsMs: number;
  /** How many requests are kept. */
  readonly requestRowsMax: number;
}

/** Forgets at the start and every hour what is older than that. */
export function createPruning(
  { store, clock, events }: PruningDeps,
  { ledgerMs, auditMs, requestsMs, requestRowsMax }: Retention,
): Pruning {
  let timer: NodeJS.Timeout | undefined;

  async function prune(): Promise<void> {
    const now = clock.now();
    const ledger = { before: now - ledgerMs, limit: PRUNE_MAX };
    const audit = { before: now - auditMs, limit: PRUNE_MAX };
    const requests = { before: now - requestsMs, rowsMax: requestRowsMax, limit: PRUNE_MAX };
    try {
      while ((await store.write((tx) => pruneOwnCalls(tx, ledger))) === PRUNE_MAX);
      while ((await store.write((tx) => pruneAuditEvents(tx, audit))) === PRUNE_MAX);
      while ((await store.write((tx) => pruneRequests(tx, requests))) === PRUNE_MAX);
      const expired = { before: now, limit: PRUNE_MAX };
      while ((await store.write((tx) => pruneAccessTokens(tx, expired))) === PRUNE_MAX);
      await store.write(async (tx) => {
        await pruneDrifts(tx, now - SHOWN_MS);
        await prunePlans(tx, now - SHOWN_MS);
        await pruneSweeps(tx, now - SHOWN_MS);
      });
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
