import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';

/**
 * Distance before its beginning from which the poller reads, in milliseconds: the service's clock may be that far
 * behind.
 */
const FIRST_REACH_MS = 60 * 60_000;

/** Progress of reading the audit log. Times are epoch milliseconds by our clock, where nothing else is said. */
export interface PollState {
  /** Time of the newest event that was read, by the clock of the service. */
  readonly newestAt: number;
  /** Beginning of the read that first saw it. */
  readonly newestSeenAt: number;
  /** Beginning of the last complete read: an event that it did not show came later. */
  readonly readAt: number;
  /** True when a read has begun and not come to its end. */
  readonly isOpen: boolean;
  /** Lead of the service's clock over ours, as far as events have shown. */
  readonly skewMs: number;
  /** Time since when every read fails, and the code; null when the last one did not. */
  readonly failure: { readonly since: number; readonly code: string } | null;
}

/** Progress of reading the audit log; unknown when polling never began. */
export const POLL_STATE = createFact<PollState>('audit-poller');

/**
 * Begins to poll, where no process has begun. The log is read from a little earlier on, because the clocks may differ.
 */
export async function beginPolling(tx: Db, now: number): Promise<void> {
  if ((await POLL_STATE.lock(tx)) !== undefined) return;
  const from = now - FIRST_REACH_MS;
  const places = { newestAt: from, newestSeenAt: from, readAt: from };
  await POLL_STATE.save(tx, { ...places, isOpen: false, skewMs: 0, failure: null }, now);
}

/** Permission to begin a read, or the time until the next question. */
type PollTurn =
  | { readonly kind: 'begun'; readonly before: PollState }
  | { readonly kind: 'not-yet'; readonly waitMs: number };

/** Begins a read, unless the log was read just now. */
export async function beginRead(
  tx: Db,
  { now, intervalMs }: { readonly now: number; readonly intervalMs: number },
): Promise<PollTurn> {
  const before = await POLL_STATE.lock(tx);
  if (before === undefined) return { kind: 'not-yet', waitMs: intervalMs };
  const waitMs = before.readAt + intervalMs - now;
  if (!before.isOpen && waitMs > 0) {
    return { kind: 'not-yet', waitMs: Math.min(waitMs, intervalMs) };
  }
  await POLL_STATE.save(tx, { ...before, isOpen: true }, now);
  return { kind: 'begun', before };
}

/** The state of a log that is being read. @throws BridgeError `bug` */
export async function readPollState(db: Db): Promise<PollState> {
  return toBegun(await POLL_STATE.find(db));
}

/** Locks the state of a log that is being read, until the transaction ends. @throws BridgeError `bug` */
export async function lockPollState(tx: Db): Promise<PollState> {
  return toBegun(await POLL_STATE.lock(tx));
}

function toBegun(state: PollState | undefined): PollState {
  if (state !== undefined) return state;
  throw new BridgeError('bug', 'the audit log was read before its beginning');
}
