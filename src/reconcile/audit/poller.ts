import type { Loop } from '../../domain/clock.ts';
import { BridgeError, toResourceKey } from '../../domain/values.ts';
import { toNameKey } from '../../store/logs.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Row } from '../../store/tables.ts';
import { countWhere, createShared, insertAll } from '../../store/tables.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { auditLogs } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { backoffMs, toReadFailure } from '../outcome.ts';
import type { JudgedEvent } from './events.ts';
import { CLOCKS_MS, findOrigins, isIrrelevant, nameNewEvents, toText } from './events.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Distance before its beginning from which the log is read first, in milliseconds. */
const FIRST_REACH_MS = 60 * 60_000;
/** Delay with which an event may come into the log, in milliseconds. */
export const LATE_MS = 5 * 60_000;
/** Every how many reads the log is read from an hour before: the service may have set its clock back. */
const WIDE_EVERY = 10;
/** Page size, the largest of the service, and pages of one read: a million events. */
const PAGES = { pageSize: 500, pagesMax: 2_000 };
const READING = { class: 'look', key: 'audit-poller' } as const;
/** Time from an event to the look at whom it names, in milliseconds. After one of an unknown author further events share the look. */
const LOOK_AFTER_MS = { foreign: 0, unknown: 60_000, ours: null } as const;

/** Progress of reading the audit log, in epoch milliseconds. */
export interface PollState {
  /** Beginning of the last complete read. */
  readonly readAt: number;
  /** Time since when every read fails, and the code; null when the last one did not. */
  readonly failure: { readonly since: number; readonly code: string } | null;
}

/** Progress of reading the audit log; unknown when polling never began. */
export const POLL_STATE = createShared<PollState>('audit-poller');

/**
 * Creates what polls the service's audit log, and makes the bridge look at resources that others have changed.
 * @param intervalMs 0: never
 * @param read resolves once the first read is over, and that of a recovery: its plan says who changed the service
 */
export function createAuditPoller(
  deps: ReconcileDeps,
  intervalMs: number,
  read: Promise<void>,
): Pick<Loop, 'stop'> & { start(): Promise<void> } {
  const { store, upstream, clock, random, sections, events } = deps;
  let reads = 0;
  /** Failures in a row. */
  let failures = 0;
  const job = { type: 'audit', id: 'run', restMs: intervalMs };
  const loop = createJob(deps, job, async (signal) => {
    try {
      await readNews(signal);
      reads += 1;
      failures = 0;
      return intervalMs;
    } catch (error) {
      signal.throwIfAborted();
      return await noteFailure(error);
    } finally {
      // Looks that were stored before a failure are due all the same.
      store.bell.ring('decided');
    }
  });

  function change(state: Partial<PollState>): Promise<PollState> {
    const now = clock.now();
    const begun: PollState = { readAt: now - FIRST_REACH_MS, failure: null };
    const apply = (before = begun) => ({ ...before, ...state });
    return store.write((tx) => POLL_STATE.change(tx, now, apply));
  }

  /** Remembers that reading fails, and reports it once. Returns the wait before the next read, in milliseconds. */
  async function noteFailure(error: unknown): Promise<number> {
    failures += 1;
    const { verdict, problem, retryAfterMs } = toReadFailure(error);
    const { code } = problem;
    if (code === 'bug') events.failed({ type: 'audit', id: 'audit', error });
    const before = (await POLL_STATE.find(store.read))?.failure ?? null;
    await change({ failure: { since: before?.since ?? clock.now(), code } });
    if (before === null) events.auditFailing({ code });
    if (verdict !== 'forbidden' && verdict !== 'missing')
      return Math.max(intervalMs, backoffMs(failures, retryAfterMs, random()));
    // The service does not let us read the audit log at all.
    await sections.save('audit', problem);
    return RECHECK_MS;
  }

  /** Reads the events since shortly before the last complete read. */
  async function readNews(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    const { readAt, failure } = await change({});
    const isWide = reads % WIDE_EVERY === 0;
    const reachMs = LATE_MS + CLOCKS_MS + (isWide ? FIRST_REACH_MS : 0);
    const isComplete = reads > 0 && failures === 0;
    const from = readAt + upstream.aheadMs() - reachMs;
    await readFrom(deps, from, { isComplete, signal });
    await change({ readAt: now, failure: null });
    if (failure !== null) events.auditGoesOn({ afterMs: clock.now() - failure.since });
    if (sections.states().audit?.problem) await sections.save('audit', null);
  }

  return {
    /** Remembers the time from which events count. @throws StoreError */
    async start() {
      if (intervalMs === 0) return;
      const { readAt } = await change({});
      // Another process may have read it just now.
      const firstMs = () => Math.max(0, readAt + intervalMs - clock.now());
      void read.then(() => loop.start(Math.min(intervalMs, firstMs())));
    },
    stop: loop.stop,
  };
}

