import { BridgeError } from '../../domain/errors.ts';
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
  };
  await saveTail(tx, value, now);
}

/** A read that may begin, or when to ask again. */
export type TailTurn =
  | { readonly kind: 'begun'; readonly before: TailState }
  | { readonly kind: 'not-yet'; readonly waitMs: number };

/** Begins a read, unless the log was read just now. */
export async function beginRead(
  tx: Db,
  { now, intervalMs }: { readonly now: number; readonly intervalMs: number },
): Promise<TailTurn> {
  const before = await lockFact<TailState>(tx, FACT);
  if (before === undefined) return { kind: 'not-yet', waitMs: intervalMs };
  const waitMs = before.readAt + intervalMs - now;
  if (!before.isOpen && waitMs > 0) {
    return { kind: 'not-yet', waitMs: Math.min(waitMs, intervalMs) };
  }
  await saveTail(tx, { ...before, isOpen: true }, now);
  return { kind: 'begun', before };
}

/** The state of a log that is being read, locked until the transaction ends. @throws BridgeError `bug` */
export async function lockTail(tx: Db): Promise<TailState> {
  const state = await lockFact<TailState>(tx, FACT);
  if (state === undefined)
    throw new BridgeError('bug', 'the audit log was read before its beginning');
  return state;
}
