import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';

/** How deep and how much of `details` is looked at: their shape is the service's to choose. */
const DEPTH_MAX = 4;
const NAMES_MAX = 200;
const LENGTH_MAX = 512;

/**
 * Every text and number that an event shows in `details` (an object or JSON text) or as its message: one of
 * them may be the id, the uid or the name of what was changed. Which key it stands under is not documented.
 */
export function listEventNames({ details, message }: AuditEvent): Set<string> {
  const names = new Set<string>();
  collect(details, 0, names);
  if (message !== undefined) add(message, names);
  return names;
}

function collect(value: unknown, depth: number, names: Set<string>): void {
  if (names.size >= NAMES_MAX || depth > DEPTH_MAX || value === null) return;
  if (typeof value === 'object') {
    for (const inner of Object.values(value)) collect(inner, depth + 1, names);
  } else if (typeof value === 'number') {
    add(String(value), names);
  } else if (typeof value === 'string') {
    const inner = depth === 0 ? findJson(value) : undefined;
    if (inner === undefined) add(value, names);
    else collect(inner, depth + 1, names);
  }
}

function add(text: string, names: Set<string>): void {
  // Nothing of ours has a NUL in it, and PostgreSQL cannot be asked for one.
  if (text !== '' && text.length <= LENGTH_MAX && !text.includes('\0')) names.add(text);
}

function findJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Text that is no JSON is a name like any other.
  }
}
