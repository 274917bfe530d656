import { findNewestOwnCall, listOwnCalls } from '../../store/audit/own-calls.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { compareInTurns, listUnexplained, TOLERANCE } from '../audit/match-events.ts';
import { nameEvents } from '../audit/name-events.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { classify } from '../verdict.ts';

/** Page size, the largest of the service. */
const PAGE_SIZE = 500;
/** Pages that are read: 10,000 changes of our own prove enough. */
const PAGES_MAX = 20;
/** Calls of the ledger that are compared. */
const CALLS_MAX = 20_000;
const READING: CallContext = { class: 'look', key: 'recovery' };
/** Categories of changes of users and groups, as far as the service's documents tell. */
const CATEGORIES: ReadonlySet<string> = new Set(['user_management', 'group_management']);

/**
 * Age of the store compared with the service.
 * - `current`: it knows all calls of our own account
 * - `stale`: our own account made calls that it does not know
 * - `unknown`: the audit log cannot tell; `code` says why
 */
export type Detection =
  | { readonly kind: 'current' }
  | { readonly kind: 'stale'; readonly events: number; readonly lastEventAt: number }
  | { readonly kind: 'unknown'; readonly code: string };

const ALIVE = createFact<number>('alive');

/**
 * Remembers that this store was in use: an event of our own account before now, without a call in the ledger, was made
 * by a person. `now` is epoch milliseconds.
 */
export async function saveAlive(tx: Db, now: number): Promise<void> {
  await ALIVE.save(tx, now, now);
}

/**
 * Compares the events of our own account with the ledger, from the last moment that the store knows.
 * @throws UpstreamError when the service cannot be asked now
 */
export async function detectRestore(
  deps: ReconcileDeps,
  ownAccount: number | undefined,
  signal: AbortSignal,
): Promise<Detection> {
  if (ownAccount === undefined) return { kind: 'unknown', code: 'no-account' };
  const { store } = deps;
  const calledAt = await findNewestOwnCall(store.read);
  const aliveAt = await ALIVE.find(store.read);
  if (calledAt === undefined && aliveAt === undefined) return { kind: 'current' };
  const since = Math.max(calledAt ?? 0, aliveAt ?? 0);
  const read = await readOwnEvents(deps, { ownAccount, since, signal });
  if (read.kind === 'unknown') return read;
  const named = await nameEvents(store.read, read.events);
  const events = named.filter(({ resourceIds }) => resourceIds.size > 0);
  // The calls are read after the events, because another process may call meanwhile: its call is stored before its
  // event.
  const calls = await listOwnCalls(store.read, {
    from: since - TOLERANCE.afterMs,
    to: Number.MAX_SAFE_INTEGER,
    limit: CALLS_MAX,
  });
  const tolerance = { ...TOLERANCE, spreadMs: TOLERANCE.afterMs };
  const unexplained = await compareInTurns(listUnexplained(events, calls, tolerance));
  if (unexplained.length > 0) {
    const lastEventAt = Math.max(...unexplained.map(({ at }) => at));
    return { kind: 'stale', events: unexplained.length, lastEventAt };
  }
  if (read.events.some(isNameless)) return { kind: 'unknown', code: 'events-name-nothing' };
  return read.isComplete ? { kind: 'current' } : { kind: 'unknown', code: 'incomplete' };
}

type ReadEvents =
  | { readonly kind: 'read'; readonly events: AuditEvent[]; readonly isComplete: boolean }
  | { readonly kind: 'unknown'; readonly code: string };

/**
 * Reads the events of our own account since then (epoch milliseconds). The service may ignore the filter by author, so it
 * is repeated here.
 */
async function readOwnEvents(
  { upstream }: ReconcileDeps,
  { ownAccount, since, signal }: { ownAccount: number; since: number; signal: AbortSignal },
): Promise<ReadEvents> {
  const query = { from: new Date(since).toISOString(), author_id: ownAccount };
  const options = { ...READING, signal, pageSize: PAGE_SIZE, pagesMax: PAGES_MAX };
  const pages = paginate(upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  const events = new Map<string, AuditEvent>();
  try {
    for await (const { items } of pages) {
      for (const event of items.map(parseAuditEvent)) events.set(event.id, event);
    }
  } catch (error) {
    const { verdict, problem } = classify(error);
    if (verdict === 'later' || (verdict === 'unknown' && problem.code !== 'unreadable'))
      throw error;
    return { kind: 'unknown', code: problem.code };
  }
  const isLater = ({ authorId, createdAt }: AuditEvent) =>
    authorId === ownAccount && createdAt.getTime() > since;
  const own = [...events.values()].filter(isLater);
  return { kind: 'read', events: own, isComplete: pages.result.complete };
}

function isNameless({ category, details }: AuditEvent): boolean {
  return CATEGORIES.has(category) && (details === undefined || details === null);
}
