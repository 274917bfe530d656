import { createFact } from '../../store/facts.ts';
import { findNamed } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

const AUTHOR_FIELDS = ['authorId', 'authorUid', 'authorUsername'] as const;

/** Author of an event, as far as the log tells; the service may leave out any part. */
type Author = Pick<AuditEvent, (typeof AUTHOR_FIELDS)[number]>;

/** Author with a weight: how much speaks for the account behind our own token. */
interface AuthorCounter extends Partial<Author> {
  readonly weight: number;
}

const FACT = createFact<readonly AuthorCounter[]>('audit-own-author');
/** Least weight from which an author is taken to be our own. */
const WEIGHT_MIN = 3;
/** Weight at which all weights are halved, so that another token is recognised after a while. */
const WEIGHT_MAX = 60;
const AUTHORS_MAX = 20;

/**
 * Tells which events another account than the one behind our own token has made. That account is known from the
 * service, or learned from events that our own calls explain; while it is unknown, no event counts as foreign.
 */
export async function readForeignAuthors(
  db: Db,
  events: readonly AuditEvent[],
  ownAccount: number | undefined,
): Promise<(event: AuditEvent) => boolean> {
  const own = ownAccount === undefined ? await findLearned(db) : { authorId: ownAccount };
  if (own === undefined) return () => false;
  const accounts = await findAccounts(db, events);
  return (event) => isAnother(event, own, accounts);
}

/** Finds the account that the events of our own calls speak for; undefined while none does, or the log shows no ids. */
export async function findLearnedAccount(db: Db): Promise<number | undefined> {
  return (await findLearned(db))?.authorId;
}

/**
 * Remembers the authors of events that our own calls explain. A creation weighs more, because only our own account can
 * have made it. `now` is epoch milliseconds.
 */
export async function learnAuthors(
  tx: Db,
  explained: readonly { readonly audit: AuditEvent; readonly isCreation: boolean }[],
  now: number,
): Promise<void> {
  const named = explained.filter(({ audit }) => hasShared(audit, audit));
  if (named.length === 0) return;
  const counters = [...((await FACT.find(tx)) ?? [])];
  for (const { audit, isCreation } of named) {
    const index = counters.findIndex((counter) => isSame(counter, audit));
    const before = counters[index]?.weight ?? 0;
    const { authorId, authorUid, authorUsername } = audit;
    const counter = { authorId, authorUid, authorUsername, weight: before + (isCreation ? 3 : 1) };
    counters.splice(index < 0 ? counters.length : index, 1, counter);
  }
  const sorted = counters.toSorted((a, b) => b.weight - a.weight).slice(0, AUTHORS_MAX);
  const isFull = (sorted[0]?.weight ?? 0) > WEIGHT_MAX;
  const value = sorted.map((counter) =>
    isFull ? { ...counter, weight: counter.weight / 2 } : counter,
  );
  await FACT.save(tx, value, now);
}

async function findLearned(db: Db): Promise<Partial<Author> | undefined> {
  const [first, second] = (await FACT.find(db)) ?? [];
  if (first === undefined || first.weight < WEIGHT_MIN) return undefined;
  return first.weight >= 2 * (second?.weight ?? 0) ? first : undefined;
}

/** Finds the accounts of the authors' usernames, where the log shows no ids. */
async function findAccounts(
  db: Db,
  events: readonly AuditEvent[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const nameless = events.filter(({ authorId }) => authorId === undefined);
  const names = new Set(nameless.flatMap(({ authorUsername }) => authorUsername ?? []));
  if (names.size === 0) return new Map();
  return (await findNamed(db, names)).accounts;
}

function isAnother(
  event: AuditEvent,
  own: Partial<Author>,
  accounts: ReadonlyMap<string, ReadonlySet<number>>,
): boolean {
  for (const field of AUTHOR_FIELDS) {
    if (event[field] !== undefined && own[field] !== undefined) return event[field] !== own[field];
  }
  // The service may write the name of our own account in any way, so only another account's name counts.
  const ofName = accounts.get(event.authorUsername ?? '');
  return ofName !== undefined && own.authorId !== undefined && !ofName.has(own.authorId);
}

function isSame(counter: AuthorCounter, audit: AuditEvent): boolean {
  return !isAnother(audit, counter, new Map()) && hasShared(counter, audit);
}

function hasShared(a: Partial<Author>, b: Partial<Author>): boolean {
  return AUTHOR_FIELDS.some((field) => a[field] !== undefined && a[field] === b[field]);
}
