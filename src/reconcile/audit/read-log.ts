import { BridgeError } from '../../domain/errors.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import {
  changePollState,
  findNewest,
  findWindowStart,
  isEnd,
  type PollState,
} from './poll-state.ts';
import { type SavedPage, savePage } from './save-page.ts';

/** Page size, the largest of the service. */
const PAGE_SIZE = 500;
/** Pages of one read: a million events. */
const PAGES_MAX = 2_000;
const READING: CallContext = { class: 'look', key: 'audit-poller' };

interface Reading {
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads new events of the audit log page by page, each stored with its consequences. A failed or cut read begins again,
 * and skips stored events. Returns what failed before it; null: nothing did.
 * @throws UpstreamError, StoreError; BridgeError `could-not-look` when the log cannot be read to its end
 */
export async function readLog(
  deps: ReconcileDeps,
  reading: Reading,
): Promise<PollState['failure']> {
  const { store, clock } = deps;
  const readAt = clock.now();
  const before = await store.write((tx) => changePollState(tx, readAt, () => ({ isOpen: true })));
  const newestAt = await readPages(deps, before, { ...reading, now: readAt });
  await store.write((tx) =>
    changePollState(tx, clock.now(), (state) => ({
      ...(newestAt > state.newestAt ? { newestAt, newestSeenAt: readAt } : {}),
      readAt,
      isOpen: false,
      failure: null,
    })),
  );
  return before.failure;
}

/** Reads the pages, and returns the time of the newest event. */
async function readPages(
  deps: ReconcileDeps,
  before: PollState,
  { now, ownAccount, signal }: Reading & { readonly now: number },
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
  let { newestAt, skewMs } = before;
  let beganAt: number | undefined;
  for await (const { items, cursor } of pages) {
    // A page that shows nothing new of the list is no page of the log that is known.
    if (items.length === 0) continue;
    const shown = items.flatMap((item) => parseReadable(deps, item));
    if (shown.length === 0) continue;
    // The service may not know the parameter.
    const events = shown.filter(({ createdAt }) => createdAt.getTime() >= from);
    const clocks = { readAt: before.readAt, skewMs };
    const saved = await savePage(deps, { events, from, clocks, ownAccount });
    skewMs = saved.skewMs;
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

function report({ clock, events }: ReconcileDeps, { fresh }: SavedPage): void {
  for (const { event, origin, toLook } of fresh) {
    events.auditEvent({ origin, delayMs: Math.max(0, clock.now() - event.at) });
    if (origin !== 'foreign') continue;
    for (const key of toLook) events.changedByOthers({ ...key, action: event.audit.action });
  }
}
