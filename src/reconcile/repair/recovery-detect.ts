import { findNewestCallAt } from '../../store/audit/own-calls.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { CLOCKS_MS, findLearnedAccount, nameEvents } from '../audit/events.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { ReadDeps } from '../read/reading.ts';
import { isAnswering } from '../read/service.ts';
import { classify } from '../verdict.ts';

/** Page size, the largest of the service. */
const PAGE_SIZE = 500;
/** Pages that are read: 10,000 changes of our own prove enough. */
const PAGES_MAX = 20;
const READING: CallContext = { class: 'look', key: 'recovery' };
/** Times that the audit log may fail while other reads work, before the bridge goes on without it. */
const FAILURES_MAX = 3;
/** Categories of changes of users and groups, as far as the service's documents tell. */
const CATEGORIES: ReadonlySet<string> = new Set(['user_management', 'group_management']);

/**
 * Age of the store compared with the service.
 * - `current`: it was in use when our own account changed something for the last time
 * - `stale`: our own account changed users or groups of the store after that
 * - `unknown`: the audit log cannot tell; `code` says why
 */
export type Detection =
  | { readonly kind: 'current' | 'stale' }
  | { readonly kind: 'unknown'; readonly code: string };

const ALIVE = createFact<number>('alive');

/**
 * Remembers that this store was in use: an event of our own account before now was made by a call that it knows, or by a
 * person. `now` is epoch milliseconds.
 */
export async function saveAlive(tx: Db, now: number): Promise<void> {
  await ALIVE.save(tx, now, now);
}

/** The attempt, from 1 on, and what ends it. */
interface Attempt {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/**
 * Looks for events of our own account from after the last moment that the store knows. An audit log that fails for ever,
 * while the rest works, is not waited for.
 * @param given our own account, where the service tells it
 * @throws UpstreamError when the service cannot be asked now
 */
export async function detectRestore(
  deps: ReadDeps,
  given: number | undefined,
  { attempt, signal }: Attempt,
): Promise<Detection> {
  const { read: db } = deps.store;
  // Events of what the bridge created may tell the account, where the service does not.
  const ownAccount = given ?? (await findLearnedAccount(db));
  if (ownAccount === undefined) return { kind: 'unknown', code: 'no-account' };
  const knownAt = Math.max((await findNewestCallAt(db)) ?? 0, (await ALIVE.find(db)) ?? 0);
  if (knownAt === 0) return { kind: 'current' };
  try {
    return await judgeEvents(deps, { ownAccount, since: knownAt + CLOCKS_MS, signal });
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isTransient = verdict === 'later' || verdict === 'unknown';
    const mayGoOn = !isTransient || problem.code === 'unreadable';
    if (!mayGoOn && (attempt < FAILURES_MAX || !(await isAnswering(deps)))) throw error;
    return { kind: 'unknown', code: problem.code };
  }
}

/**
 * Judges by the events of our own account since then (epoch milliseconds, by the clock of the service). The service may
 * ignore the filter by author, so it is repeated here.
 */
async function judgeEvents(
  { upstream, store }: ReconcileDeps,
  { ownAccount, since, signal }: { ownAccount: number; since: number; signal: AbortSignal },
): Promise<Detection> {
  const query = { from: new Date(since).toISOString(), author_id: ownAccount };
  const options = { ...READING, signal, pageSize: PAGE_SIZE, pagesMax: PAGES_MAX };
  const pages = paginate(upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  const own: AuditEvent[] = [];
  for await (const { items } of pages) {
    for (const event of items.map(parseAuditEvent)) {
      if (event.authorId === ownAccount && event.createdAt.getTime() > since) own.push(event);
    }
  }
  const named = await nameEvents(store.read, own);
  if (named.some(({ managed }) => managed.size > 0)) return { kind: 'stale' };
  if (own.some(isNameless)) return { kind: 'unknown', code: 'events-name-nothing' };
  return pages.result.complete ? { kind: 'current' } : { kind: 'unknown', code: 'incomplete' };
}

function isNameless({ category, details }: AuditEvent): boolean {
  return CATEGORIES.has(category) && (details === undefined || details === null);
}
