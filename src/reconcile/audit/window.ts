import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { TOLERANCE } from './match-events.ts';

/** How much later than others of its time an event may come into the log, in milliseconds. */
export const LATE_MS = 5 * 60_000;
/**
 * Distance before its beginning from which the poller reads, in milliseconds: the service's clock may be that far
 * behind.
 */
export const FIRST_REACH_MS = 60 * 60_000;

/** Part of `PollState` from which the beginning of a read follows. */
interface ReadSoFar {
  readonly newestAt: number;
  readonly newestSeenAt: number;
  readonly readAt: number;
  readonly skewMs: number;
}

/**
 * From when on the log is read, by the clock of the service (epoch milliseconds). What may still come late is
 * read again; once the newest event is older than that, it alone is. An event from the future, because a
 * clock was set back, does not hide what comes after it.
 */
export function findWindowStart(
  { newestAt, newestSeenAt, readAt, skewMs }: ReadSoFar,
  now: number,
): number {
  const overlapMs = Math.max(0, LATE_MS - (readAt - newestSeenAt));
  return Math.min(newestAt, now + skewMs) - overlapMs;
}

/**
 * How far the service's clock is ahead of ours. What was not there at the last complete read has happened
 * since then and until now, so a time outside of that shows the difference. One that was only late shows a
 * wrong one, which the next event puts right.
 * @param createdAt the newest of the events that came since (epoch milliseconds)
 */
export function estimateSkew(
  { readAt, skewMs }: Pick<ReadSoFar, 'readAt' | 'skewMs'>,
  createdAt: number,
  now: number,
): number {
  const at = createdAt - skewMs;
  if (at > now) return createdAt - now;
  return at < readAt - TOLERANCE.beforeMs ? createdAt - readAt : skewMs;
}

/** One page of a read. */
export interface ReadPage {
  /** Shown events, and those of them that belong to the window. */
  readonly shown: readonly AuditEvent[];
  readonly events: readonly AuditEvent[];
  /** How many of them were not known. */
  readonly freshCount: number;
  /** How many events of the window are stored by now. */
  readonly storedCount: number;
  /** How many events were shown until here. */
  readonly position: number;
  /** The read before was cut short, so that the older part of what is stored may have gaps. */
  readonly isAgain: boolean;
}

/**
 * True when no new event can follow. The newest events are not on a later page, and either the page is older than the
 * window, or it shows nothing new and all known events of the window were shown, late ones included.
 */
export function isEnd(page: ReadPage): boolean {
  if (isAscending(page.shown)) return false;
  if (page.events.length === 0) return true;
  return !page.isAgain && page.freshCount === 0 && page.storedCount <= page.position;
}

/** An event that is older than the one after it: then the newest are not on the first page. */
function isAscending(events: readonly AuditEvent[]): boolean {
  return events.some((event, index) => {
    const next = events[index + 1];
    return next !== undefined && next.createdAt > event.createdAt;
  });
}
