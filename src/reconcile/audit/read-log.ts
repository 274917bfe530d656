import { BridgeError } from '../../domain/errors.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { NewEvent } from './attribute-events.ts';
import { beginRead, lockPollState, POLL_STATE, type PollState } from './poll-state.ts';
import { resolveEvents } from './resolve-events.ts';
import { type SavedPage, savePage } from './save-page.ts';
import { findNewest, findWindowStart, isEnd } from './window.ts';

/** Page size, the largest of the service. */
const PAGE_SIZE = 500;
/** Pages of one read: a million events. */
const PAGES_MAX = 2_000;
const READING: CallContext = { class: 'look', key: 'audit-poller' };

interface Reading {
  readonly intervalMs: number;
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads new events of the audit log page by page, each stored with its consequences. A failed or cut read begins again,
 * and skips stored events. Resolves with the milliseconds until it is time to read; undefined: everything new is stored.
 * @throws UpstreamError, StoreError; BridgeError `could-not-look` when the log cannot be read to its end
 */
export async function readLog(
  deps: ReconcileDeps,
  { intervalMs, ownAccount, signal }: Reading,
): Promise<number | undefined> {
  const { store, clock } = deps;
  const now = clock.now();
  const turn = await store.write((tx) => beginRead(tx, { now, intervalMs }));
  if (turn.kind === 'not-yet') return turn.waitMs;
  const newestAt = await readPages(deps, turn.before, { now, ownAccount, signal });
  reportLooks(deps, await resolveEvents(deps, ownAccount));
  await finish(deps, { newestAt, readAt: now });
  return undefined;
}

/** Reads the pages, and returns the time of the newest event. */
async function readPages(
  deps: ReconcileDeps,
  before: PollState,
  { now, ownAccount, signal }: Omit<Reading, 'intervalMs'> & { readonly now: number },
): Promise<number> {
  const from = findWindowStart(before);
  const query = { from: new Date(from).toISOString() };
  const pages = paginate(
    deps.upstream,
    auditLogs.retrieveAuditLogEvents,
    { query },
    // The next read begins at the newest event, so that an event that was not shown is not missed.
    { ...READING, signal, pageSize: PAGE_SIZE, pagesMax: PAGES_MAX, emptyFrom: 0 },
  );
  let newestAt = before.newestAt;
  let beganAt: number | undefined;
  for await (const { items, cursor } of pages) {
    // A page that shows nothing new of the list is no page of the log that is known.
    if (items.length === 0) continue;
    const shown = items.flatMap((item) => parseReadable(deps, item));
    if (shown.length === 0) continue;
    // The service may not know the parameter.
    const events = shown.filter(({ createdAt }) => createdAt.getTime() >= from);
    const saved = await savePage(deps, { events, from, ownAccount });
    report(deps, saved);
    newestAt = findNewest(events, newestAt, now);
    beganAt ??= shown[0]?.createdAt.getTime();
    const page = { shown, events, freshCount: saved.fresh.length, storedCount: saved.storedCount };
    const place = { beganAt: beganAt ?? from, position: cursor.position, isAgain: before.isOpen };
    if (isEnd({ ...page, ...place })) return newestAt;
  }
  if (pages.result.complete) return newestAt;
  throw new BridgeError('could-not-look', `the audit log: ${pages.result.reason}`);
}

/** Reads an event; one that cannot be read is counted, and hides no other. */
function parseReadable({ events }: ReconcileDeps, item: unknown): AuditEvent[] {
  try {
    return [parseAuditEvent(item)];
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    events.auditEvent({ origin: 'unreadable', delayMs: 0 });
    return [];
  }
}

function report(deps: ReconcileDeps, { fresh }: SavedPage): void {
  const now = deps.clock.now();
  for (const { event, origin } of fresh) {
    deps.events.auditEvent({ origin, delayMs: Math.max(0, now - event.at) });
  }
  reportLooks(deps, fresh);
}

function reportLooks({ events }: ReconcileDeps, attributed: readonly NewEvent[]): void {
  for (const { event, toLook } of attributed) {
    const { action } = event.audit;
    for (const key of toLook) events.changedByOthers({ ...key, action });
  }
}

/** Remembers the newest event that the read has shown. */
async function finish(
  { store, clock }: ReconcileDeps,
  { newestAt, readAt }: Pick<PollState, 'newestAt' | 'readAt'>,
): Promise<void> {
  await store.write(async (tx) => {
    const state = await lockPollState(tx);
    const seen = newestAt > state.newestAt ? { newestAt, newestSeenAt: readAt } : {};
    const next = { ...state, ...seen, readAt, isOpen: false, failure: null };
    await POLL_STATE.save(tx, next, clock.now());
  });
}
