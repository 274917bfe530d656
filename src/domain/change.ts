import type { LinkList } from './link.ts';
import { toCount } from './text.ts';
import type { JsonValue } from './values.ts';
import { hasMoreBits, isJsonObject, parseFields } from './values.ts';

/** Classes of changes by providers, each with its own service level. `leaver`: out. `joiner`: in. */
export const CHANGE_CLASSES = [
  'leaver',
  'joiner',
  'user',
  'member-removed',
  'member-added',
  'group',
] as const;

/** Class of one change that a provider asked for. */
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** Of each kind of harm one and many of it in words, and the name of its opposite. */
const HARMS = {
  deactivate: ['person deactivated', 'people deactivated', 'activate'],
  removeMember: ['member removed from a group', 'members removed from groups', 'addMember'],
  demoteAdmin: ['admin of a group demoted', 'admins of groups demoted', 'promoteAdmin'],
  cutAccess: [
    'person or group with less access',
    'people and groups with less access',
    'widenAccess',
  ],
  deleteGroup: ['group deleted', 'groups deleted', 'createGroup'],
} as const;

/** Kind of harm. `cutAccess`: permissions of a group, its roles in a space or document, or licences of a user. */
export type HarmKind = keyof typeof HARMS;

/** Kinds of harm that a repair can do. */
export const HARM_KINDS = parseFields<HarmKind>(HARMS);

/** Time for which harm counts, in milliseconds. */
export const HARM_WINDOW_MS = 24 * 3_600_000;

/** Amount of one kind of harm, in words. A user counts once, or once in each group. */
export function toHarmWords(harm: HarmKind, count: number): string {
  const [one, many] = HARMS[harm];
  return toCount(count, one, many);
}

/** Limit of each kind of harm, and of its opposite, in 24 hours without an operator's approval; settings: limits.*. */
export interface HarmLimit {
  readonly count: number;
  /** Share of the users or groups that it could concern. */
  readonly percent: number;
}

/** Smallest population for which the percentage counts. */
const POPULATION_MIN = 50;

/** True when `count` exceeds the limit for a population of this size. */
export function exceedsLimit(
  limit: HarmLimit,
  { count, population }: { count: number; population: number },
): boolean {
  if (count > limit.count) return true;
  return population >= POPULATION_MIN && count * 100 > limit.percent * population;
}

/** Changes of the service, each with its reason for an operator, after the name of the user or group. */
export const CHANGE_WORDS = {
  'user.create': 'is wanted and has no account: create',
  'user.activate': 'is wanted active: activate',
  'user.deactivate': 'is wanted inactive: deactivate',
  'user.rename': 'has another name: rename',
  'user.access': 'has other licences or is suspended otherwise: set as wanted',
  'user.address': 'has another userName or address: try it once',
  'user.delete': 'is a virtual user whom a provider deleted: delete',
  'group.create': 'is wanted and is not there: create',
  'group.rename': 'has another name: rename',
  'group.permissions': 'has other permissions: set as wanted',
  'group.delete': 'was deleted by its provider: delete',
  'member.add': 'is wanted as a member: add',
  'member.remove': 'is not wanted as a member: remove',
  'admin.add': 'is wanted as an admin: promote',
  'admin.remove': 'is not wanted as an admin: demote',
  'entity.add': 'is to have roles in a space or document: add',
  'entity.change': 'has other roles in a space or document: set as wanted',
  'entity.remove': 'is to have no roles in a space or document: remove',
  'user.hand-over': 'goes to another provider: hand over',
  'group.hand-over': 'goes to another provider: hand over',
} as const;

/**
 * Kind of change. `user.access`: licence or suspension. `user.delete`: of a virtual user. `hand-over`: in the bridge
 * alone.
 */
export type ChangeKind = keyof typeof CHANGE_WORDS;

interface ChangeRow {
  /** The list in which it concerns one user, or that it concerns the roles in one entity; absent: fields, or none. */
  readonly about?: LinkList | 'entity';
  /** Drift that it repairs; absent: none. Nothing repairs that an account or a group is unmanaged. */
  readonly repairs?: string;
  /** Harm that it does, `measured`: if its values say so; absent: none. */
  readonly harm?: HarmKind | 'measured';
  /** Harm that it is the opposite of, because it grants access or power; absent: none. */
  readonly grants?: HarmKind;
}

