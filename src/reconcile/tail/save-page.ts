import {
  type AuditEventRow,
  countEventsSince,
  insertAuditEvents,
  listExplanations,
  listKnownEventIds,
} from '../../store/audit-events.ts';
import type { Db } from '../../store/database.ts';
import { insertEventNames, insertEventResources } from '../../store/event-resources.ts';
import { listOwnCalls } from '../../store/own-calls.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { isIrrelevant } from '../audit/event-actions.ts';
import { type ExplainedEvent, explainEvents, TOLERANCE } from '../audit/match-events.ts';
import { type NamedAuditEvent, nameEvents } from '../audit/name-events.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook, type ToLookAt } from '../look-again.ts';
import { holdTail, saveTail } from './state.ts';
import { toEventRow, toNameRows, toResourceRows, toText } from './to-rows.ts';
import { judgeSkew, LATE_MS } from './window.ts';

/** Calls of the ledger that the events of one page are compared with; what others would explain costs a look. */
const CALLS_MAX = 20_000;

/** An event that was not known, and what of ours it makes the bridge look at. */
export interface NewEvent {
  readonly event: NamedAuditEvent;
  readonly origin: AuditEventRow['origin'];
  readonly use: string | undefined;
  readonly toLook: ToLookAt;
}

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
}

/**
 * Stores a page and what follows from it in one transaction: its new events, whose they are, and that those
 * whom others have changed are looked at. Undefined: another process reads by now.
 */
export async function savePage(
  { store, clock, owner, policy }: PageDeps,
  { events, from }: TailPage,
): Promise<SavedPage | undefined> {
  return store.write(async (tx) => {
    const state = await holdTail(tx, owner);
    if (state === undefined) return undefined;
    const now = clock.now();
    const fresh = await listNew(tx, events);
    const newestAt = Math.max(...fresh.map(({ createdAt }) => createdAt.getTime()));
    const skewMs = fresh.length === 0 ? state.skewMs : judgeSkew(state, newestAt, now);
    const judged = await judgeEvents(tx, fresh, skewMs);
    await storeEvents(tx, judged, now);
    await markToLook(tx, merge(judged), now);
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

/** Events that were explained before keep what explains them: a second one needs another call. */
async function judgeEvents(
  tx: Db,
  fresh: readonly AuditEvent[],
  skewMs: number,
): Promise<NewEvent[]> {
  const named = await nameEvents(tx, fresh, skewMs);
  const [first, last] = [named.at(0), named.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { beforeMs, afterMs } = TOLERANCE;
  const reach = { from: first.at - afterMs, to: last.at + beforeMs };
  const calls = await listOwnCalls(tx, { ...reach, limit: CALLS_MAX });
  // What the same call explains is at most as far from it as these are, and may have come late.
  const used = await listExplanations(tx, {
    from: reach.from - beforeMs + skewMs - LATE_MS,
    to: reach.to + afterMs + skewMs + LATE_MS,
  });
  return explainEvents(named, calls, { tolerance: TOLERANCE, used }).map(toNewEvent);
}

function toNewEvent({ event, use }: ExplainedEvent<NamedAuditEvent>): NewEvent {
  if (use !== undefined) return { event, use, origin: 'ours', toLook: NOBODY };
  const toLook = isIrrelevant(event.audit) ? NOBODY : toResources(event);
  const origin = event.resourceIds.size === 0 ? 'unresolved' : 'foreign';
  return { event, use, origin, toLook };
}

const NOBODY: ToLookAt = { users: new Set(), groups: new Set() };

/** Who came into a group or left it is a matter of the group, not of the person. */
const OF_GROUPS: ReadonlySet<string> = new Set([
  'add_user',
  'admin_add_user',
  'delete_user',
  'admin_delete_user',
  'add_admin',
  'delete_admin',
]);

function toResources({ action, userIds, groupIds }: NamedAuditEvent): ToLookAt {
  const isOfGroup = OF_GROUPS.has(action) && groupIds.size > 0;
  return { users: isOfGroup ? new Set() : userIds, groups: groupIds };
}

function merge(events: readonly NewEvent[]): ToLookAt {
  return {
    users: new Set(events.flatMap(({ toLook }) => [...toLook.users])),
    groups: new Set(events.flatMap(({ toLook }) => [...toLook.groups])),
  };
}
