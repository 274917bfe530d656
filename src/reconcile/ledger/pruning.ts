import { pruneAccessTokens } from '../../store/access-tokens.ts';
import { pruneAuditEvents } from '../../store/audit-events.ts';
import type { Db } from '../../store/database.ts';
import { pruneDrifts } from '../../store/drifts.ts';
import { pruneOwnCalls } from '../../store/own-calls.ts';
import { prunePlans } from '../../store/plans.ts';
import { pruneRequests } from '../../store/requests.ts';
import { pruneSweeps } from '../../store/sweeps.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type ErasureDeps, forgetTombstones } from '../erasure/erasure.ts';

/** How often old rows are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Keeps what the store remembers of the past from growing for ever. */
export interface Pruning {
  start(): void;
  stop(): void;
}

/** What pruning is given. */
export interface PruningDeps extends ErasureDeps {
  readonly events: Pick<ReconcileDeps['events'], 'failed'>;
}

/** How long rows are kept, in milliseconds. */
export interface Retention {
  readonly ledgerMs: number;
  readonly auditMs: number;
  readonly requestsMs: number;
  /** How many requests are kept. */
  readonly requestRowsMax: number;
  readonly driftsMs: number;
  /** Sweeps are kept as long. */
  readonly plansMs: number;
  /** How long deleted people are known by name; 0: for ever. */
  readonly tombstonesMs: number;
}

/** Forgets at the start and every hour what is older than that. */
export function createPruning(deps: PruningDeps, retention: Retention): Pruning {
  const { clock, events } = deps;
  let timer: NodeJS.Timeout | undefined;

  async function prune(): Promise<void> {
    try {
      await pruneAll(deps, retention, clock.now());
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

async function pruneAll(deps: PruningDeps, retention: Retention, now: number): Promise<void> {
  const { ledgerMs, auditMs, requestsMs, requestRowsMax, driftsMs, plansMs } = retention;
  const requests = { before: now - requestsMs, rowsMax: requestRowsMax, limit: PRUNE_MAX };
  await prunePartly(deps, pruneOwnCalls, now - ledgerMs);
  await prunePartly(deps, pruneAuditEvents, now - auditMs);
  await prunePartly(deps, (tx) => pruneRequests(tx, requests), now - requestsMs);
  await prunePartly(deps, pruneAccessTokens, now);
  await prunePartly(deps, pruneDrifts, now - driftsMs);
  await prunePartly(deps, prunePlans, now - plansMs);
  await prunePartly(deps, pruneSweeps, now - plansMs);
  if (retention.tombstonesMs > 0) await forgetTombstones(deps, now - retention.tombstonesMs);
}

/** Forgets what is from before `before` (epoch milliseconds), a part in each transaction. */
async function prunePartly(
  { store }: PruningDeps,
  prune: (tx: Db, what: { before: number; limit: number }) => Promise<number>,
  before: number,
): Promise<void> {
  while ((await store.write((tx) => prune(tx, { before, limit: PRUNE_MAX }))) === PRUNE_MAX);
}
