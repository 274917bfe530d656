import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import { type AuditEventRow, listExplanations } from '../../store/audit/events.ts';
import { type CallSubjects, listOwnCalls, type OwnCallRow } from '../../store/audit/own-calls.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { isIrrelevant } from './event-actions.ts';
import {
  compareInTurns,
  type ExplainedEvent,
  explainEvents,
  hasMember,
  TOLERANCE,
} from './match-events.ts';
import { type NamedAuditEvent, nameEvents } from './name-events.ts';
import {
  type Authors,
  findOwn,
  learnAuthors,
  readAuthors,
  readForeignAuthors,
} from './own-author.ts';
import { LATE_MS } from './window.ts';

/** Largest number of ledger calls that one page of events is compared with; more events then cost a look. */
const CALLS_MAX = 20_000;

/** Event with its origin and the resources that it makes the bridge look at. */
export interface NewEvent {
  readonly event: NamedAuditEvent;
  readonly origin: AuditEventRow['origin'];
  readonly use: string | undefined;
  readonly toLook: readonly ResourceKey[];
}

/** Events with their origins. */
interface Attributed {
  readonly events: readonly NewEvent[];
  /** Authors to remember; undefined: none were learned, as where the service tells our own account. */
  readonly authors: Authors | undefined;
}

/**
 * Tells our own events from foreign ones. An event whose author is known to be another account is foreign; the others
 * are compared with the ledger. `skewMs` is the lead of the service's clock over ours, `ownAccount` the account behind our
 * own token, where the service tells it.
 * An explained event keeps its explanation: a second event needs another call.
 *
 * It only reads, and needs no transaction: nothing but the reading of the log changes explanations and authors, and a call
 * stands in the ledger before any event of it can be read.
 */
export async function attributeEvents(
  db: Db,
  events: readonly AuditEvent[],
  { skewMs, ownAccount }: { skewMs: number; ownAccount: number | undefined },
): Promise<Attributed> {
  const named = await nameEvents(db, events, skewMs);
  const { calls, used } = await readLedger(db, named, { skewMs, about: toSubjects(named) });
  const explain = (list: readonly NamedAuditEvent[]) =>
    compareInTurns(explainEvents(list, calls, { tolerance: TOLERANCE, used }));
  const before = ownAccount === undefined ? await readAuthors(db) : undefined;
  const authors = before && learnAuthors(before, toExplained(await explain(named), calls));
  const own = authors === undefined ? { authorId: ownAccount } : findOwn(authors);
  const isByOthers = await readForeignAuthors(db, events, own);
  const attributed = named.map((event) => ({ ...event, isByOthers: isByOthers(event.audit) }));
  return {
    events: (await explain(attributed)).map(toNewEvent),
    authors: authors === before ? undefined : authors,
  };
}

/** The events that our own calls explain, which tell our own account where the service does not. */
function toExplained(
  explained: readonly ExplainedEvent<NamedAuditEvent>[],
  calls: readonly OwnCallRow[],
): { audit: AuditEvent; isCreation: boolean }[] {
  const creations = new Set(
    calls.flatMap(({ id, kind }) => (kind?.endsWith('.create') ? String(id) : [])),
  );
  return explained.flatMap(({ event, use }) => {
    if (use === undefined) return [];
    const isCreation = CREATIONS.has(event.action) && creations.has(use.split('|', 1)[0] ?? '');
    return [{ audit: event.audit, isCreation }];
  });
}

const CREATIONS: ReadonlySet<string> = new Set(['create', 'invite']);

/**
 * Reads the own calls that may explain these events, oldest first, and the explanations given before; with `about` only
 * calls that concern one of these.
 */
export async function readLedger(
  db: Db,
  named: readonly NamedAuditEvent[],
  { skewMs, about }: { skewMs: number; about?: CallSubjects },
): Promise<{ calls: OwnCallRow[]; used: Map<string, number> }> {
  const [first, last] = [named.at(0), named.at(-1)];
  if (first === undefined || last === undefined) return { calls: [], used: new Map() };
  const { beforeMs, afterMs } = TOLERANCE;
  const reach = { from: first.at - afterMs, to: last.at + beforeMs };
  const query = { ...reach, limit: CALLS_MAX };
  const calls = await listOwnCalls(db, about === undefined ? query : { ...query, about });
  // Explanations reach as far again to both sides, and may have come late.
  const explained = await listExplanations(db, {
    from: reach.from - beforeMs + skewMs - LATE_MS,
    to: reach.to + afterMs + skewMs + LATE_MS,
    callIds: new Set(calls.map(({ id }) => id)),
  });
  const used = new Map([...explained].map(([use, at]) => [use, at - skewMs]));
  return { calls, used };
}

/**
 * The subjects of calls that can explain these events, because after a change of a large group the ledger holds thousands
 * of calls of one minute.
 */
function toSubjects(named: readonly NamedAuditEvent[]): CallSubjects {
  return {
    resourceIds: [...new Set(named.flatMap(({ resourceIds }) => [...resourceIds]))],
    upstreamIds: [...new Set(named.flatMap(({ names }) => [...names.keys()]))],
    // An event without the member is explained by any change of a member.
    anyMember: !named.every(hasMember),
  };
}

function toNewEvent({ event, use }: ExplainedEvent<NamedAuditEvent>): NewEvent {
  if (use !== undefined) return { event, use, origin: 'ours', toLook: [] };
  const toLook = isIrrelevant(event) ? [] : toResources(event);
  const origin = event.resourceIds.size === 0 ? 'unresolved' : 'foreign';
  return { event, use, origin, toLook };
}

/** Actions on a member list or an admin list concern the group, not the user. */
const OF_GROUPS: ReadonlySet<string> = new Set([
  'add_user',
  'admin_add_user',
  'delete_user',
  'admin_delete_user',
  'add_admin',
  'delete_admin',
]);

function toResources({ action, known, resourceIds }: NamedAuditEvent): ResourceKey[] {
  const listKeys = (type: 'user' | 'group') =>
    [...known[type].intersection(resourceIds)].sort().map((id) => toResourceKey({ type, id }));
  const groups = listKeys('group');
  const isOfGroup = OF_GROUPS.has(action) && groups.length > 0;
  return isOfGroup ? groups : [...listKeys('user'), ...groups];
}