const ROWS = {
  'user.create': { repairs: 'user.missing', grants: 'deactivate' },
  'user.activate': { repairs: 'user.deactivated', grants: 'deactivate' },
  'user.deactivate': { repairs: 'user.activated', harm: 'deactivate' },
  'user.rename': { repairs: 'user.renamed' },
  'user.access': { repairs: 'user.access', harm: 'measured' },
  'user.address': {},
  'user.delete': { harm: 'deactivate' },
  'group.create': { repairs: 'group.missing', grants: 'deleteGroup' },
  'group.rename': { repairs: 'group.renamed' },
  'group.permissions': { repairs: 'group.permissions', harm: 'measured' },
  'group.delete': { harm: 'deleteGroup' },
  'member.add': { about: 'member', repairs: 'member.removed', grants: 'removeMember' },
  'member.remove': { about: 'member', repairs: 'member.added', harm: 'removeMember' },
  'admin.add': { about: 'admin', repairs: 'admin.removed', grants: 'demoteAdmin' },
  'admin.remove': { about: 'admin', repairs: 'admin.added', harm: 'demoteAdmin' },
  'entity.add': { about: 'entity', repairs: 'entity.removed', grants: 'cutAccess' },
  'entity.change': { about: 'entity', repairs: 'entity.changed', harm: 'measured' },
  'entity.remove': { about: 'entity', repairs: 'entity.added', harm: 'cutAccess' },
  'user.hand-over': {},
  'group.hand-over': {},
} as const satisfies Readonly<Record<ChangeKind, ChangeRow>>;

/** Drift of what is managed. */
export type ManagedKind = Extract<(typeof ROWS)[ChangeKind], { repairs: string }>['repairs'];

/** The facts about each kind of change. */
export const CHANGES: Readonly<Record<ChangeKind, ChangeRow & { readonly repairs?: ManagedKind }>> =
  ROWS;

/** All kinds of changes. */
export const CHANGE_KINDS: readonly ChangeKind[] = parseFields<ChangeKind>(CHANGES);

/** One change of one resource, or of one user in a group, by the ids that its call uses. */
export interface SentChange {
  readonly kind: ChangeKind;
  /** Id of the account, or of the group; undefined at a creation. */
  readonly upstreamId?: string | undefined;
  /** Id of the account that comes into the group or leaves it, or the field of the entity (`toEntityField`). */
  readonly memberId?: string;
}

/** Lists the harm of changes, once for each that does any. Of licences and permissions no call says what was there before. */
export const listHarms = (changes: readonly Pick<SentChange, 'kind'>[]) =>
  changes.flatMap(({ kind }) => HARM_KINDS.filter((harm) => CHANGES[kind].harm === harm));

/** Lists the kinds of changes that do this harm, whatever else they change. */
export const listKindsOf = (harm: HarmKind) =>
  CHANGE_KINDS.filter((kind) => CHANGES[kind].harm === harm);

/** A change with its values, as far as harm is concerned. */
type ValuedChange = Readonly<Record<'desired' | 'observed', JsonValue> & { kind: ChangeKind }>;

/** Finds the harm of making the service hold `desired`; undefined: none. */
export function findHarm(change: ValuedChange): HarmKind | undefined {
  const { harm } = CHANGES[change.kind];
  if (harm !== 'measured') return harm;
  return holdsMore(change) ? 'cutAccess' : undefined;
}

/** Finds the limit of a change: that of its harm, or the same under the name of the opposite for what it grants; undefined: none. */
export function findLimit({ kind, harm: done }: { kind: ChangeKind; harm: HarmKind | undefined }) {
  if (done !== undefined) return { name: done, harm: done };
  const { grants, harm } = CHANGES[kind];
  const granted = harm === 'measured' ? 'cutAccess' : grants;
  return granted && { name: HARMS[granted][2], harm: granted };
}

/** True when accepting `observed` as desired, instead of the change, grants access or power that no provider asked for. */
export function isGranting(change: ValuedChange): boolean {
  const harm = findHarm(change);
  return harm !== undefined && harm !== 'removeMember';
}

/** Flags that restrict: off is more. */
const RESTRICTING: ReadonlySet<string> = new Set(['temporarilyInactive']);

/** True when the service holds more than desired in any field: bits of a mask, a role, or a flag. */
export function holdsMore({ desired, observed }: Omit<ValuedChange, 'kind'>): boolean {
  if (!isJsonObject(observed)) return false;
  const wanted = isJsonObject(desired) ? desired : {};
  return Object.entries(observed).some(([field, seen]) => {
    const want = wanted[field];
    if (Array.isArray(seen)) return seen.some((one) => !Array.isArray(want) || !want.includes(one));
    if (typeof seen === 'number') return hasMoreBits(seen, typeof want === 'number' ? want : 0);
    const [isSeen, isWanted] = [seen === true, want === true];
    return RESTRICTING.has(field) ? isWanted && !isSeen : isSeen && !isWanted;
  });
}

/** True for a change of whose a user or group is. */
export const isHandOver = (kind: ChangeKind) => kind.endsWith('.hand-over');

/** Key that tells the changes, or the differences, of one resource apart. */
export const toChangeKey = (change: Readonly<Record<'kind' | 'memberId', string>>) =>
  `${change.kind} ${change.memberId}`;
