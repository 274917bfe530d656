import { findFact, lockFact, saveFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { FIRST_REACH_MS } from './window.ts';

/** How far the audit log was read. Times are epoch milliseconds by our clock, where nothing else is said. */
export interface TailState {
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
  /** The process that reads, and until when nobody else does. */
  readonly holder: { readonly owner: string; readonly until: number } | null;
}

const FACT = 'audit-tail';

/** How far the audit log was read, undefined: nobody has begun. */
export async function findTail(db: Db): Promise<TailState | undefined> {
  return findFact<TailState>(db, FACT);
}

/** Stores how far the audit log was read. */
export async function saveTail(tx: Db, value: TailState, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value, now });
}

/** Begins where nobody has begun. What happened shortly before is read too, for the clocks may differ. */
export async function beginTail(tx: Db, now: number): Promise<void> {
  if ((await lockFact<TailState>(tx, FACT)) !== undefined) return;
  const from = now - FIRST_REACH_MS;
  const value: TailState = {
    newestAt: from,
    newestSeenAt: from,
    readAt: from,
    isOpen: false,
    skewMs: 0,
    failure: null,
    holder: null,
  };
  await saveTail(tx, value, now);
}

/** Lets go of what a process held that is known to be gone: any other, where one process has the store. */
export async function freeTail(tx: Db, now: number): Promise<void> {
  const state = await lockFact<TailState>(tx, FACT);
  if (state !== undefined) await saveTail(tx, { ...state, holder: null }, now);
}

/** Lets go where this process reads, which is gone. */
export async function freeTailOf(tx: Db, owner: string, now: number): Promise<void> {
  const state = await holdTail(tx, owner);
  if (state !== undefined) await saveTail(tx, { ...state, holder: null }, now);
}

/** Who wants to read, when, for how long, and how often the log is read. */
export interface TailClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly intervalMs: number;
}

/** A read that may begin, or when to ask again. */
export type TailTurn =
  | { readonly kind: 'mine'; readonly before: TailState }
  | { readonly kind: 'not-yet'; readonly waitMs: number };

/** Takes the right to read, unless it was read just now or somebody else is reading. */
export async function claimTail(
  tx: Db,
  { owner, now, leaseMs, intervalMs }: TailClaim,
): Promise<TailTurn> {
  const before = await lockFact<TailState>(tx, FACT);
  if (before === undefined) return { kind: 'not-yet', waitMs: intervalMs };
  const { holder, readAt, isOpen } = before;
  if (holder !== null && holder.owner !== owner && holder.until > now) {
    return { kind: 'not-yet', waitMs: Math.min(intervalMs, holder.until - now) };
  }
  const waitMs = readAt + intervalMs - now;
  if (!isOpen && waitMs > 0) return { kind: 'not-yet', waitMs: Math.min(waitMs, intervalMs) };
  const next = { ...before, isOpen: true, holder: { owner, until: now + leaseMs } };
  await saveTail(tx, next, now);
  return { kind: 'mine', before };
}

/** The state, locked, while this process may still write it; undefined: another one reads by now. */
export async function holdTail(tx: Db, owner: string): Promise<TailState | undefined> {
  const state = await lockFact<TailState>(tx, FACT);
  return state?.holder?.owner === owner ? state : undefined;
}
