import type { OpsJson } from '../schemas/schemas.ts';

/** Kinds of differences as what is different, for one. */
const DRIFTS: Readonly<Record<string, string>> = {
  'user.missing': 'missing user',
  'user.deactivated': 'deactivated user',
  'user.activated': 'activated user',
  'user.renamed': 'renamed user',
  'user.access': 'changed licence',
  'user.unmanaged': 'unmanaged user',
  'group.missing': 'missing group',
  'group.renamed': 'renamed group',
  'group.permissions': 'changed permissions',
  'group.unmanaged': 'unmanaged group',
  'member.added': 'added member',
  'member.removed': 'removed member',
  'admin.added': 'added admin',
  'admin.removed': 'removed admin',
  'entity.added': 'added roles in a space or document',
  'entity.removed': 'removed roles in a space or document',
  'entity.changed': 'changed roles in a space or document',
};

/** Kinds of changes as what is done, for one and for many. */
const CHANGES: Readonly<Record<string, readonly [verb: string, one: string, many: string]>> = {
  'user.create': ['create', 'user', 'users'],
  'user.activate': ['activate', 'user', 'users'],
  'user.deactivate': ['deactivate', 'user', 'users'],
  'user.rename': ['rename', 'user', 'users'],
  'user.access': ['change the licence of', 'user', 'users'],
  'user.address': ['change the address of', 'user', 'users'],
  'user.delete': ['delete', 'user', 'users'],
  'group.create': ['create', 'group', 'groups'],
  'group.rename': ['rename', 'group', 'groups'],
  'group.permissions': ['change the permissions of', 'group', 'groups'],
  'group.delete': ['delete', 'group', 'groups'],
  'member.add': ['add', 'member', 'members'],
  'member.remove': ['remove', 'member', 'members'],
  'admin.add': ['add', 'admin', 'admins'],
  'admin.remove': ['remove', 'admin', 'admins'],
  'entity.add': ['give roles in', 'space or document', 'spaces or documents'],
  'entity.change': ['change roles in', 'space or document', 'spaces or documents'],
  'entity.remove': ['take roles in', 'space or document', 'spaces or documents'],
  'user.hand-over': ['hand over', 'user', 'users'],
  'group.hand-over': ['hand over', 'group', 'groups'],
};

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

/** Kinds of harm, for one and for many. */
const HARMS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  deactivate: ['deactivation', 'deactivations'],
  removeMember: ['member removed', 'members removed'],
  demoteAdmin: ['admin demoted', 'admins demoted'],
  cutAccess: ['right taken away', 'rights taken away'],
  deleteGroup: ['group deleted', 'groups deleted'],
};

/** A number with its noun: `1 user`, `1,200 users`. */
export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A kind of difference in words. */
export function toKind(kind: string): string {
  return DRIFTS[kind] ?? kind;
}

/** A number of changes of one kind in words: `remove 22 members`. */
export function toChange(kind: string, count: number): string {
  const [verb, one, many] = CHANGES[kind] ?? [kind, 'thing', 'things'];
  return `${verb} ${toCount(count, one, many)}`;
}

/** One change without its number: `remove member`. */
export function toVerb(kind: string): string {
  const [verb, one] = CHANGES[kind] ?? [kind, ''];
  return `${verb} ${one}`.trim();
}

/** Origin of a plan in words. */
export function toSource(source: string): string {
  return SOURCES[source] ?? source;
}

/**
 * Names the decider of a plan; empty while there is none. A plan of which nothing was left is discarded by the bridge.
 */
export function toDecider(plan: Pick<OpsJson<'PlanSummary'>, 'status' | 'decidedBy'>): string {
  const { status, decidedBy } = plan;
  if (decidedBy !== null) return decidedBy;
  if (status === 'held' || status === 'making') return '';
  return status === 'discarded' ? 'the bridge' : 'the policy, without asking';
}

/** Counts of changes as a sentence: `remove 3 members, activate 1 user`. */
export function toCounts(kinds: Readonly<Record<string, number>>): string {
  const text = toList(kinds, 'nothing');
  return toTitle(text);
}

/** Counts of changes within a sentence. @param none the words where there are none */
function toList(kinds: Readonly<Record<string, number>>, none: string): string {
  return (
    Object.entries(kinds)
      .map(([kind, count]) => toChange(kind, count))
      .join(', ') || none
  );
}

/** Harm that a plan would do, in words. */
export function toHarm(harm: Readonly<Record<string, number>>): string {
  const parts = Object.entries(harm).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'none';
  return parts.map(([kind, count]) => toCount(count, ...(HARMS[kind] ?? [kind, kind]))).join(', ');
}

/** Reason of a plan with its kinds of harm in words, as a sentence. */
export function toReason(reason: string): string {
  const text = reason.replace(
    /\b(deactivate|removeMember|demoteAdmin|cutAccess|deleteGroup)\b(?=:)/g,
    (kind) => HARMS[kind]?.[1] ?? kind,
  );
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
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
