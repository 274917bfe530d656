import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

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

/** Largest difference of two clocks that needs no estimate, in milliseconds. */
export const CLOCKS_MS = 60_000;

/** Delay with which an event may come into the log, in milliseconds. */
export const LATE_MS = 5 * 60_000;

/** Largest lead of the service's clock over ours that is believed, in milliseconds; an event beyond it is wrong. */
const SKEW_MAX_MS = 30 * 60_000;

/**
 * Finds the time from which the log is read, by the clock of the service (epoch milliseconds). The last minutes are
 * read again for late events; once the newest event is older than that, it alone is. What came since the last read is
 * always in it, whatever time the newest event claims.
 */
export function findWindowStart({ newestAt, newestSeenAt, readAt, skewMs }: PollState): number {
  const overlapMs = Math.max(0, LATE_MS - (readAt - newestSeenAt));
  return Math.min(newestAt, readAt + Math.min(skewMs, 0)) - overlapMs;
}

/** Finds the time of the newest of these events that the service's clock may show now; `before` where there is none. */
export function findNewest(events: readonly AuditEvent[], before: number, now: number): number {
  const times = events.map(({ createdAt }) => createdAt.getTime());
  return Math.max(before, ...times.filter((at) => at <= now + SKEW_MAX_MS));
}

/**
 * Estimates the lead of the service's clock over ours. A new event happened between the last complete read and now, so
 * a time outside of that shows the difference. A late event gives a wrong estimate, which the next event corrects.
 * @param createdAt time of the newest of the new events (epoch milliseconds)
 */
export function estimateSkew(
  { readAt, skewMs }: Pick<PollState, 'readAt' | 'skewMs'>,
  createdAt: number,
  now: number,
): number {
  const at = createdAt - skewMs;
  if (at > now) return createdAt - now;
  if (at >= readAt - CLOCKS_MS) return skewMs;
  return Math.max(createdAt - readAt, -SKEW_MAX_MS);
}

/** One page of a read. */
export interface ReadPage {
  /** Shown events, and those of them that belong to the window. */
  readonly shown: readonly AuditEvent[];
  readonly events: readonly AuditEvent[];
  /** Time of the first event of the read (epoch milliseconds). */
  readonly beganAt: number;
  /** Number of them that were not known. */
  readonly freshCount: number;
  /** Number of events of the window that are stored by now. */
  readonly storedCount: number;
  /** Number of events that were shown until here. */
  readonly position: number;
  /** True when the read before was cut short, so that the older stored events may have gaps. */
  readonly isAgain: boolean;
}

/**
 * True when no new event can follow. The newest events are not on a later page, and either the page is older than the
 * window, or it shows nothing new and all known events of the window were shown, late ones included.
 */
export function isEnd(page: ReadPage): boolean {
  if (isAscending(page.shown) || isLater(page)) return false;
  if (page.events.length === 0) return true;
  return !page.isAgain && page.freshCount === 0 && page.storedCount <= page.position;
}

/** True when an event is older than the one after it: then the newest are not on the first page. */
function isAscending(events: readonly AuditEvent[]): boolean {
  return events.some((event, index) => {
    const next = events[index + 1];
    return next !== undefined && next.createdAt > event.createdAt;
  });
}

/** True when a page ends later than the read began: events of one moment tell no order among themselves. */
function isLater({ shown, beganAt }: ReadPage): boolean {
  const last = shown.at(-1);
  return last !== undefined && last.createdAt.getTime() > beganAt;
}
