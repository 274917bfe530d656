import { listCreations } from '../../store/logs.ts';
import { findCalled } from '../../store/resources/find.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, type Row } from '../../store/tables.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Uncertainty of the difference between the clocks of the bridge and of the service, in milliseconds. */
export const CLOCKS_MS = 3 * 60_000;

/** Limits of the search through `details`, whose shape the service chooses. */
const DEPTH_MAX = 8;
const NAMES_MAX = 200;
const LENGTH_MAX = 512;
const MESSAGE_MAX = 2_000;
/** Length to which texts of an event are kept. */
const TEXT_LENGTH_MAX = 4_096;

type Subject = 'user' | 'group';

/** Event with what it names. */
export interface NamedEvent {
  /** That of the service, and its time: a service that was set up anew gives its ids again. */
  readonly id: string;
  readonly audit: AuditEvent;
  /** Epoch milliseconds, by our own clock. */
  readonly at: number;
  /** SCIM ids of the users and groups that it names, also of those that are unmanaged or deleted. */
  readonly user: ReadonlySet<string>;
  readonly group: ReadonlySet<string>;
  /** SCIM ids of those that are managed. */
  readonly managed: ReadonlySet<string>;
  /** Texts that may be an id or a name, each with the types that it may identify. */
  readonly names: ReadonlyMap<string, ReadonlySet<Subject>>;
}

/** Finds whom events name that are not stored yet, the oldest first. Any text may be an id or a name: no key is documented. */
export async function nameNewEvents(deps: ReconcileDeps, events: readonly AuditEvent[]) {
  const db = deps.store.read;
  const aheadMs = deps.upstream.aheadMs();
  const toId = ({ id, createdAt }: AuditEvent) => `${toText(id)} ${createdAt.getTime()}`;
  const byId = new Map(events.map((audit) => [toId(audit), audit]));
  const stored = await listWhere(db, 'audit_events', { id: [...byId.keys()] });
  for (const { id } of stored) byId.delete(id);
  const listed = [...byId].map(([id, audit]) => ({ id, audit, names: listNames(audit) }));
  const found = await findCalled(db, new Set(listed.flatMap(({ names }) => [...names.keys()])));
  const named = listed.map(({ id, audit, names }): NamedEvent => {
    const toIds = (type: Subject) => {
      const meant = [...names].filter(([, types]) => types.has(type));
      return new Set(meant.flatMap(([name]) => [...(found[type].get(name) ?? [])]));
    };
    const [user, group] = [toIds('user'), toIds('group')];
    const managed = user.union(group).intersection(found.managed);
    const at = audit.createdAt.getTime() - aheadMs;
    return { id, audit, at, user, group, managed, names };
  });
  return named.sort((a, b) => a.at - b.at);
}

/** Text without NUL, which PostgreSQL cannot store. */
export function toText(text: string): string {
  return text.replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}

