import type { ChangeKind } from './change.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import { hasMoreBits } from './mask.ts';
import type { OwnCallKind } from './own-call.ts';

/** Kinds of harm that a repair can do. */
export const HARM_KINDS = [
  'deactivate',
  'removeMember',
  'demoteAdmin',
  'cutAccess',
  'deleteGroup',
] as const;

/** Kind of harm. `cutAccess`: permissions of a group, or licences of a user. */
export type HarmKind = (typeof HARM_KINDS)[number];

/** Time for which harm counts, in milliseconds. */
export const HARM_WINDOW_MS = 24 * 3_600_000;

/**
 * Calls of the ledger by the harm they do. For licences and permissions a call does not say whether they were more
 * before.
 */
export const CALLS_OF_HARM: Readonly<Record<HarmKind, readonly OwnCallKind[]>> = {
  deactivate: ['user.deactivate', 'user.delete'],
  removeMember: ['member.remove'],
  demoteAdmin: ['admin.remove'],
  cutAccess: [],
  deleteGroup: ['group.delete'],
};

/** Finds the harm of a call of the ledger; undefined: none, as far as the ledger says. */
export function findHarmOf(kind: OwnCallKind): HarmKind | undefined {
  return HARM_KINDS.find((harm) => CALLS_OF_HARM[harm].includes(kind));
}

const HARM_WORDS: Readonly<Record<HarmKind, readonly [one: string, many: string]>> = {
  deactivate: ['person deactivated', 'people deactivated'],
  removeMember: ['member removed from a group', 'members removed from groups'],
  demoteAdmin: ['admin of a group demoted', 'admins of groups demoted'],
  cutAccess: ['person or group with less access', 'people and groups with less access'],
  deleteGroup: ['group deleted', 'groups deleted'],
};

/** Amount of one kind of harm, in words. A user counts once, or once in each group. */
export function toHarmWords(harm: HarmKind, count: number): string {
  const [one, many] = HARM_WORDS[harm];
  return `${count} ${count === 1 ? one : many}`;
}

/** A change, as far as harm is concerned. */
interface Change {
  readonly kind: ChangeKind;
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}

/** Finds the harm of making the service hold `desired`; undefined: none. */
export function findHarm(change: Change): HarmKind | undefined {
  switch (change.kind) {
    case 'user.deactivate':
      return 'deactivate';
    case 'member.remove':
      return 'removeMember';
    case 'admin.remove':
      return 'demoteAdmin';
    case 'group.delete':
      return 'deleteGroup';
    case 'user.access':
    case 'group.permissions':
      return holdsMore(change) ? 'cutAccess' : undefined;
    default:
      return undefined;
  }
}

/** True when accepting `observed` as desired, instead of the change, grants access or power that no provider asked for. */
export function isGranting(change: Change): boolean {
  const harm = findHarm(change);
  return harm !== undefined && harm !== 'removeMember';
}

/** Flags that restrict: off is more. */
const RESTRICTING: ReadonlySet<string> = new Set(['temporarilyInactive']);

/** True when the service holds more than desired in any field: bits of a mask, or a flag. */
function holdsMore({ desired, observed }: Change): boolean {
  if (!isJsonObject(observed)) return false;
  const wanted = isJsonObject(desired) ? desired : {};
  return Object.entries(observed).some(([field, held]) => {
    const want = wanted[field];
    if (typeof held === 'number') return hasMoreBits(held, typeof want === 'number' ? want : 0);
    const [isHeld, isWanted] = [held === true, want === true];
    return RESTRICTING.has(field) ? isWanted && !isHeld : isHeld && !isWanted;
  });
}

/** Limit of one kind of harm in 24 hours without an operator's approval. */
export interface HarmLimit {
  readonly count: number;
  /** Share of the users or groups that it could concern. */
  readonly percent: number;
}

/** The limits of repairs; settings: limits.*. */
export interface HarmLimits {
  readonly kinds: Readonly<Record<HarmKind, HarmLimit>>;
  /** Smallest population for which the percentage counts. */
  readonly populationMin: number;
}

/** True when `count` exceeds the limit for a population of this size. */
export function exceedsLimit(
  { kinds, populationMin }: HarmLimits,
  kind: HarmKind,
  { count, population }: { count: number; population: number },
): boolean {
  const limit = kinds[kind];
  if (count > limit.count) return true;
  return population >= populationMin && count * 100 > limit.percent * population;
}
