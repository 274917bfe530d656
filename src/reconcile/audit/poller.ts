import { BridgeError } from '../../domain/errors.ts';
import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import {
  type AuditEventRow,
  countEventsSince,
  type EventSubjectRow,
  insertAuditEvents,
  listKnownEventIds,
  toNameKey,
} from '../../store/audit/events.ts';
import { createFact } from '../../store/facts.ts';
import { addInspection } from '../../store/inspections.ts';
import type { Db } from '../../store/store.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { backoffMs } from '../backoff.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { isNotLeading } from '../lead.ts';
import { readSections, saveSection } from '../sections.ts';
import { toReason } from '../verdict.ts';
import { isIrrelevant, isOfAdmins, isOfList } from './actions.ts';
import {
  CLOCKS_MS,
  type EventOrigin,
  findOrigins,
  learnOwnAccount,
  type NamedEvent,
  nameEvents,
  namesAnybody,
} from './events.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Distance before its beginning from which the log is read, in milliseconds: the service's clock may be that far behind. */
const FIRST_REACH_MS = 60 * 60_000;
/** Delay with which an event may come into the log, in milliseconds. */
export const LATE_MS = 5 * 60_000;
/** Largest lead of the service's clock over ours that is believed, in milliseconds; an event beyond it is wrong. */
const SKEW_MAX_MS = 30 * 60_000;
/** Page size, the largest of the service, and pages of one read: a million events. */
const PAGE_SIZE = 500;
const PAGES_MAX = 2_000;
const READING: CallContext = { class: 'look', key: 'audit-poller' };
/** Time until the look at what an unknown author has changed, in milliseconds: further events wait for the same look. */
const UNKNOWN_LOOK_MS = 60_000;

/** Progress of reading the audit log. Times are epoch milliseconds by our clock, where nothing else is said. */
export interface PollState {
  /** Time of the newest event that was read, by the clock of the service. */
  readonly newestAt: number;
  /** Beginning of the read that first saw it. */
  readonly newestSeenAt: number;
  /** Beginning of the last complete read: an event that it did not show came later. */
  readonly readAt: number;
  /** True when a read has begun and not come to its end: the events that it has stored may have gaps. */
  readonly isOpen: boolean;
  /** Lead of the service's clock over ours, as far as events have shown. */
  readonly skewMs: number;
  /** Time of the read of the newest event that names nobody and may be about anybody; 0: there is none. */
  readonly unresolvedAt: number;
  /** Time since when every read fails, and the code; null when the last one did not. */
  readonly failure: { readonly since: number; readonly code: string } | null;
}

/** Progress of reading the audit log; unknown when polling never began. */
export const POLL_STATE = createFact<PollState>('audit-poller');

interface AuditPollerOptions {
  /** Interval at which the audit log is read, in milliseconds; 0: never. */
  readonly intervalMs: number;
  /** Resolves once the first read is over, and that of a recovery: its plan says who changed the service. */
  readonly read: Promise<void>;
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: () => number | undefined;
  /** Called when a look is scheduled. */
  readonly notify: () => void;
  /** Asks the sweeps to check the time of the next one. */
  readonly considerSweep: () => void;
}

/** Creates what polls the service's audit log and makes the bridge look at resources that others have changed. */
export function createAuditPoller(deps: ReconcileDeps, options: AuditPollerOptions) {
  const { store, clock, random } = deps;
  const { intervalMs, notify, considerSweep } = options;
  let failures = 0;
  const job = { type: 'audit', id: 'run', restMs: intervalMs };
  const loop = createJob(deps, job, async (signal) => {
    try {
      await readLog(deps, { ownAccount: options.ownAccount(), signal });
      failures = 0;
      return intervalMs;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      const { verdict, retryAfterMs } = toReason(error);
      // The service does not let us read the audit log at all.
      const isClosed = verdict === 'forbidden' || verdict === 'missing';
      await noteFailure(deps, error, isClosed);
      const waitMs = Math.max(intervalMs, backoffMs(failures, retryAfterMs, random()));
      return isClosed ? RECHECK_MS : waitMs;
    } finally {
      // Looks that were stored before a failure are due all the same.
      notify();
      considerSweep();
    }
  });
  return {
    /** Remembers the time from which events count. @throws StoreError */
    async start(): Promise<void> {
      if (intervalMs === 0) return;
      const { readAt, isOpen } = await store.write((tx) => beginPolling(tx, clock.now()));
      void options.read.then(() => {
        // Another process may have read it just now.
        const firstMs = isOpen ? 0 : Math.max(0, readAt + intervalMs - clock.now());
        loop.start(Math.min(intervalMs, firstMs));
      });
    },
    stop: loop.stop,
  };
}