/** Finds addresses, uids, numbers, and quoted text. */
const NAMES_IN_TEXT =
  /[^\s"'«»“”<>()[\]{},;:]+@[^\s"'«»“”<>()[\]{},;:]*[\p{L}\p{N}]|\b[\da-f]{8}-[\da-f-]{27}\b|"[^"]+"|'[^']+'|«[^»]+»|“[^”]+”|\b\d+\b/giu;
const QUOTES = /^["'«“]|["'»”]$/g;

function listNames({ category, details, message = '' }: AuditEvent): NamedEvent['names'] {
  const names = new Map<string, Set<Subject>>();
  function add(text: string, path: readonly string[]): void {
    // No name in the store has a NUL, and PostgreSQL cannot be asked for one.
    if (text === '' || text.length > LENGTH_MAX || text.includes('\0')) return;
    names.set(text, (names.get(text) ?? new Set()).union(toSubjects(text, path)));
  }
  for (const [text, path] of listTexts(details, [category]).take(NAMES_MAX)) add(text, path);
  add(message, [category]);
  for (const [name] of message.slice(0, MESSAGE_MAX).matchAll(NAMES_IN_TEXT)) {
    const text = name.replaceAll(QUOTES, '');
    // A number that the details have as well is what its key there says.
    if (!names.has(text)) add(text, [category]);
  }
  return names;
}

/** Lists the texts and numbers of a JSON value, those of JSON within a text too, each with the keys that lead to it. */
function* listTexts(
  value: unknown,
  path: readonly string[],
  depth = 0,
): Generator<readonly [text: string, path: readonly string[]]> {
  if (depth > DEPTH_MAX || value === null) return;
  if (typeof value === 'object') {
    const type = 'type' in value && typeof value.type === 'string' ? [value.type] : [];
    for (const [key, inner] of Object.entries(value))
      yield* listTexts(inner, [...path, ...type, key], depth + 1);
  } else if (typeof value === 'number') {
    yield [String(value), path];
  } else if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? findJson(value) : undefined;
    if (inner === undefined) yield [value, path];
    else yield* listTexts(inner, path, depth + 1);
  }
}

/** A user and a group may have the same number: the nearest key that says `user` or `group` decides. */
function toSubjects(text: string, path: readonly string[]): Set<Subject> {
  const keys = /^\d+$/.test(text) ? path.toReversed() : [];
  for (const key of keys) {
    const isOfGroup = /group|team/i.test(key);
    const isOfUser = /user|member|person|account|admin/i.test(key);
    if (isOfGroup && isOfUser) break;
    if (isOfGroup || isOfUser) return new Set([isOfGroup ? 'group' : 'user']);
  }
  return new Set(['user', 'group']);
}

function findJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Text without JSON is a name like any other.
  }
}

const AUTHOR_FIELDS = ['authorId', 'authorUid', 'authorUsername'] as const;
/** The account behind our own token, as far as it is known. */
type Account = Partial<Pick<AuditEvent, (typeof AUTHOR_FIELDS)[number]>>;

/** Time after a creation within which its event happens, by clocks that may differ, in milliseconds. */
const CREATED_WITHIN_MS = 2 * CLOCKS_MS;

const LEARNED = createShared<Account>('audit-own-account');

/** Finds our own account as events have shown it; undefined: none has, or the log shows no ids. */
export async function findLearnedAccount(db: Db): Promise<number | undefined> {
  return (await LEARNED.find(db))?.authorId;
}

/** Tells by their authors who made events. `known`: the account behind our own token, if the service names it. */
export async function findOrigins(
  tx: Db,
  events: readonly NamedEvent[],
  { known, now }: { readonly known: number | undefined; readonly now: number },
) {
  if (known === undefined) await learnOwnAccount(tx, events, now);
  const own: Account = known === undefined ? ((await LEARNED.find(tx)) ?? {}) : { authorId: known };
  return events.map((event): { event: NamedEvent; origin: Row<'audit_events'>['origin'] } => {
    const { audit } = event;
    const field = AUTHOR_FIELDS.find((one) => audit[one] !== undefined && own[one] !== undefined);
    if (field === undefined) return { event, origin: 'unknown' };
    return { event, origin: audit[field] === own[field] ? 'ours' : 'foreign' };
  });
}

/** Learns our own account where the service does not tell it: the author of the first event about what we just created. */
async function learnOwnAccount(tx: Db, events: readonly NamedEvent[], now: number): Promise<void> {
  const ids = new Set(events.flatMap(({ managed }) => [...managed]));
  const from = (events[0]?.at ?? 0) - CREATED_WITHIN_MS;
  const creations = await listCreations(tx, { ids: [...ids], from });
  const authors = creations.flatMap(({ resource_id, at }): Account[] => {
    const isOfIt = (event: NamedEvent) =>
      event.managed.has(resource_id) && event.at >= at - CLOCKS_MS;
    const first = events.find(isOfIt);
    if (first === undefined || first.at > at + CREATED_WITHIN_MS) return [];
    const { authorId, authorUid, authorUsername } = first.audit;
    const author = { authorId, authorUid, authorUsername };
    return AUTHOR_FIELDS.some((field) => author[field] !== undefined) ? [author] : [];
  });
  // Nobody else can have changed it before, so the events of one page agree.
  const known = new Set(authors.map((author) => JSON.stringify(author)));
  const [author] = authors;
  if (author !== undefined && known.size === 1) await LEARNED.save(tx, author, now);
}
