import { parseFields } from './json.ts';
import { toCount } from './text.ts';

const HARM_WORDS = {
  deactivate: ['person deactivated', 'people deactivated'],
  removeMember: ['member removed from a group', 'members removed from groups'],
  demoteAdmin: ['admin of a group demoted', 'admins of groups demoted'],
  cutAccess: ['person or group with less access', 'people and groups with less access'],
  deleteGroup: ['group deleted', 'groups deleted'],
} as const;

/** Kind of harm. `cutAccess`: permissions of a group, its roles in a space or document, or licences of a user. */
export type HarmKind = keyof typeof HARM_WORDS;

/** Kinds of harm that a repair can do. */
export const HARM_KINDS = parseFields<HarmKind>(HARM_WORDS);

/** Time for which harm counts, in milliseconds. */
export const HARM_WINDOW_MS = 24 * 3_600_000;

/** Amount of one kind of harm, in words. A user counts once, or once in each group. */
export function toHarmWords(harm: HarmKind, count: number): string {
  const [one, many] = HARM_WORDS[harm];
  return toCount(count, one, many);
}

/** Names of the opposites of harms, which have the same limits. */
export const GRANT_NAMES: Readonly<Record<HarmKind, string>> = {
  deactivate: 'activate',
  removeMember: 'addMember',
  demoteAdmin: 'promoteAdmin',
  cutAccess: 'widenAccess',
  deleteGroup: 'createGroup',
};

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
