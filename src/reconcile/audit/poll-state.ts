import { findFact, lockFact, saveFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { FIRST_REACH_MS } from './window.ts';

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
  /** Process that reads, and the time until which no other process does. */
  readonly holder: { readonly owner: string; readonly until: number } | null;
}

const FACT = 'audit-tail';

/** Finds how far the audit log was read; undefined when polling never began. */
export async function findPollState(db: Db): Promise<PollState | undefined> {
  return findFact<PollState>(db, FACT);
}

/** Stores the progress of reading the audit log. */
export async function savePollState(tx: Db, value: PollState, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value, now });
}

/**
 * Begins to poll, where no process has begun. The log is read from a little earlier on, because the clocks may differ.
 */
export async function beginPolling(tx: Db, now: number): Promise<void> {
  if ((await lockFact<PollState>(tx, FACT)) !== undefined) return;
  const from = now - FIRST_REACH_MS;
  const value: PollState = {
    newestAt: from,
    newestSeenAt: from,
    readAt: from,
    isOpen: false,
    skewMs: 0,
    failure: null,
    holder: null,
  };
  await savePollState(tx, value, now);
}

/** Frees the poller from a process that is gone: from any other process, where one process has the store. */
export async function freePoller(tx: Db, now: number): Promise<void> {
  const state = await lockFact<PollState>(tx, FACT);
  if (state !== undefined) await savePollState(tx, { ...state, holder: null }, now);
}

/** Frees the poller from this process, which is gone. */
export async function freePollerOf(tx: Db, owner: string, now: number): Promise<void> {
  const state = await lockPollState(tx, owner);
  if (state !== undefined) await savePollState(tx, { ...state, holder: null }, now);
}

/** Wish of a process to read the log now, for a time, at an interval. */
export interface PollClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly intervalMs: number;
}

/** Permission to begin a read, or the time until the next question. */
export type PollTurn =
  | { readonly kind: 'mine'; readonly before: PollState }
  | { readonly kind: 'not-yet'; readonly waitMs: number };

/** Takes the right to read, unless the log was read just now or another process is reading. */
export async function claimPoll(
  tx: Db,
  { owner, now, leaseMs, intervalMs }: PollClaim,
): Promise<PollTurn> {
  const before = await lockFact<PollState>(tx, FACT);
  if (before === undefined) return { kind: 'not-yet', waitMs: intervalMs };
  const { holder, readAt, isOpen } = before;
  if (holder !== null && holder.owner !== owner && holder.until > now) {
    return { kind: 'not-yet', waitMs: Math.min(intervalMs, holder.until - now) };
  }
  const waitMs = readAt + intervalMs - now;
  if (!isOpen && waitMs > 0) return { kind: 'not-yet', waitMs: Math.min(waitMs, intervalMs) };
  const next = { ...before, isOpen: true, holder: { owner, until: now + leaseMs } };
  await savePollState(tx, next, now);
  return { kind: 'mine', before };
}

/** Locks the state while this process may still write it; undefined when another process reads now. */
export async function lockPollState(tx: Db, owner: string): Promise<PollState | undefined> {
  const state = await lockFact<PollState>(tx, FACT);
  return state?.holder?.owner === owner ? state : undefined;
}
