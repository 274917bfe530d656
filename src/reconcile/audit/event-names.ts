import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

/** Limits of the search through `details`, whose shape the service chooses. */
const DEPTH_MAX = 4;
const NAMES_MAX = 200;
const LENGTH_MAX = 512;

/** Types of resource that a text in an event may identify. */
export type Subject = 'user' | 'group';

/** Texts of an event, each with the types of resource that it may identify. */
export type EventNames = ReadonlyMap<string, ReadonlySet<Subject>>;

/**
 * Lists every text and number that an event shows in `details` (an object or JSON text) or in its message. Any of them
 * may be the id, the uid or the name of the changed resource: the key is not documented.
 * A number may be the id of a user and of a group; under `group_id` or beside `type: 'group'` it is not a user's, also where
 * the message has it again.
 */
export function listEventNames({
  details,
  message,
}: Pick<AuditEvent, 'details' | 'message'>): EventNames {
  const names = new Map<string, Set<Subject>>();
  collect({ value: details, depth: 0, path: [] }, names);
  if (message === undefined) return names;
  add(message, [], names);
  for (const [name] of message.slice(0, MESSAGE_MAX).matchAll(NAMES_IN_TEXT)) {
    const text = name.replaceAll(QUOTES, '');
    if (!names.has(text)) add(text, [], names);
  }
  return names;
}

/** Finds addresses, uids, numbers, and quoted text. */
const NAMES_IN_TEXT =
  /[^\s"'«»“”<>()[\]{},;:]+@[^\s"'«»“”<>()[\]{},;:]*[\p{L}\p{N}]|\b[\da-f]{8}-[\da-f-]{27}\b|"[^"]+"|'[^']+'|«[^»]+»|“[^”]+”|\b\d+\b/giu;
const QUOTES = /^["'«“]|["'»”]$/g;
const MESSAGE_MAX = 2_000;
/** Words that a name in a message may have. */
const NAME_WORDS_MAX = 4;

/**
 * Lists runs of words of a message as possible names without quotes. They are asked about only for an event that names
 * nothing otherwise, because a group may have any word as its name.
 */
export function listMessageWords({ message = '' }: Pick<AuditEvent, 'message'>): EventNames {
  const words = message.slice(0, LENGTH_MAX).match(/[^\s"'«»“”()[\]{},;:]+/gu) ?? [];
  const names = new Map<string, Set<Subject>>();
  for (let length = NAME_WORDS_MAX; length > 0; length -= 1) {
    for (let start = 0; start + length <= words.length && names.size < NAMES_MAX; start += 1) {
      add(
        words
          .slice(start, start + length)
          .join(' ')
          .replace(/\.$/, ''),
        [],
        names,
      );
    }
  }
  return names;
}

interface Place {
  readonly value: unknown;
  readonly depth: number;
  /** The keys that lead to it, the innermost last. */
  readonly path: readonly string[];
}

type Names = Map<string, Set<Subject>>;

function collect({ value, depth, path }: Place, names: Names): void {
  if (names.size >= NAMES_MAX || depth > DEPTH_MAX || value === null) return;
  if (typeof value === 'object') {
    const type = 'type' in value && typeof value.type === 'string' ? [value.type] : [];
    for (const [key, inner] of Object.entries(value))
      collect({ value: inner, depth: depth + 1, path: [...path, ...type, key] }, names);
  } else if (typeof value === 'number') {
    add(String(value), path, names);
  } else if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? findJson(value) : undefined;
    if (inner === undefined) add(value, path, names);
    else collect({ value: inner, depth: depth + 1, path }, names);
  }
}

function add(text: string, path: readonly string[], names: Names): void {
  // No name in the store has a NUL, and PostgreSQL cannot be asked for one.
  if (text === '' || text.length > LENGTH_MAX || text.includes('\0')) return;
  const known = names.get(text) ?? new Set();
  for (const subject of listSubjects(text, path)) known.add(subject);
  names.set(text, known);
}

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
