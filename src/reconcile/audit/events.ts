import { listCreations } from '../../store/audit/own-calls.ts';
import { createFact } from '../../store/facts.ts';
import { findCalled } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import type { Row } from '../../store/tables.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

/** Largest difference of the clocks of the bridge and of the service, in milliseconds. */
export const CLOCKS_MS = 3 * 60_000;

/** Limits of the search through `details`, whose shape the service chooses. */
const DEPTH_MAX = 8;
const NAMES_MAX = 200;
const LENGTH_MAX = 512;
const MESSAGE_MAX = 2_000;

type Subject = 'user' | 'group';

/** Texts of an event, each with the types of resource that it may identify. */
type Names = Map<string, Set<Subject>>;

/** Event with what it names. */
export interface NamedEvent {
  readonly audit: AuditEvent;
  /** Epoch milliseconds, by the clock of the service. */
  readonly at: number;
  /** SCIM ids of the users and groups that it names, also of those that are unmanaged or deleted. */
  readonly user: ReadonlySet<string>;
  readonly group: ReadonlySet<string>;
  /** SCIM ids of those that are managed. */
  readonly managed: ReadonlySet<string>;
  /** Texts that may be an id or a name. */
  readonly names: ReadonlyMap<string, ReadonlySet<Subject>>;
}

/**
 * Finds the users and groups that events name; the result is oldest first. Any text or number in `details` or in the message
 * may be the id, the uid or the name: the key is not documented.
 */
export async function nameEvents(db: Db, events: readonly AuditEvent[]): Promise<NamedEvent[]> {
  const listed = events.map((audit) => ({ audit, names: listNames(audit) }));
  const found = await findCalled(db, new Set(listed.flatMap(({ names }) => [...names.keys()])));
  const toIds = (names: Names, type: Subject) =>
    new Set(
      [...names].flatMap(([name, types]) =>
        types.has(type) ? [...(found[type].get(name) ?? [])] : [],
      ),
    );
  const named = listed.map(({ audit, names }): NamedEvent => {
    const [user, group] = [toIds(names, 'user'), toIds(names, 'group')];
    const managed = user.union(group).intersection(found.managed);
    return { audit, at: audit.createdAt.getTime(), user, group, managed, names };
  });
  return named.sort((a, b) => a.at - b.at);
}

/** True when an event names a known user or group. */
export function namesAnybody({ user, group }: NamedEvent): boolean {
  return user.size + group.size > 0;
}

/** Finds addresses, uids, numbers, and quoted text. */
const NAMES_IN_TEXT =
  /[^\s"'«»“”<>()[\]{},;:]+@[^\s"'«»“”<>()[\]{},;:]*[\p{L}\p{N}]|\b[\da-f]{8}-[\da-f-]{27}\b|"[^"]+"|'[^']+'|«[^»]+»|“[^”]+”|\b\d+\b/giu;
const QUOTES = /^["'«“]|["'»”]$/g;

function listNames({ category, details, message }: AuditEvent): Names {
  const names: Names = new Map();
  for (const { text, path } of listTexts(details, [category]).take(NAMES_MAX)) {
    add(text, path, names);
  }
  if (message === undefined) return names;
  add(message, [category], names);
  for (const [name] of message.slice(0, MESSAGE_MAX).matchAll(NAMES_IN_TEXT)) {
    const text = name.replaceAll(QUOTES, '');
    // A number that the details have as well is what its key there says.
    if (!names.has(text)) add(text, [category], names);
  }
  return names;
}

interface Text {
  readonly text: string;
  /** The keys that lead to it, the innermost last. */
  readonly path: readonly string[];
}

/** Lists the texts and numbers of a JSON value, those of JSON within a text too. */
function* listTexts(value: unknown, path: readonly string[] = [], depth = 0): Generator<Text> {
  if (depth > DEPTH_MAX || value === null) return;
  if (typeof value === 'object') {
    const type = 'type' in value && typeof value.type === 'string' ? [value.type] : [];
    for (const [key, inner] of Object.entries(value))
      yield* listTexts(inner, [...path, ...type, key], depth + 1);
  } else if (typeof value === 'number') {
    yield { text: String(value), path };
  } else if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? findJson(value) : undefined;
    if (inner === undefined) yield { text: value, path };
    else yield* listTexts(inner, path, depth + 1);
  }
}

function add(text: string, path: readonly string[], names: Names): void {
  // No name in the store has a NUL, and PostgreSQL cannot be asked for one.
  if (text === '' || text.length > LENGTH_MAX || text.includes('\0')) return;
  const known = names.get(text) ?? new Set();
  for (const subject of listSubjects(text, path)) known.add(subject);
  names.set(text, known);
}

/** A user and a group may have the same number: the nearest key that says `user` or `group` decides. */
function listSubjects(text: string, path: readonly string[]): Subject[] {
  if (!/^\d+$/.test(text)) return ['user', 'group'];
  for (const key of path.toReversed()) {
    const isOfGroup = /group|team/i.test(key);
    const isOfUser = /user|member|person|account|admin/i.test(key);
    if (isOfGroup && isOfUser) break;
    if (isOfGroup) return ['group'];
    if (isOfUser) return ['user'];
  }
  return ['user', 'group'];
}

function findJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Text without JSON is a name like any other.
  }
}

/** The account behind our own token, as far as it is known. */
type Account = Partial<Pick<AuditEvent, 'authorId' | 'authorUid' | 'authorUsername'>>;

const AUTHOR_FIELDS = ['authorId', 'authorUid', 'authorUsername'] as const;
/** Time after a creation within which its event happens, by clocks that may differ, in milliseconds. */
const CREATED_WITHIN_MS = 2 * CLOCKS_MS;

const LEARNED = createFact<Account>('audit-own-account');

/** Finds our own account as events have shown it; undefined: none has, or the log shows no ids. */
export async function findLearnedAccount(db: Db): Promise<number | undefined> {
  return (await LEARNED.find(db))?.authorId;
}

/**
 * Makes the function that tells who made an event, by its author alone.
 * @param known the account behind our own token, if the service names it
 */
export async function findOrigins(
  db: Db,
  known: number | undefined,
): Promise<(event: NamedEvent) => Row<'audit_events'>['origin']> {
  const own: Account = known === undefined ? ((await LEARNED.find(db)) ?? {}) : { authorId: known };
  return ({ audit }) => {
    const isKnown = (field: keyof Account) =>
      audit[field] !== undefined && own[field] !== undefined;
    const field = AUTHOR_FIELDS.find(isKnown);
    if (field === undefined) return 'unknown';
    return audit[field] === own[field] ? 'ours' : 'foreign';
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
  const authors = creations.flatMap(({ resource_id: resourceId, at }) => {
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
