import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { PollState } from './poll-state.ts';

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
