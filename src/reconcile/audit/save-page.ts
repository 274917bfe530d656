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
import { markToLook } from '../look-again.ts';
import { judgeEvents, mergeToLook, type NewEvent } from './judge-events.ts';
import { holdTail, saveTail } from './state.ts';
import { toEventRow, toNameRows, toResourceRows, toText } from './to-rows.ts';
import { judgeSkew } from './window.ts';

/** What became of one page. */
export interface SavedPage {
  readonly fresh: readonly NewEvent[];
  /** Events of the window that are stored by now. */
  readonly storedCount: number;
}

/** What storing a page takes. */
type PageDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'owner' | 'policy'>;

/** One page to be stored. */
export interface TailPage {
  readonly events: readonly AuditEvent[];
  /** The beginning of the window (epoch milliseconds, by the clock of the service). */
  readonly from: number;
  /** The account behind our own token, where the service tells. */
  readonly ownAccount?: number | undefined;
}

/**
 * Stores a page and what follows from it in one transaction: its new events, whose they are, and that those
 * whom others have changed are looked at. Undefined: another process reads by now.
 */
export async function savePage(
  { store, clock, owner, policy }: PageDeps,
  { events, from, ownAccount }: TailPage,
): Promise<SavedPage | undefined> {
  return store.write(async (tx) => {
    const state = await holdTail(tx, owner);
    if (state === undefined) return undefined;
    const now = clock.now();
    const fresh = await listNew(tx, events);
    const newestAt = Math.max(...fresh.map(({ createdAt }) => createdAt.getTime()));
    const skewMs = fresh.length === 0 ? state.skewMs : judgeSkew(state, newestAt, now);
    const judged = await judgeEvents(tx, fresh, { skewMs, ownAccount, now });
    await storeEvents(tx, judged, now);
    await markToLook(tx, mergeToLook(judged), now);
    await haveInspected(tx, judged, now);
    const holder = { owner, until: now + policy.lease.lengthMs };
    await saveTail(tx, { ...state, skewMs, holder }, now);
    return { fresh: judged, storedCount: await countEventsSince(tx, from) };
  });
}

async function storeEvents(tx: Db, judged: readonly NewEvent[], now: number): Promise<void> {
  await insertAuditEvents(
    tx,
    judged.map((one) => toEventRow(one, now)),
  );
  await insertEventResources(tx, judged.flatMap(toResourceRows));
  await insertEventNames(tx, judged.flatMap(toNameRows));
}

async function listNew(tx: Db, events: readonly AuditEvent[]): Promise<AuditEvent[]> {
  const byId = new Map(events.map((event) => [toText(event.id), event]));
  const known = await listKnownEventIds(tx, [...byId.keys()]);
  return [...byId].flatMap(([id, event]) => (known.has(id) ? [] : [event]));
}

/** Whoever is looked at is compared as well, with the list of admins where the event names that. */
async function haveInspected(tx: Db, events: readonly NewEvent[], now: number): Promise<void> {
  const waiting = { source: 'tail', since: now, due_at: now } as const;
  for (const { event, toLook } of events) {
    const admins = OF_ADMINS.has(event.action) ? 1 : 0;
    for (const id of [...toLook.users].sort()) {
      await addInspection(tx, { ...waiting, resource_id: id, resource_type: 'user', admins: 0 });
    }
    for (const id of [...toLook.groups].sort()) {
      await addInspection(tx, { ...waiting, resource_id: id, resource_type: 'group', admins });
    }
  }
}

const OF_ADMINS: ReadonlySet<string> = new Set(['add_admin', 'delete_admin']);
