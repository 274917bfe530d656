import type { KeptRequest, RequestLog } from '../../domain/kept-request.ts';
import { insertRequests, type NewRequestRow, pruneRequests } from '../../store/audit/requests.ts';
import type { Store } from '../../store/store.ts';

/** Time for which requests are gathered before they are stored together, in milliseconds. */
const GATHER_MS = 500;
/** Requests that are stored at once. */
const BATCH_MAX = 500;
/** Requests that wait for a store that takes no writes; the oldest are dropped first. */
const WAITING_MAX = 10_000;
/** Requests after which old ones are deleted. */
const PRUNE_EVERY = 5_000;
const PRUNE_MAX = 2_000;

/** Parts and limits of the log. */
export interface RequestLogDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: { now(): number };
  /** Requests that are kept; 0: none. */
  readonly rowsMax: number;
  /** Time for which they are kept, in milliseconds. */
  readonly retentionMs: number;
  /** Called when the store does not take them; they wait for the next time. */
  readonly onFailure: (error: unknown) => void;
}

/** The log of requests, which is stored behind the answers: a crash loses what came in the last half second. */
export interface StoredRequestLog extends RequestLog {
  /** Stores what waits. */
  stop(): Promise<void>;
}

/** The log of requests of one process. */
export function createRequestLog(deps: RequestLogDeps): StoredRequestLog {
  const waiting: KeptRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  let untilPruned = PRUNE_EVERY;

  async function storeAll(): Promise<void> {
    timer = undefined;
    while (waiting.length > 0) {
      const some = waiting.splice(0, BATCH_MAX);
      try {
        await deps.store.write((tx) => insertRequests(tx, some.map(toRow)));
      } catch (error) {
        waiting.unshift(...some);
        deps.onFailure(error);
        return;
      }
      untilPruned -= some.length;
      if (untilPruned <= 0) await prune();
    }
  }

  async function prune(): Promise<void> {
    untilPruned = PRUNE_EVERY;
    const before = deps.clock.now() - deps.retentionMs;
    const what = { before, rowsMax: deps.rowsMax, limit: PRUNE_MAX };
    try {
      while ((await deps.store.write((tx) => pruneRequests(tx, what))) === PRUNE_MAX);
    } catch (error) {
      // The next time deletes these too.
      deps.onFailure(error);
    }
  }

  return {
    add(request) {
      if (deps.rowsMax === 0) return;
      waiting.push(request);
      if (waiting.length > WAITING_MAX) waiting.shift();
      timer ??= setTimeout(() => {
        storing = storing.then(storeAll);
      }, GATHER_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      await storing;
      await storeAll();
    },
  };
}

function toRow(kept: KeptRequest): NewRequestRow {
  return {
    at: kept.at,
    request_id: kept.requestId,
    method: kept.method,
    route: kept.route,
    resource_type: kept.resourceType,
    resource_id: kept.resourceId,
    written: JSON.stringify(kept.written),
    status: kept.status,
    scim_type: kept.scimType,
    duration_ms: Math.round(kept.durationMs),
    client: kept.client,
    credential: kept.credential,
  };
}
