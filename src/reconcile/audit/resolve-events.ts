import {
  type AuditEventRow,
  forgetNamed,
  insertEventResources,
  listUnresolvedEvents,
  resolveEvent,
} from '../../store/audit/events.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../mark-to-look.ts';
import { attributeEvents, type NewEvent, readLedger } from './attribute-events.ts';
import { isOfNothing } from './event-actions.ts';
import { compareInTurns, explainByCount, TOLERANCE } from './match-events.ts';
import { toWords } from './name-events.ts';
import { lockPollState } from './poll-state.ts';
import { toResourceRows } from './to-rows.ts';

/**
 * Time that an event waits for the resource it names to appear, in milliseconds: as long as a call of our own may take
 * until its outcome is stored.
 */
const WAIT_MS = TOLERANCE.afterMs;
/** Events of one transaction, and transactions of one read. */
const BATCH = 500;
const BATCHES_MAX = 20;

/** State of events for which no resource was found. Times are epoch milliseconds by our own clock. */
interface Unresolved {
  /** Time until which read events have been looked up a second time. */
  readonly readUntil: number;
  /** Time of the newest event that stayed without a resource: something may have changed that no look covers. */
  readonly newestAt: number;
}

const FACT = createFact<Unresolved>('audit-unresolved');

/** Finds the time of the newest event that names no known resource (epoch milliseconds); 0 when there is none. */
export async function findUnresolvedAt(db: Db): Promise<number> {
  return (await findUnresolved(db)).newestAt;
}

async function findUnresolved(db: Db): Promise<Unresolved> {
  return (await FACT.find(db)) ?? { readUntil: 0, newestAt: 0 };
}

/**
 * Looks up once more the events that named no known resource when they were read: the resource may have been stored
 * since, above all one that our own call created.
 * Resources changed by others are looked at. The time of the rest is remembered, because only a sweep can tell their
 * effect. Returns the events whose resource was found.
 */
export async function resolveEvents(
  deps: Pick<ReconcileDeps, 'store' | 'clock'>,
  ownAccount: number | undefined,
): Promise<NewEvent[]> {
  const found: NewEvent[] = [];
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const until = deps.clock.now() - WAIT_MS;
    const { readUntil: after } = await findUnresolved(deps.store.read);
    const query = { after, until, limit: BATCH };
    // The list is usually empty, and nothing has to be written.
    if ((await listUnresolvedEvents(deps.store.read, query)).length === 0) break;
    found.push(...(await resolveBatch(deps, { until, ownAccount })));
  }
  return found;
}

/** Looks up one batch. */
async function resolveBatch(
  { store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>,
  { until, ownAccount }: { until: number; ownAccount: number | undefined },
): Promise<NewEvent[]> {
  return store.write(async (tx) => {
    const state = await lockPollState(tx);
    const now = clock.now();
    const before = await findUnresolved(tx);
    const rows = await listUnresolvedEvents(tx, {
      after: before.readUntil,
      until,
      limit: BATCH,
    });
    const { skewMs } = state;
    const attributed = await attributeEvents(tx, rows.map(toEvent), { skewMs, ownAccount, now });
    const known = attributed.filter(isKnown);
    await storeKnown(tx, known);
    const left = attributed.filter((one) => !isKnown(one) && !isOfNothing(toWords(one.event)));
    const newestAt = await countOut(tx, left, state.skewMs);
    const value: Unresolved = {
      readUntil: Math.max(...rows.map((row) => row.seen_at), before.readUntil),
      newestAt: Math.max(newestAt, before.newestAt),
    };
    await FACT.save(tx, value, now);
    await markToLook(
      tx,
      known.flatMap(({ toLook }) => toLook),
      now,
    );
    return known;
  });
}

function isKnown({ event: { known } }: NewEvent): boolean {
  return known.user.size + known.group.size > 0;
}

async function storeKnown(tx: Db, known: readonly NewEvent[]): Promise<void> {
  await forgetNamed(
    tx,
    known.map(({ event }) => event.audit.id),
  );
  await insertEventResources(tx, known.flatMap(toResourceRows));
  for (const { event, origin, use } of known) {
    await resolveEvent(tx, event.audit.id, { origin, explained_by: use ?? null });
  }
}

/**
 * Marks as ours as many events as our own calls explain. Returns the time of the newest of the others, 0 when there is
 * none.
 */
async function countOut(tx: Db, left: readonly NewEvent[], skewMs: number): Promise<number> {
  const events = left.map(({ event }) => event);
  const { calls, used } = await readLedger(tx, events, { skewMs });
  let newestAt = 0;
  const work = explainByCount(events, calls, { tolerance: TOLERANCE, used });
  for (const { event, use } of await compareInTurns(work)) {
    if (use === undefined) newestAt = Math.max(newestAt, event.at);
    else await resolveEvent(tx, event.audit.id, { origin: 'ours', explained_by: use });
  }
  return newestAt;
}

/** Restores an event from its row. */
function toEvent(row: Required<AuditEventRow>): AuditEvent {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    category: row.category,
    action: row.action,
    message: row.message ?? undefined,
    details: row.details === null ? null : parseStored<unknown>(row.details),
    authorId: row.author_id ?? undefined,
    authorUid: row.author_uid ?? undefined,
    authorUsername: row.author_username ?? undefined,
    authorRemoteAddress: row.author_address ?? undefined,
  };
}
