import type { JsonValue } from './values.ts';
import { hasMoreBits, isJsonObject, parseFields, toCount } from './values.ts';

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
export const toHarmWords = (harm: HarmKind, count: number) =>
  toCount(count, HARMS[harm][0], HARMS[harm][1]);

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

/** Limit of a change: of the harm that it does, of its opposite where it grants access or power, or as its values say. */
type Limit = HarmKind | (typeof HARMS)[HarmKind][2] | 'measured';

const row = <Drift extends string | undefined>(
  repairs: Drift,
  limit: Limit | undefined,
  words: string,
) => ({ repairs, limit, words });

/**
 * Changes of the service, with the drift that each repairs, its limit, and its reason for an operator, after the name of the
 * user or group. Nothing repairs that an account or a group is unmanaged.
 */
export const CHANGES = {
  'user.create': row('user.missing', 'activate', 'is wanted and has no account: create'),
  'user.activate': row('user.deactivated', 'activate', 'is wanted active: activate'),
  'user.deactivate': row('user.activated', 'deactivate', 'is wanted inactive: deactivate'),
  'user.rename': row('user.renamed', undefined, 'has another name: rename'),
  /** Licence or suspension. */
  'user.access': row(
    'user.access',
    'measured',
    'has other licences or is suspended otherwise: set as wanted',
  ),
  'user.address': row(undefined, undefined, 'has another userName or address: try it once'),
  'user.delete': row(undefined, 'deactivate', 'is a virtual user whom a provider deleted: delete'),
  'group.create': row('group.missing', 'createGroup', 'is wanted and is not there: create'),
  'group.rename': row('group.renamed', undefined, 'has another name: rename'),
  'group.permissions': row('group.permissions', 'measured', 'has other permissions: set as wanted'),
  'group.delete': row(undefined, 'deleteGroup', 'was deleted by its provider: delete'),
  'member.add': row('member.removed', 'addMember', 'is wanted as a member: add'),
  'member.remove': row('member.added', 'removeMember', 'is not wanted as a member: remove'),
  'admin.add': row('admin.removed', 'promoteAdmin', 'is wanted as an admin: promote'),
  'admin.remove': row('admin.added', 'demoteAdmin', 'is not wanted as an admin: demote'),
  'entity.add': row(
    'entity.removed',
    'widenAccess',
    'is to have roles in a space or document: add',
  ),
  'entity.change': row(
    'entity.changed',
    'measured',
    'has other roles in a space or document: set as wanted',
  ),
  'entity.remove': row(
    'entity.added',
    'cutAccess',
    'is to have no roles in a space or document: remove',
  ),
  /** In the bridge alone. */
  'user.hand-over': row(undefined, undefined, 'goes to another provider: hand over'),
  'group.hand-over': row(undefined, undefined, 'goes to another provider: hand over'),
};

/** Kind of change. */
export type ChangeKind = keyof typeof CHANGES;

/** All kinds of changes. */
export const CHANGE_KINDS = parseFields<ChangeKind>(CHANGES);

/** One change of one resource, or of one user in a group, by the ids that its call uses. */
export interface SentChange {
  readonly kind: ChangeKind;
  /** Id of the account, or of the group; undefined at a creation. */
  readonly upstreamId?: string | undefined;
  /** Id of the account that comes into the group or leaves it, or the field of the entity (`toEntityField`). */
  readonly memberId?: string;
}

/** Lists the kinds of changes that do this harm, whatever else they change. */
export const listKindsOf = (harm: HarmKind) =>
  CHANGE_KINDS.filter((kind) => CHANGES[kind].limit === harm);

/** Lists the harm of changes, once for each that does any. Of licences and permissions no call says what was there before. */
export const listHarms = (changes: readonly Pick<SentChange, 'kind'>[]) =>
  changes.flatMap(({ kind }) => HARM_KINDS.filter((harm) => CHANGES[kind].limit === harm));

