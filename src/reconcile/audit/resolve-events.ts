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
import { saveAuthors } from './own-author.ts';
import { readPollState } from './poll-state.ts';
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
    const before = await findUnresolved(deps.store.read);
    const query = { after: before.readUntil, until, limit: BATCH };
    const rows = await listUnresolvedEvents(deps.store.read, query);
    // The list is usually empty, and nothing has to be written.
    if (rows.length === 0) break;
    found.push(...(await resolveBatch(deps, { before, rows, ownAccount })));
  }
  return found;
}

interface Batch {
  readonly before: Unresolved;
  readonly rows: readonly Required<AuditEventRow>[];
  readonly ownAccount: number | undefined;
}

/** Looks up one batch. What its events mean is found out before the transaction, so that no write waits for that. */
async function resolveBatch(
  { store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>,
  { before, rows, ownAccount }: Batch,
): Promise<NewEvent[]> {
  const { skewMs } = await readPollState(store.read);
  const { events, authors } = await attributeEvents(store.read, rows.map(toEvent), {
    skewMs,
    ownAccount,
  });
  const known = events.filter(isKnown);
  const left = events.filter((one) => !isKnown(one) && !isOfNothing(toWords(one.event)));
  const { ours, newestAt } = await countOut(store.read, left, { skewMs, known });
  const value: Unresolved = {
    readUntil: Math.max(...rows.map((row) => row.seen_at), before.readUntil),
    newestAt: Math.max(newestAt, before.newestAt),
  };
  return store.write(async (tx) => {
    const now = clock.now();
    await storeKnown(tx, known);
    for (const { id, use } of ours)
      await resolveEvent(tx, id, { origin: 'ours', explained_by: use });
    if (authors !== undefined) await saveAuthors(tx, authors, now);
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

/** Events of which only their number is known. */
interface Counted {
  /** Those that are ours, with the use of a call that explains each. */
  readonly ours: readonly { readonly id: string; readonly use: string }[];
  /** Time of the newest of the others, 0 when there is none. */
  readonly newestAt: number;
}

/**
 * Counts as ours as many events as our own calls explain.
 * @param options.known events of the same batch, whose explanations are not stored yet
 */
async function countOut(
  db: Db,
  left: readonly NewEvent[],
  { skewMs, known }: { readonly skewMs: number; readonly known: readonly NewEvent[] },
): Promise<Counted> {
  const events = left.map(({ event }) => event);
  const { calls, used } = await readLedger(db, events, { skewMs });
  for (const { event, use } of known) if (use !== undefined) used.set(use, event.at);
  const ours: { id: string; use: string }[] = [];
  let newestAt = 0;
  const work = explainByCount(events, calls, { tolerance: TOLERANCE, used });
  for (const { event, use } of await compareInTurns(work)) {
    if (use === undefined) newestAt = Math.max(newestAt, event.at);
    else ours.push({ id: event.audit.id, use });
  }
  return { ours, newestAt };
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
