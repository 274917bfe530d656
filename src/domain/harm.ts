import { toCount } from './text.ts';

/** Kinds of harm that a repair can do. */
export const HARM_KINDS = [
  'deactivate',
  'removeMember',
  'demoteAdmin',
  'cutAccess',
  'deleteGroup',
] as const;

/** Kind of harm. `cutAccess`: permissions of a group, its roles in a space or document, or licences of a user. */
export type HarmKind = (typeof HARM_KINDS)[number];

/** Time for which harm counts, in milliseconds. */
export const HARM_WINDOW_MS = 24 * 3_600_000;

const HARM_WORDS: Readonly<Record<HarmKind, readonly [one: string, many: string]>> = {
  deactivate: ['person deactivated', 'people deactivated'],
  removeMember: ['member removed from a group', 'members removed from groups'],
  demoteAdmin: ['admin of a group demoted', 'admins of groups demoted'],
  cutAccess: ['person or group with less access', 'people and groups with less access'],
  deleteGroup: ['group deleted', 'groups deleted'],
};

/** Amount of one kind of harm, in words. A user counts once, or once in each group. */
export function toHarmWords(harm: HarmKind, count: number): string {
  return toCount(count, ...HARM_WORDS[harm]);
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

/**
 * Removals that may still leave before the limit of providers can be reached, as the leader knows it. Only the leader
 * removes, and what leaves the window of the limit makes more room, so its count is never too high.
 */
export interface HarmRoom {
  /** Takes room for this harm; false: it is not known whether there is any, and none was taken. */
  take(harms: readonly HarmKind[]): boolean;
  /** Keeps how many more removals the limit allows, as just counted. */
  learn(counted: ReadonlyMap<HarmKind, number>): void;
}

/** Creates the room of one lead, of which nothing is known yet. `countMax` 0: there is no limit. */
export function createHarmRoom({ count: countMax }: { readonly count: number }): HarmRoom {
  const room = new Map<HarmKind, number>();
  return {
    take(harms) {
      if (countMax === 0) return true;
      const byKind = Map.groupBy(harms, (harm) => harm);
      const wanted = [...byKind].map(([harm, all]) => ({
        harm,
        left: (room.get(harm) ?? 0) - all.length,
      }));
      if (wanted.some(({ left }) => left < 0)) return false;
      for (const { harm, left } of wanted) room.set(harm, left);
      return true;
    },
    learn(counted) {
      for (const [harm, left] of counted) room.set(harm, left);
    },
  };
}
