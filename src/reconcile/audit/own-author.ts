import { createFact } from '../../store/facts.ts';
import { findNamed } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

const AUTHOR_FIELDS = ['authorId', 'authorUid', 'authorUsername'] as const;

/** Author of an event, as far as the log tells; the service may leave out any part. */
type Author = Partial<Pick<AuditEvent, (typeof AUTHOR_FIELDS)[number]>>;

/** Author with a weight: how much speaks for the account behind our own token. */
interface AuthorCounter extends Author {
  readonly weight: number;
}

/** Authors of events that our own calls explained, the most likely account first. */
export type Authors = readonly AuthorCounter[];

const FACT = createFact<Authors>('audit-own-author');
/** Least weight from which an author is taken to be our own. */
const WEIGHT_MIN = 3;
/** Weight at which all weights are halved, so that another token is recognised after a while. */
const WEIGHT_MAX = 60;
const AUTHORS_MAX = 20;

/**
 * Tells which events another account than the one behind our own token has made.
 * @param own that account, known from the service or learned; while it is unknown, no event counts as foreign
 */
export async function readForeignAuthors(
  db: Db,
  events: readonly AuditEvent[],
  own: Author | undefined,
): Promise<(event: AuditEvent) => boolean> {
  if (own === undefined) return () => false;
  const accounts = await findAccounts(db, events);
  return (event) => isAnother(event, own, accounts);
}

/** Finds the account that the events of our own calls speak for; undefined while none does, or the log shows no ids. */
export async function findLearnedAccount(db: Db): Promise<number | undefined> {
  return findOwn(await readAuthors(db))?.authorId;
}

/** The authors that were learned until now. */
export async function readAuthors(db: Db): Promise<Authors> {
  return (await FACT.find(db)) ?? [];
}

/** Remembers authors. `now` is epoch milliseconds. */
export async function saveAuthors(tx: Db, authors: Authors, now: number): Promise<void> {
  await FACT.save(tx, authors, now);
}

/**
 * Adds the authors of events that our own calls explain; without any the same list. A creation weighs more, because only
 * our own account can have made it.
 */
export function learnAuthors(
  before: Authors,
  explained: readonly { readonly audit: AuditEvent; readonly isCreation: boolean }[],
): Authors {
  const named = explained.filter(({ audit }) => hasShared(audit, audit));
  if (named.length === 0) return before;
  const counters = [...before];
  for (const { audit, isCreation } of named) {
    const index = counters.findIndex((counter) => isSame(counter, audit));
    const held = counters[index]?.weight ?? 0;
    const { authorId, authorUid, authorUsername } = audit;
    const counter = { authorId, authorUid, authorUsername, weight: held + (isCreation ? 3 : 1) };
    counters.splice(index < 0 ? counters.length : index, 1, counter);
  }
  const sorted = counters.toSorted((a, b) => b.weight - a.weight).slice(0, AUTHORS_MAX);
  const isFull = (sorted[0]?.weight ?? 0) > WEIGHT_MAX;
  return sorted.map((counter) => (isFull ? { ...counter, weight: counter.weight / 2 } : counter));
}

/** The account behind our own token, as far as these speak for one. */
export function findOwn([first, second]: Authors): Author | undefined {
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
  own: Author,
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

function hasShared(a: Author, b: Author): boolean {
  return AUTHOR_FIELDS.some((field) => a[field] !== undefined && a[field] === b[field]);
}