/** Begins to poll, where no process has begun, and returns the state. */
async function beginPolling(tx: Db, now: number): Promise<PollState> {
  const before = await POLL_STATE.lock(tx);
  if (before !== undefined) return before;
  const from = now - FIRST_REACH_MS;
  const times = { newestAt: from, newestSeenAt: from, readAt: from, skewMs: 0, unresolvedAt: 0 };
  const state: PollState = { ...times, isOpen: false, failure: null };
  await POLL_STATE.save(tx, state, now);
  return state;
}

/** Changes the state of a log that is being read; returns it as it was. @throws BridgeError `bug` */
async function changePollState(
  tx: Db,
  now: number,
  toChange: (before: PollState) => Partial<PollState>,
): Promise<PollState> {
  const before = await POLL_STATE.lock(tx);
  if (before === undefined) throw new BridgeError('bug', 'the audit log was read before its start');
  await POLL_STATE.save(tx, { ...before, ...toChange(before) }, now);
  return before;
}

/** Remembers since when the read fails. The read stays open, so that the next one leaves nothing out. */
async function noteFailure(deps: ReconcileDeps, error: unknown, isClosed: boolean): Promise<void> {
  const { store, clock, events } = deps;
  const { problem } = toReason(error);
  const { code } = problem;
  if (code === 'bug') events.failed({ type: 'audit', id: 'audit', error });
  try {
    const now = clock.now();
    const toFailure = ({ failure }: PollState) => ({
      failure: { since: failure?.since ?? now, code },
    });
    const { failure } = await store.write((tx) => changePollState(tx, now, toFailure));
    if (failure === null) events.auditFollowed({ failing: true, code, afterMs: 0 });
    if (isClosed) await saveSection(deps, 'audit', problem);
  } catch (failed) {
    // The store reports its own failure; the log is read again all the same, by whoever leads.
    if (!isNotLeading(failed)) events.failed({ type: 'audit', id: 'state', error: failed });
  }
}

