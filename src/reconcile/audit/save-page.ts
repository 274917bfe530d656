import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import {
  type AuditEventRow,
  countEventsSince,
  type EventSubjectRow,
  insertAuditEvents,
  listKnownEventIds,
  toNameKey,
} from '../../store/audit/events.ts';
import { addInspection } from '../../store/inspections.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isIrrelevant, isOfAdmins, isOfList } from './actions.ts';
import { type NamedEvent, nameEvents, namesAnybody } from './name-events.ts';
import { type EventOrigin, findOrigins, learnOwnAccount } from './origin.ts';
import { changePollState, estimateSkew, findNewest, type PollState } from './poll-state.ts';

const TEXT_LENGTH_MAX = 4_096;
/** An event with more texts than this is not a single change of one resource. */
const NAMES_MAX = 50;
const NAME_LENGTH_MAX = 256;
/** Time until the look at what an unknown author has changed, in milliseconds: further events wait for the same look. */
const UNKNOWN_LOOK_MS = 60_000;

/** Origins of events by our own account, whoever asked for the call. */
const OURS: ReadonlySet<EventOrigin> = new Set(['ours', 'operator']);

/** A new event with its origin, and the users and groups that it makes the bridge look at. */
export interface NewEvent {
  readonly event: NamedEvent;
  readonly origin: EventOrigin;
  readonly toLook: readonly ResourceKey[];
}

/** Result of storing one page. */
export interface SavedPage {
  readonly fresh: readonly NewEvent[];
  /** Number of events of the window that are stored by now. */
  readonly storedCount: number;
  /** Lead of the service's clock over ours, as far as its events have shown. */
  readonly skewMs: number;
}

interface PollPage {
  readonly events: readonly AuditEvent[];
  /** Beginning of the window (epoch milliseconds, by the clock of the service). */
  readonly from: number;
  /** What is known of the service's clock. */
  readonly clocks: Pick<PollState, 'readAt' | 'skewMs'>;
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: number | undefined;
}

/**
 * Stores the new events of a page, and a look at each managed user or group that another account has changed, in one
 * transaction. Whom the events name is found before it, so that no write waits for that.
 */
export async function savePage(
  { store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>,
  { events, from, clocks, ownAccount }: PollPage,
): Promise<SavedPage> {
  const now = clock.now();
  const unread = await listNew(store.read, events);
  const newestAt = findNewest(unread, 0, now);
  const skewMs = newestAt === 0 ? clocks.skewMs : estimateSkew(clocks, newestAt, now);
  const named = await nameEvents(store.read, unread, skewMs);
  return store.write(async (tx) => {
    if (ownAccount === undefined) await learnOwnAccount(tx, named, now);
    const toOrigin = await findOrigins(tx, named, ownAccount);
    const fresh = named.map((event) => toNewEvent(event, toOrigin(event)));
    await insertAuditEvents(tx, fresh.map(toEventRow), fresh.flatMap(toSubjectRows));
    await queueLooks(tx, fresh, now);
    const unresolved = fresh.some(isUnresolved) ? { unresolvedAt: now } : {};
    await changePollState(tx, now, () => ({ skewMs, ...unresolved }));
    return { fresh, storedCount: await countEventsSince(tx, from), skewMs };
  });
}

async function listNew(db: Db, events: readonly AuditEvent[]): Promise<AuditEvent[]> {
  const byId = new Map(events.map((event) => [toText(event.id), event]));
  const known = await listKnownEventIds(db, [...byId.keys()]);
  return [...byId].flatMap(([id, event]) => (known.has(id) ? [] : [event]));
}

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
async function queueLooks(tx: Db, fresh: readonly NewEvent[], now: number): Promise<void> {
  for (const { event, origin, toLook } of fresh) {
    const dueAt = origin === 'foreign' ? now : now + UNKNOWN_LOOK_MS;
    const isOfGroup = isOfAdmins(event.audit.action);
    for (const key of toLook) {
      const admins = isOfGroup && key.type === 'group';
      await addInspection(tx, key, { source: 'audit', now, dueAt, admins });
    }
  }
}

const QUIET_CATEGORIES: ReadonlySet<string> = new Set(['auth', 'publication']);

/** True if another account may have changed anything: only a sweep can find what. */
function isUnresolved({ event, origin }: NewEvent): boolean {
  const { action, category } = event.audit;
  const isQuiet = isIrrelevant(action) || QUIET_CATEGORIES.has(category);
  return !OURS.has(origin) && !isQuiet && !namesAnybody(event);
}

function toEventRow({ event: { audit }, origin }: NewEvent): AuditEventRow {
  return {
    id: toText(audit.id),
    created_at: audit.createdAt.getTime(),
    action: toText(audit.action),
    message: toTextOrNull(audit.message),
    author_id: audit.authorId ?? null,
    author_username: toTextOrNull(audit.authorUsername),
    author_address: toTextOrNull(audit.authorRemoteAddress),
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

function toTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toText(text);
}
