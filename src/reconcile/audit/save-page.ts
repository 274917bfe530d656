import {
  countEventsSince,
  insertAuditEvents,
  insertEventNames,
  insertEventResources,
  listKnownEventIds,
} from '../../store/audit/events.ts';
import { addInspection } from '../../store/inspections.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../mark-to-look.ts';
import { attributeEvents, type NewEvent } from './attribute-events.ts';
import { saveAuthors } from './own-author.ts';
import { lockPollState, POLL_STATE, readPollState } from './poll-state.ts';
import { toEventRow, toNameRows, toResourceRows, toText } from './to-rows.ts';
import { estimateSkew, findNewest } from './window.ts';

/** Result of storing one page. */
export interface SavedPage {
  readonly fresh: readonly NewEvent[];
  /** Number of events of the window that are stored by now. */
  readonly storedCount: number;
}

type PageDeps = Pick<ReconcileDeps, 'store' | 'clock'>;

interface PollPage {
  readonly events: readonly AuditEvent[];
  /** Beginning of the window (epoch milliseconds, by the clock of the service). */
  readonly from: number;
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount?: number | undefined;
}

/**
 * Stores a page and its consequences in one transaction: the new events, their origins, and a look at each resource
 * that others have changed. What the events mean is found out before it, so that no write waits for that.
 */
export async function savePage(
  { store, clock }: PageDeps,
  { events, from, ownAccount }: PollPage,
): Promise<SavedPage> {
  const before = await readPollState(store.read);
  const now = clock.now();
  const unread = await listNew(store.read, events);
  const newestAt = findNewest(unread, 0, now);
  const skewMs = newestAt === 0 ? before.skewMs : estimateSkew(before, newestAt, now);
  const { events: fresh, authors } = await attributeEvents(store.read, unread, {
    skewMs,
    ownAccount,
  });
  return store.write(async (tx) => {
    const state = await lockPollState(tx);
    await storeEvents(tx, fresh, now);
    await markToLook(
      tx,
      fresh.flatMap(({ toLook }) => toLook),
      now,
    );
    await queueInspections(tx, fresh, now);
    if (authors !== undefined) await saveAuthors(tx, authors, now);
    await POLL_STATE.save(tx, { ...state, skewMs }, now);
    return { fresh, storedCount: await countEventsSince(tx, from) };
  });
}

async function storeEvents(tx: Db, fresh: readonly NewEvent[], now: number): Promise<void> {
  await insertAuditEvents(
    tx,
    fresh.map((one) => toEventRow(one, now)),
  );
  await insertEventResources(tx, fresh.flatMap(toResourceRows));
  await insertEventNames(tx, fresh.flatMap(toNameRows));
}

async function listNew(db: Db, events: readonly AuditEvent[]): Promise<AuditEvent[]> {
  const byId = new Map(events.map((event) => [toText(event.id), event]));
  const known = await listKnownEventIds(db, [...byId.keys()]);
  return [...byId].flatMap(([id, event]) => (known.has(id) ? [] : [event]));
}

/** Queues a comparison of each resource that is looked at, with its admin list where the event concerns admins. */
async function queueInspections(tx: Db, events: readonly NewEvent[], now: number): Promise<void> {
  const waiting = { source: 'audit', since: now, due_at: now } as const;
  for (const { event, toLook } of events) {
    for (const { type, id } of toLook) {
      const admins = type === 'group' && OF_ADMINS.has(event.action) ? 1 : 0;
      await addInspection(tx, { ...waiting, resource_id: id, resource_type: type, admins });
    }
  }
}

const OF_ADMINS: ReadonlySet<string> = new Set(['add_admin', 'delete_admin']);
