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
  /** Time of the read of the newest event that names nobody and may be about anybody; 0: there is none. */
  readonly unresolvedAt: number;
  /** Time since when every read fails, and the code; null when the last one did not. */
  readonly failure: { readonly since: number; readonly code: string } | null;
}

/** Progress of reading the audit log; unknown when polling never began. */
export const POLL_STATE = createFact<PollState>('audit-poller');

/**
 * Begins to poll, where no process has begun, and returns the state. The log is read from a little earlier on, because the
 * clocks may differ.
 */
export async function beginPolling(tx: Db, now: number): Promise<PollState> {
  const before = await POLL_STATE.lock(tx);
  if (before !== undefined) return before;
  const from = now - FIRST_REACH_MS;
  const state: PollState = {
    newestAt: from,
    newestSeenAt: from,
    readAt: from,
    isOpen: false,
    skewMs: 0,
    unresolvedAt: 0,
    failure: null,
  };
  await POLL_STATE.save(tx, state, now);
  return state;
}

/** Changes the state of a log that is being read; returns it as it was. @throws BridgeError `bug` */
export async function changePollState(
  tx: Db,
  now: number,
  toChange: (before: PollState) => Partial<PollState>,
): Promise<PollState> {
  const before = await POLL_STATE.lock(tx);
  if (before === undefined) throw new BridgeError('bug', 'the audit log was read before its start');
  await POLL_STATE.save(tx, { ...before, ...toChange(before) }, now);
  return before;
}