interface Reading {
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads new events of the audit log page by page, each stored with its consequences. A failed or cut read begins again,
 * and skips stored events.
 * @throws UpstreamError, StoreError; BridgeError `could-not-look` when the log cannot be read to its end
 */
async function readLog(deps: ReconcileDeps, reading: Reading): Promise<void> {
  const { store, clock, events } = deps;
  const readAt = clock.now();
  const before = await store.write((tx) => changePollState(tx, readAt, () => ({ isOpen: true })));
  const newestAt = await readPages(deps, before, { ...reading, now: readAt });
  const newest = newestAt > before.newestAt ? { newestAt, newestSeenAt: readAt } : {};
  const done = { ...newest, readAt, isOpen: false, failure: null };
  await store.write((tx) => changePollState(tx, clock.now(), () => done));
  if (before.failure !== null) {
    const afterMs = clock.now() - before.failure.since;
    events.auditFollowed({ failing: false, code: '', afterMs });
  }
  const { audit } = await readSections(deps);
  if (audit?.problem) await saveSection(deps, 'audit', null);
}

/**
 * Finds the time from which the log is read, by the clock of the service (epoch milliseconds). The last minutes are
 * read again for late events; once the newest event is older than that, it alone is. What came since the last read is
 * always in it, whatever time the newest event claims.
 */
function findWindowStart({ newestAt, newestSeenAt, readAt, skewMs }: PollState): number {
  const overlapMs = Math.max(0, LATE_MS - (readAt - newestSeenAt));
  return Math.min(newestAt, readAt + Math.min(skewMs, 0)) - overlapMs;
}

/** Reads the pages, and returns the time of the newest event. */
async function readPages(
  deps: ReconcileDeps,
  before: PollState,
  { now, ownAccount, signal }: Reading & { readonly now: number },
): Promise<number> {
  const from = findWindowStart(before);
  const query = { from: new Date(from).toISOString() };
  // The next read begins at the newest event, so that an event that was not shown is not missed.
  const place = { pageSize: PAGE_SIZE, pagesMax: PAGES_MAX, emptyFrom: 0 };
  const options = { ...READING, signal, ...place };
  const pages = paginate(deps.upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  let { newestAt, skewMs } = before;
  let beganAt: number | undefined;
  for await (const { items, cursor } of pages) {
    const shown = items.flatMap((item) => parseReadable(deps, item));
    // A page that shows nothing new of the list is no page of the log that is known.
    if (shown.length === 0) continue;
    // The service may not know the parameter.
    const events = shown.filter(({ createdAt }) => createdAt.getTime() >= from);
    const clocks = { readAt: before.readAt, skewMs };
    const saved = await savePage(deps, { events, from, clocks, ownAccount });
    skewMs = saved.skewMs;
    newestAt = findNewest(events, newestAt, now);
    beganAt ??= shown[0]?.createdAt.getTime() ?? from;
    if (mayFollow(shown, beganAt)) continue;
    const isAllShown = saved.freshCount === 0 && saved.storedCount <= cursor.position;
    if (events.length === 0 || (!before.isOpen && isAllShown)) return newestAt;
  }
  if (pages.result.complete) return newestAt;
  throw new BridgeError('could-not-look', `the audit log: ${pages.result.reason}`);
}

/**
 * True when newer events may be on a later page: they ascend, or the page ends later than the read began. Events of one
 * moment tell no order among themselves.
 */
function mayFollow(shown: readonly AuditEvent[], beganAt: number): boolean {
  const times = shown.map(({ createdAt }) => createdAt.getTime());
  const ascends = times.some((at, index) => (times[index + 1] ?? at) > at);
  return ascends || (times.at(-1) ?? beganAt) > beganAt;
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

/** Finds the time of the newest of these events that the service's clock may show now; `before` where there is none. */
function findNewest(events: readonly AuditEvent[], before: number, now: number): number {
  const times = events.map(({ createdAt }) => createdAt.getTime());
  return Math.max(before, ...times.filter((at) => at <= now + SKEW_MAX_MS));
}

/**
 * Estimates the lead of the service's clock over ours. A new event happened between the last complete read and now, so
 * a time outside of that shows the difference. A late event gives a wrong estimate, which the next event corrects.
 * @param createdAt time of the newest of the new events (epoch milliseconds)
 */
function estimateSkew(
  { readAt, skewMs }: Pick<PollState, 'readAt' | 'skewMs'>,
  createdAt: number,
  now: number,
): number {
  const at = createdAt - skewMs;
  if (at > now) return createdAt - now;
  if (at >= readAt - CLOCKS_MS) return skewMs;
  return Math.max(createdAt - readAt, -SKEW_MAX_MS);
}

interface PollPage {
  readonly events: readonly AuditEvent[];
  /** Beginning of the window (epoch milliseconds, by the clock of the service). */
  readonly from: number;
  /** What is known of the service's clock. */
  readonly clocks: Pick<PollState, 'readAt' | 'skewMs'>;
  readonly ownAccount: number | undefined;
}

/** A new event with its origin, and the users and groups that it makes the bridge look at. */
interface NewEvent {
  readonly event: NamedEvent;
  readonly origin: EventOrigin;
  readonly toLook: readonly ResourceKey[];
}

/**
 * Stores the new events of a page, and a look at each managed user or group that another account has changed, in one
 * transaction. Whom the events name is found before it, so that no write waits for that. Returns the number of new events,
 * that of the stored ones of the window, and the lead of the service's clock.
 */
async function savePage(
  { store, clock, events: report }: ReconcileDeps,
  { events, from, clocks, ownAccount }: PollPage,
) {
  const now = clock.now();
  const byId = new Map(events.map((event) => [toText(event.id), event]));
  const known = await listKnownEventIds(store.read, [...byId.keys()]);
  const unread = [...byId].flatMap(([id, event]) => (known.has(id) ? [] : [event]));
  const newestAt = findNewest(unread, 0, now);
  const skewMs = newestAt === 0 ? clocks.skewMs : estimateSkew(clocks, newestAt, now);
  const named = await nameEvents(store.read, unread, skewMs);
  const { fresh, storedCount } = await store.write(async (tx) => {
    if (ownAccount === undefined) await learnOwnAccount(tx, named, now);
    const toOrigin = await findOrigins(tx, named, ownAccount);
    const found = named.map((event) => toNewEvent(event, toOrigin(event)));
    await insertAuditEvents(tx, found.map(toEventRow), found.flatMap(toSubjectRows));
    for (const one of found) await queueLooks(tx, one, now);
    const unresolved = found.some(isUnresolved) ? { unresolvedAt: now } : {};
    await changePollState(tx, now, () => ({ skewMs, ...unresolved }));
    return { fresh: found, storedCount: await countEventsSince(tx, from) };
  });
  for (const { event, origin, toLook } of fresh) {
    report.auditEvent({ origin, delayMs: Math.max(0, clock.now() - event.at) });
    if (origin !== 'foreign') continue;
    for (const key of toLook) report.changedByOthers({ ...key, action: event.audit.action });
  }
  return { freshCount: fresh.length, storedCount, skewMs };
}

/** Origins of events by our own account, whoever asked for the call. */
const OURS: ReadonlySet<EventOrigin> = new Set(['ours', 'operator']);

function toNewEvent(event: NamedEvent, origin: EventOrigin): NewEvent {
  const isToLook = !OURS.has(origin) && !isIrrelevant(event.audit.action);
  return { event, origin, toLook: isToLook ? listChanged(event) : [] };
}

function listChanged({ audit, user, group, managed }: NamedEvent): ResourceKey[] {
  const toKeys = (type: 'user' | 'group', ids: ReadonlySet<string>) =>
    [...ids.intersection(managed)].map((id) => toResourceKey({ type, id }));
  const groups = toKeys('group', group);
  const isOfGroups = groups.length > 0 && isOfList(audit.action);
  return isOfGroups ? groups : [...groups, ...toKeys('user', user)];
}

/** Queues the looks, with the admin list of a group where the event is about that. */
async function queueLooks(tx: Db, { event, origin, toLook }: NewEvent, now: number): Promise<void> {
  const dueAt = origin === 'foreign' ? now : now + UNKNOWN_LOOK_MS;
  for (const key of toLook) {
    const admins = key.type === 'group' && isOfAdmins(event.audit.action);
    await addInspection(tx, key, { source: 'audit', now, dueAt, admins });
  }
}

const QUIET_CATEGORIES: ReadonlySet<string> = new Set(['auth', 'publication']);

/** True if another account may have changed anything: only a sweep can find what. */
function isUnresolved({ event, origin }: NewEvent): boolean {
  const { action, category } = event.audit;
  const isQuiet = isIrrelevant(action) || QUIET_CATEGORIES.has(category);
  return !OURS.has(origin) && !isQuiet && !namesAnybody(event);
}

const TEXT_LENGTH_MAX = 4_096;
/** An event with more texts than this is not a single change of one resource. */
const NAMES_MAX = 50;
const NAME_LENGTH_MAX = 256;

function toEventRow({ event: { audit }, origin }: NewEvent): AuditEventRow {
  const { message, authorUsername, authorRemoteAddress } = audit;
  return {
    id: toText(audit.id),
    created_at: audit.createdAt.getTime(),
    action: toText(audit.action),
    message: message === undefined ? null : toText(message),
    author_id: audit.authorId ?? null,
    author_username: authorUsername === undefined ? null : toText(authorUsername),
    author_address: authorRemoteAddress === undefined ? null : toText(authorRemoteAddress),
    origin,
  };
}

/** Rows of the users and groups that an event names; where it names none that is known, of its texts: one may be known later. */
function toSubjectRows({ event }: NewEvent): EventSubjectRow[] {
  const row = { event_id: toText(event.audit.id), at: event.at };
  if (namesAnybody(event)) {
    return (['user', 'group'] as const).flatMap((type) =>
      [...event[type]].map((subject) => ({ ...row, subject, resource_type: type })),
    );
  }
  if (isIrrelevant(event.audit.action)) return [];
  const names = [...event.names].filter(([{ length }]) => length <= NAME_LENGTH_MAX);
  const keys = names
    .slice(0, NAMES_MAX)
    .flatMap(([name, types]) => [...types].map((type) => toNameKey(type, name.toWellFormed())));
  return [...new Set(keys)].map((subject) => ({ ...row, subject, resource_type: null }));
}

/** Text without NUL, which PostgreSQL cannot store. */
function toText(text: string): string {
  return text.replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}
