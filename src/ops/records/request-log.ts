import type { KeptRequest } from '../../domain/kept-request.ts';
import { type NewRequestRow, saveRequests } from '../../store/audit/requests.ts';
import type { OpenRecord, OpenRecordOf } from '../../store/recorder.ts';
import type { Store } from '../../store/store.ts';

const GATHER_MS = 500;
const BATCH_MAX = 500;
/** Requests that wait for a store that takes no writes; the oldest are dropped first. */
const WAITING_MAX = 10_000;
/**
 * Creates the log of requests of one process. A request that changes something is stored with its change; answers, and
 * requests that were refused, behind them, so that a crash loses those of the last half second.
 */
export function createRequestLog({
  store,
  openRecord,
  onFailure,
}: {
  readonly store: Pick<Store, 'write'>;
  readonly openRecord: OpenRecordOf;
  /** Called when the store does not take them; they wait for the next time. */
  readonly onFailure: (error: unknown) => void;
}) {
  const waiting: NewRequestRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  let hasFailed = false;

  async function storeAll(): Promise<void> {
    hasFailed = false;
    while (waiting.length > 0) {
      const some = waiting.splice(0, BATCH_MAX);
      try {
        await store.write((tx) => saveRequests(tx, some));
      } catch (error) {
        waiting.unshift(...some);
        hasFailed = true;
        onFailure(error);
        return;
      }
    }
  }

  /** Stores what waits. */
  function stored(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
    return storing;
  }

  return {
    /** Opens the record of a request; `toRequest` makes the line as it is known before the answer. */
    open: (toRequest: () => KeptRequest): OpenRecord<KeptRequest> =>
      openRecord<KeptRequest>({
        insert: (tx, entry) => saveRequests(tx, toRows([toRequest()], entry)),
        end(requests, { entry, isKept }) {
          waiting.push(...toRows(requests, entry));
          if (waiting.length > WAITING_MAX) waiting.shift();
          // Lines are in the order in which they were first stored.
          if (isKept || hasFailed) timer ??= setTimeout(stored, GATHER_MS).unref();
          else stored();
        },
      }),
    stored,
  };
}

function toRows(requests: readonly KeptRequest[], entry: string): NewRequestRow[] {
  return requests.map((kept, index) => ({
    entry: index === 0 ? entry : null,
    at: kept.at,
    request_id: kept.requestId,
    method: kept.method,
    route: kept.route,
    resource_type: kept.resourceType,
    resource_id: kept.resourceId,
    written: JSON.stringify(kept.written),
    status: kept.status,
    scim_type: kept.scimType,
    refusal: kept.refusal,
    duration_ms: Math.round(kept.durationMs),
    client: kept.client,
    credential: kept.credential,
  }));
}
