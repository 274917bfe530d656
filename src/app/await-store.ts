import { findWeaknesses } from '../store/engine/store-health.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import { events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';

/** How long a start waits for a PostgreSQL that is not there yet, in milliseconds. */
const PATIENCE_MS = 60_000;
/** How often lost connections are told, in milliseconds: a server that ends takes all of them. */
const LOST_TOLD_MS = 60_000;

/** A database that starts beside the bridge, or is just changing over, is waited for, until somebody stops the bridge. */
export function toStoreWatch(
  logger: Logger,
  stopped: Promise<string>,
): Pick<StoreOptions, 'patience' | 'onConnectionLost'> {
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  let isTold = false;
  let lostToldAtMs = Number.NEGATIVE_INFINITY;
  return {
    patience: {
      ms: PATIENCE_MS,
      signal: stopping.signal,
      onWait(error) {
        if (!isTold) logger.log(events.storeAwaited({ error }));
        isTold = true;
      },
    },
    onConnectionLost(error) {
      const nowMs = performance.now();
      if (nowMs - lostToldAtMs < LOST_TOLD_MS) return;
      lostToldAtMs = nowMs;
      logger.log(events.storeConnectionLost({ code: toCode(error) }));
    },
  };
}

function toCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

/** Says at the start why what is committed may be lost. @throws StoreError */
export async function tellWeaknesses(logger: Logger, { read }: Store): Promise<void> {
  for (const weakness of await findWeaknesses(read)) {
    logger.log(weakness === 'not-flushed' ? events.storeNotFlushed() : events.storeFollowed());
  }
}
