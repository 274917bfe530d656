/** Kinds of differences as what somebody did, for one and for many. */
const KINDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  'user.missing': ['missing user', 'missing users'],
  'user.deactivated': ['deactivated user', 'deactivated users'],
  'user.activated': ['activated user', 'activated users'],
  'user.renamed': ['renamed user', 'renamed users'],
  'user.access': ['changed licence', 'changed licences'],
  'user.unmanaged': ['unmanaged user', 'unmanaged users'],
  'group.missing': ['missing group', 'missing groups'],
  'group.renamed': ['renamed group', 'renamed groups'],
  'group.permissions': ['changed permissions', 'changed permissions'],
  'group.unmanaged': ['unmanaged group', 'unmanaged groups'],
  'member.added': ['added member', 'added members'],
  'member.removed': ['removed member', 'removed members'],
  'admin.added': ['added admin', 'added admins'],
  'admin.removed': ['removed admin', 'removed admins'],
};

/** What repairing a difference does. */
const REPAIRS: Readonly<Record<string, string>> = {
  'user.missing': 'makes the account again',
  'user.deactivated': 'activates',
  'user.activated': 'deactivates',
  'user.renamed': 'gives back the name',
  'user.access': 'gives back licence and rights',
  'group.missing': 'makes the group again',
  'group.renamed': 'gives back the name',
  'group.permissions': 'gives back the permissions',
  'member.added': 'takes out of the group',
  'member.removed': 'puts into the group',
  'admin.added': 'takes away the admin right',
  'admin.removed': 'gives back the admin right',
};

const HARM_OF_ONE: Readonly<Record<string, string>> = {
  deactivate: 'deactivates',
  removeMember: 'removes a member',
  demoteAdmin: 'demotes an admin',
  cutAccess: 'cuts access',
  deleteGroup: 'deletes a group',
};

const SOURCES: Readonly<Record<string, string>> = {
  sweep: 'a sweep',
  tail: 'the audit log',
  operator: 'an operator',
  undo: 'an undoing',
};

const HARMS: Readonly<Record<string, string>> = {
  deactivate: 'deactivations',
  removeMember: 'members removed',
  demoteAdmin: 'admins demoted',
  cutAccess: 'rights taken away',
  deleteGroup: 'groups deleted',
};

/** A kind of difference in words. */
export function toKind(kind: string): string {
  return KINDS[kind]?.[0] ?? kind;
}

/** Effect of a repair in words. */
export function toRepair(kind: string): string {
  return REPAIRS[kind] ?? 'changes it back';
}

/** Origin of a plan in words. */
export function toSource(source: string): string {
  return SOURCES[source] ?? source;
}

/** Counts of kinds as a sentence: `3 added members, 1 deactivated user`. */
export function toCounts(kinds: Readonly<Record<string, number>>): string {
  const parts = Object.entries(kinds).map(([kind, count]) => {
    const [one, many] = KINDS[kind] ?? [kind, kind];
    return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Harm that a plan would do, in words. */
export function toHarm(harm: Readonly<Record<string, number>>): string {
  const parts = Object.entries(harm).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'none';
  return parts
    .map(([kind, count]) => `${count.toLocaleString('en')} ${HARMS[kind] ?? kind}`)
    .join(', ');
}

/** Harm of one change, in words. */
export function toHarmOne(harm: string): string {
  return HARM_OF_ONE[harm] ?? harm;
}

/** Reason of a plan with its kinds of harm in words. */
export function toReason(reason: string): string {
  return reason.replace(
    /\b(deactivate|removeMember|demoteAdmin|cutAccess|deleteGroup)\b/g,
    (kind) => HARMS[kind] ?? kind,
  );
}

/** What is held of a thing that a kind of difference is about: a place in a group, an account, or a value. */
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
