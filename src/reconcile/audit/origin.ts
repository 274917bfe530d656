import { listCreations, listOperatorCalls } from '../../store/audit/own-calls.ts';
import { createFact } from '../../store/facts.ts';
import { findAccounts } from '../../store/resources/names.ts';
import type { AuditEventsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { NamedEvent } from './name-events.ts';
import { CLOCKS_MS } from './poll-state.ts';

/** Origin of an event: see the table. */
export type EventOrigin = AuditEventsTable['origin'];

/** The account behind our own token, as far as it is known. */
type Account = Partial<Pick<AuditEvent, 'authorId' | 'authorUid' | 'authorUsername'>>;

const AUTHOR_FIELDS = ['authorId', 'authorUid', 'authorUsername'] as const;
/** Distance of an event from the call of an operator that caused it, in milliseconds. */
const OPERATOR = { beforeMs: 10_000, afterMs: 60_000 } as const;
/** Time after a creation within which its event happens, by clocks that may differ, in milliseconds. */
const CREATED_WITHIN_MS = 2 * CLOCKS_MS;

const LEARNED = createFact<Account>('audit-own-account');

/** Finds our own account as events have shown it; undefined: none has, or the log shows no ids. */
export async function findLearnedAccount(db: Db): Promise<number | undefined> {
  return (await LEARNED.find(db))?.authorId;
}

/**
 * Tells who made each of these events, by its author alone.
 * @param known the account behind our own token, if the service names it
 */
export async function findOrigins(
  db: Db,
  events: readonly NamedEvent[],
  known: number | undefined,
): Promise<(event: NamedEvent) => EventOrigin> {
  const own = known === undefined ? await LEARNED.find(db) : { authorId: known };
  if (own === undefined) return () => 'unknown';
  // Where the log shows no ids, by the usernames.
  const nameless = events.filter(({ audit }) => audit.authorId === undefined);
  const usernames = nameless.flatMap(({ audit }) => audit.authorUsername ?? []);
  const accounts = await findAccounts(db, new Set(usernames));
  const isOperators = await findOperators(db, events);
  return (event) => {
    const isOwn = isOwnAccount(event.audit, own, accounts);
    if (isOwn === undefined) return 'unknown';
    if (!isOwn) return 'foreign';
    return isOperators(event) ? 'operator' : 'ours';
  };
}

/**
 * Learns our own account where the service does not tell it: the author of the first event that names what we have just
 * created. Nobody else can have changed it before, so the events of one page have to agree. Every later creation is learned
 * from again, because the token may be another one by then.
 */
export async function learnOwnAccount(
  tx: Db,
  events: readonly NamedEvent[],
  now: number,
): Promise<void> {
  const ids = new Set(events.flatMap(({ managed }) => [...managed]));
  const from = (events[0]?.at ?? 0) - CREATED_WITHIN_MS;
  const creations = await listCreations(tx, { ids: [...ids], from });
  const authors = creations.flatMap(({ resourceId, at }) => {
    const first = events.find(
      (event) => event.managed.has(resourceId) && event.at >= at - CLOCKS_MS,
    );
    return first === undefined || first.at > at + CREATED_WITHIN_MS ? [] : toAccount(first.audit);
  });
  const [author] = authors;
  if (author === undefined || new Set(authors.map((one) => JSON.stringify(one))).size > 1) return;
  await LEARNED.save(tx, author, now);
}

function toAccount({ authorId, authorUid, authorUsername }: AuditEvent): Account[] {
  const account = { authorId, authorUid, authorUsername };
  return AUTHOR_FIELDS.some((field) => account[field] !== undefined) ? [account] : [];
}

type Accounts = ReadonlyMap<string, ReadonlySet<number>>;

/** Tells whether our own account made an event; undefined: the event does not tell. */
function isOwnAccount(event: AuditEvent, own: Account, accounts: Accounts): boolean | undefined {
  for (const field of AUTHOR_FIELDS) {
    if (event[field] !== undefined && own[field] !== undefined) return event[field] === own[field];
  }
  const ofName = accounts.get(event.authorUsername ?? '');
  return own.authorId === undefined ? undefined : ofName?.has(own.authorId);
}

/** Tells which events name what an operator has just changed by a call through the bridge. */
async function findOperators(
  db: Db,
  events: readonly NamedEvent[],
): Promise<(event: NamedEvent) => boolean> {
  const [first, last] = [events.at(0), events.at(-1)];
  if (first === undefined || last === undefined) return () => false;
  const reach = { from: first.at - OPERATOR.afterMs, to: last.at + OPERATOR.beforeMs };
  const calls = await listOperatorCalls(db, reach);
  return ({ at, names }) =>
    calls.some(
      (call) =>
        at >= call.at - OPERATOR.beforeMs &&
        at <= call.at + OPERATOR.afterMs &&
        names.has(call.upstreamId),
    );
}
