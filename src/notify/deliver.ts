import type { Clock } from '../domain/clock.ts';
import type { Receiver } from '../domain/notification.ts';
import {
  deleteNotification,
  listReady,
  type NotificationRow,
  saveAttempt,
} from '../store/notifications.ts';
import type { Store } from '../store/store.ts';
import type { Poster, PostResult } from './post.ts';

/** Outcome of an attempt. */
export type DeliveryResult = 'delivered' | 'failed' | 'dead';

/** Dependencies of a delivery. */
export interface DeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly poster: Poster;
  readonly told: {
    attempted(fields: { receiver: string; result: DeliveryResult; type: string }): void;
    /** A receiver takes nothing from now on. */
    receiverDown(fields: { receiver: string; reason: string }): void;
    /** It takes everything again, after so many milliseconds and failures. */
    receiverUp(fields: { receiver: string; afterMs: number; failures: number }): void;
  };
  readonly signal: AbortSignal;
}

/** Notifications that are read at a time. */
const BATCH = 50;
/** First wait after a failure, doubled with each further one, and the longest; in milliseconds. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Age at which a notification that fails is given up, in milliseconds. */
const GIVEN_UP_MS = 3 * 24 * 3_600_000;

/** Deliveries to one receiver. */
export interface Delivery {
  /** Delivers what is ready; resolves with how long to wait before the next time, in milliseconds. */
  run(): Promise<number>;
}

/**
 * Creates the deliveries to one receiver. What is about one subject goes in order: the next waits until the one before it
 * has arrived or is given up. A receiver that is down is asked with one notification at a time.
 */
export function createDelivery(deps: DeliveryDeps, receiver: Receiver, idleMs: number): Delivery {
  const { store, clock, poster, told, signal } = deps;
  const { name } = receiver;
  let failures = 0;
  let downAt = 0;

  function noteDown(error: string, retryAfterMs: number): number {
    failures += 1;
    if (failures === 1) {
      downAt = clock.now();
      told.receiverDown({ receiver: name, reason: error });
    }
    return Math.max(toWaitMs(failures, deps.random()), retryAfterMs);
  }

  function noteUp(): void {
    const afterMs = clock.now() - downAt;
    if (failures > 0) told.receiverUp({ receiver: name, afterMs, failures });
    failures = 0;
  }

  /** Delivers these one after another; returns how long to wait, where the receiver is down. */
  async function deliver(rows: readonly NotificationRow[]): Promise<number | undefined> {
    for (const row of rows) {
      if (signal.aborted) return idleMs;
      const result = await poster.post(receiver, row);
      await record(deps, row, result);
      if (result.kind === 'down') return noteDown(result.error, result.retryAfterMs);
      noteUp();
    }
    return undefined;
  }

  return {
    async run() {
      for (;;) {
        const batch = { now: clock.now(), limit: BATCH };
        const ready = await listReady(store.read, name, batch);
        if (ready.length === 0) return idleMs;
        const waitMs = await deliver(ready);
        if (waitMs !== undefined) return waitMs;
      }
    },
  };
}

/** Stored after the answer: a crash between sends it again, under the same id. */
async function record(
  { store, clock, random, told }: DeliveryDeps,
  { id, receiver, type, created_at, attempts: before }: NotificationRow,
  result: PostResult,
): Promise<void> {
  if (result.kind === 'delivered') {
    await store.write((tx) => deleteNotification(tx, id));
    return told.attempted({ receiver, type, result: 'delivered' });
  }
  const now = clock.now();
  const isDead = result.kind === 'gone' || now - created_at > GIVEN_UP_MS;
  const attempts = before + 1;
  // While a receiver is down its own wait counts, so that all goes on in order as soon as it is back.
  const waitMs = result.kind === 'down' ? 0 : toWaitMs(attempts, random());
  const status = isDead ? 'dead' : 'waiting';
  const change = {
    attempts,
    due_at: Math.round(now + waitMs),
    status,
    error: result.error,
  } as const;
  await store.write((tx) => saveAttempt(tx, id, change));
  told.attempted({ receiver, type, result: isDead ? 'dead' : 'failed' });
}

/** Time before the next attempt, with jitter, in milliseconds. */
function toWaitMs(failures: number, random: number): number {
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return longestMs * (0.75 + random / 4);
}
