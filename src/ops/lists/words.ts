import { HARM_KINDS, toHarmWords } from '../../domain/change.ts';
import { toCount } from '../../domain/values.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Words of kinds of changes and differences that their codes do not have. */
const VERBS: Readonly<Record<string, string>> = {
  access: 'change the licence of',
  address: 'change the address of',
  permissions: 'change the permissions of',
  'hand-over': 'hand over',
};
const ENTITY = ['role in a space or document', 'roles in spaces or documents'] as const;

/** A change in two parts: `remove` and `member`; a difference: `added` and `member`. */
function parseKind(kind: string) {
  const [first = '', word = ''] = kind.split('.');
  const [one, many] = first === 'entity' ? ENTITY : [first, `${first}s`];
  return { word, one, many };
}

/** A kind of difference in words: `added member`. */
export function toKind(kind: string): string {
  const { word, one } = parseKind(kind);
  return `${VERBS[word]?.replace('change', 'changed') ?? word} ${one}`;
}

/** Changes of one kind in words: `remove 22 members`; one without its number: `remove member`. */
export function toChange(kind: string, count?: number): string {
  const { word, one, many } = parseKind(kind);
  return `${VERBS[word] ?? word} ${count === undefined ? one : toCount(count, one, many)}`;
}

const SOURCES: Readonly<Record<string, string>> = {
  sweep: 'a sweep',
  audit: 'the audit log',
  operator: 'an operator',
  undo: 'an undoing',
  provider: 'removals by a provider above the limit',
  'first-run': 'what was asked for while observing',
  restore: 'a restored backup',
  handover: 'a switch of providers',
};

/** Origin of a plan in words. */
export function toSource(source: string): string {
  return SOURCES[source] ?? source;
}

/** Names the decider of a plan; empty while there is none. The bridge discards a plan of which nothing was left. */
export function toDecider(plan: Pick<OpsJson<'PlanSummary'>, 'status' | 'decidedBy'>): string {
  const { status, decidedBy } = plan;
  if (decidedBy !== null) return decidedBy;
  if (status === 'held') return '';
  return status === 'discarded' ? 'the bridge' : 'the policy, without asking';
}

/** Counts of changes as a sentence: `Remove 3 members, activate 1 user`. */
export function toCounts(kinds: Readonly<Record<string, number>>): string {
  const parts = Object.entries(kinds).map(([kind, count]) => toChange(kind, count));
  return toTitle(parts.join(', ') || 'nothing');
}

/** Harm that a plan would do, in words. */
export function toHarm(harm: Readonly<Record<string, number>>): string {
  const parts = HARM_KINDS.map((kind) => (harm[kind] ? toHarmWords(kind, harm[kind]) : ''));
  return parts.filter(Boolean).join(', ') || 'none';
}

/** Finds the value that a change or a difference is about: a place in a group, an account, or a value. */
export function toHeld(kind: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('present' in value) {
    const [noun = ''] = kind.split('.');
    const word = noun === 'member' || noun === 'admin' ? noun : 'there';
    if (value.present === true) return word;
    return word === 'there' ? 'not there' : `no ${word}`;
  }
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0) return value;
  if (only[0] === 'active') return only[1] === true ? 'active' : 'not active';
  return only[1];
}

/** A value as one line of text. */
export function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(toText).join(', ') || 'none';
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${toText(inner)}`)
      .join(', ');
  }
  return '–';
}

/** A span of time as people read it: `42 s`, `3 min 5 s`. */
export function toTimeText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A word as a title. */
export function toTitle(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The commands that decide about a plan. */
export function toDecisions(id: string, hash: string | null): string {
  return `scim-bridge plan approve ${id} ${hash}   does exactly this, as far as it still holds
scim-bridge plan discard ${id}   cancels it: the service stays as it is`;
}
