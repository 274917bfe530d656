import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

/** How deep and how much of `details` is looked at: their shape is the service's to choose. */
const DEPTH_MAX = 4;
const NAMES_MAX = 200;
const LENGTH_MAX = 512;

/** What a text in an event can be the id or name of. */
type Subject = 'user' | 'group';

/** Every text of an event, and what it can be the id or name of. */
export type EventNames = ReadonlyMap<string, ReadonlySet<Subject>>;

/**
 * Every text and number that an event shows in `details` (an object or JSON text) or as its message: one of
 * them may be the id, the uid or the name of what was changed. Which key it stands under is not documented; but a
 * number, which may be a person's and a group's, is not a person's under `group_id`.
 */
export function listEventNames({ details, message }: AuditEvent): EventNames {
  const names = new Map<string, Set<Subject>>();
  collect({ value: details, depth: 0, path: '' }, names);
  if (message !== undefined) add(message, '', names);
  return names;
}

interface Place {
  readonly value: unknown;
  readonly depth: number;
  /** The keys that lead to it. */
  readonly path: string;
}

type Names = Map<string, Set<Subject>>;

function collect({ value, depth, path }: Place, names: Names): void {
  if (names.size >= NAMES_MAX || depth > DEPTH_MAX || value === null) return;
  if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value))
      collect({ value: inner, depth: depth + 1, path: `${path}.${key}` }, names);
  } else if (typeof value === 'number') {
    add(String(value), path, names);
  } else if (typeof value === 'string') {
    const inner = depth === 0 ? findJson(value) : undefined;
    if (inner === undefined) add(value, path, names);
    else collect({ value: inner, depth, path }, names);
  }
}

function add(text: string, path: string, names: Names): void {
  // Nothing of ours has a NUL in it, and PostgreSQL cannot be asked for one.
  if (text === '' || text.length > LENGTH_MAX || text.includes('\0')) return;
  const known = names.get(text) ?? new Set();
  for (const subject of listSubjects(text, path)) known.add(subject);
  names.set(text, known);
}

function listSubjects(text: string, path: string): Subject[] {
  if (!/^\d+$/.test(text)) return ['user', 'group'];
  const isOfGroup = /group/i.test(path);
  const isOfUser = /user|member|person|account|admin/i.test(path);
  if (isOfGroup === isOfUser) return ['user', 'group'];
  return isOfGroup ? ['group'] : ['user'];
}

function findJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Text that is no JSON is a name like any other.
  }
}