/**
 * @param from by the service's clock (epoch milliseconds) @param run `isComplete`: what is stored was read without a gap
 * @throws BridgeError `could-not-look`: the events have no end
 */
async function readFrom(
  deps: ReconcileDeps,
  from: number,
  { isComplete, signal }: { readonly isComplete: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const query = { from: new Date(from).toISOString() };
  // An event that was not shown is in the next read too.
  const options = { ...READING, ...PAGES, signal, emptyFrom: 0 };
  const pages = paginate(deps.upstream, auditLogs.retrieveAuditLogEvents, { query }, options);
  let newestAt: number | undefined;
  for await (const { items } of pages) {
    const shown = items.flatMap((item) => parse(deps, item));
    const times = shown.map(({ createdAt }) => createdAt.getTime());
    // The service may not know the parameter.
    const recent = shown.filter(({ createdAt }) => createdAt.getTime() >= from);
    const isNews = await save(deps, recent);
    newestAt ??= times[0];
    // Newer events may be on a later page.
    if (newestAt === undefined || Math.max(...times) > newestAt) continue;
    if (recent.length < shown.length) return;
    // A late event is behind those that were read before.
    if (!isComplete || isNews) continue;
    const known = { created_at: { '>=': from } };
    const stored = await countWhere(deps.store.read, 'audit_events', known);
    if (stored <= pages.progress.position) return;
  }
  if (pages.result.complete) return;
  throw new BridgeError('could-not-look', `the audit log: ${pages.result.reason}`);
}

/** Reads an event; one that cannot be read is counted, and hides no other. */
function parse({ events }: ReconcileDeps, item: unknown): AuditEvent[] {
  try {
    return [parseAuditEvent(item)];
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    events.auditEvent({ origin: 'unreadable' });
    return [];
  }
}

/** Stores the new ones, and with them when whom they name is looked at. False: none is new. */
async function save(deps: ReconcileDeps, shown: readonly AuditEvent[]): Promise<boolean> {
  // Before the transaction, so that no write waits for that.
  const named = await nameNewEvents(deps, shown);
  if (named.length === 0) return false;
  const now = deps.clock.now();
  const judged = await deps.store.write(async (tx) => {
    const all = await findOrigins(tx, named, now);
    await insertAll(tx, 'audit_events', all.map(toEventRow));
    const subjects = all.flatMap((event) => toSubjectRows(event, now));
    await insertAll(tx, 'audit_event_subjects', subjects);
    return all;
  });
  for (const { audit, origin, rows } of judged) {
    const { action } = audit;
    deps.events.auditEvent({ origin });
    const changed = origin === 'foreign' ? rows.filter((row) => mayChange(action, row)) : [];
    for (const row of changed) deps.events.changedByOthers({ ...toResourceKey(row), action });
  }
  return true;
}

/** True for a managed user or group that an event of this action may have changed. */
const mayChange = (action: string, { origin }: ResourceRow) =>
  origin !== null && !isIrrelevant(action);

function toEventRow({ id, audit, origin }: JudgedEvent): Row<'audit_events'> {
  return {
    id,
    created_at: audit.createdAt.getTime(),
    action: toText(audit.action),
    message: orNull(audit.message),
    author_id: audit.authorId ?? null,
    author_username: orNull(audit.authorUsername),
    author_address: orNull(audit.authorRemoteAddress),
    origin,
  };
}

/** Rows of whom an event names; where that is nobody known, of its texts: one may be known later. */
function toSubjectRows(
  { id: event_id, audit: { action }, origin, at, rows, names }: JudgedEvent,
  now: number,
): Row<'audit_event_subjects'>[] {
  const event = { event_id, at, look_at: null };
  if (rows.length > 0 || isIrrelevant(action)) {
    const afterMs = LOOK_AFTER_MS[origin];
    return rows.map((row) => {
      const look_at = afterMs !== null && mayChange(action, row) ? now + afterMs : null;
      return { ...event, subject: row.id, resource_type: row.type, look_at };
    });
  }
  const keys = [...names].flatMap(([name, types]) =>
    [...types].map((type) => toNameKey(type, name.toWellFormed())),
  );
  return [...new Set(keys)].map((subject) => ({ ...event, subject, resource_type: null }));
}

const orNull = (text: string | undefined) => (text === undefined ? null : toText(text));
