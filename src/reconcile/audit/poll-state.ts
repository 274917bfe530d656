import { findFact, lockFact, saveFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { FIRST_REACH_MS } from './window.ts';

/** How far the audit log was read. Times are epoch milliseconds by our clock, where nothing else is said. */
export interface PollState {
  /** When the newest event that was read happened, by the clock of the service. */
  readonly newestAt: number;
  /** When the read began that first saw it. */
  readonly newestSeenAt: number;
  /** When the last complete read began: what it did not show came later. */
  readonly readAt: number;
  /** A read has begun and not come to its end. */
  readonly isOpen: boolean;
  /** How far the service's clock is ahead of ours, as far as events have shown. */
  readonly skewMs: number;
  /** Since when every read fails, and with which code; null: the last one did not. */
  readonly failure: { readonly since: number; readonly code: string } | null;
  /** Process that reads, and the time until which no other process does. */
  readonly holder: { readonly owner: string; readonly until: number } | null;
}

const FACT = 'audit-tail';

/** Finds how far the audit log was read; undefined when polling never began. */
export async function findPollState(db: Db): Promise<PollState | undefined> {
  return findFact<PollState>(db, FACT);
}

/** Stores how far the audit log was read. */
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

/** A read that may begin, or when to ask again. */
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

/** The state, locked, while this process may still write it; undefined: another one reads by now. */
export async function lockPollState(tx: Db, owner: string): Promise<PollState | undefined> {
  const state = await lockFact<PollState>(tx, FACT);
  return state?.holder?.owner === owner ? state : undefined;
}