/** A change with its values, as far as harm is concerned. */
type ValuedChange = Readonly<Record<'desired' | 'observed', JsonValue> & { kind: ChangeKind }>;

/** Finds the harm of making the service hold `desired`; null: none. */
export function findHarm(change: ValuedChange): HarmKind | null {
  if (CHANGES[change.kind].limit === 'measured') return holdsMore(change) ? 'cutAccess' : null;
  return listHarms([change])[0] ?? null;
}

/** Finds the limit of a change and of what it is counted; undefined: none. */
export function findLimit({ kind, harm: done }: { kind: ChangeKind; harm: HarmKind | null }) {
  const { limit } = CHANGES[kind];
  const name = done ?? (limit === 'measured' ? 'widenAccess' : limit);
  const harm = HARM_KINDS.find((one) => one === name || HARMS[one][2] === name);
  return name && harm && { name, harm };
}

/** True when accepting `observed` as desired, instead of the change, grants access or power that no provider asked for. */
export function isGranting(change: ValuedChange): boolean {
  const harm = findHarm(change);
  return harm !== null && harm !== 'removeMember';
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
export const toChangeKey = (change: Readonly<Record<'kind' | 'member_id', string>>) =>
  `${change.kind} ${change.member_id}`;

/** Differences of what is managed, which can arise in the service without a request through the bridge. */
export const MANAGED_KINDS = Object.values(CHANGES).flatMap(({ repairs }) => repairs ?? []);
/** Kinds of what no provider asked for. */
export const UNMANAGED_KINDS = ['user.unmanaged', 'group.unmanaged'] as const;
/** All kinds of drift. */
export const DRIFT_KINDS = [...MANAGED_KINDS, ...UNMANAGED_KINDS] as const;

/** Kind of drift. `*.unmanaged`: an account or group that no provider asked for; it is never touched. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** True for drifts of unmanaged accounts and groups. */
export const isUnmanagedKind = (kind: DriftKind) => kind.endsWith('.unmanaged');

/** Finds the change that repairs a drift; undefined: nothing is done about what is unmanaged. */
export const findRepair = (kind: DriftKind) =>
  CHANGE_KINDS.find((change) => CHANGES[change].repairs === kind);

/** Automatic reactions to a drift. */
export const DRIFT_ACTIONS = ['report', 'repair', 'accept'] as const;

/** Automatic reaction to a drift: show it, bring the service to what is desired, or take what is observed. */
type DriftAction = (typeof DRIFT_ACTIONS)[number];

/** Reaction to each kind of drift; settings: drift.policy. */
export interface DriftPolicy {
  readonly default: DriftAction;
  readonly kinds: Readonly<Partial<Record<DriftKind, DriftAction>>>;
}

/** Statuses of an active drift; of each difference at most one drift is active. */
export const ACTIVE_STATUSES = ['open', 'repairing', 'contested', 'ignored'] as const;
/** The statuses of one that is over. */
export const ENDED_STATUSES = ['repaired', 'accepted', 'gone'] as const;

/** Status of a drift. `contested`: repaired again and again, now only reported. `gone`: it went by itself. */
export type DriftStatus = (typeof ACTIVE_STATUSES)[number] | (typeof ENDED_STATUSES)[number];

/** All statuses of drifts, for filters. */
export const DRIFT_STATUSES: readonly DriftStatus[] = [...ACTIVE_STATUSES, ...ENDED_STATUSES];

/** Detector of a difference: the audit log, a complete comparison, or a look that an operator asked for. */
export type Detector = 'audit' | 'sweep' | 'operator';

/** Difference between what is desired and what the service holds, with no change that waits, in the columns of the store. */
export interface Difference {
  readonly kind: DriftKind;
  readonly resource_type: 'user' | 'group';
  /** The SCIM id of the user or group. */
  readonly resource_id: string;
  /** The SCIM id of the user in a list of the group, or the field of the entity (`toEntityField`); empty elsewhere. */
  readonly member_id: string;
  /** Null: it is not desired, or it is not there. */
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}
