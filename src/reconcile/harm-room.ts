import { findHarmOf, type HarmKind } from '../domain/harm.ts';
import type { OwnCallKind } from '../domain/own-call.ts';

/**
 * Removals that may still leave before the limit of providers can be reached, as the leader knows it. Only the leader
 * removes, and what leaves the window of the limit makes more room, so its count is never too high.
 */
export interface HarmRoom {
  /** Takes room for these changes; false: it is not known whether there is any, and none was taken. */
  take(changes: readonly { readonly kind: OwnCallKind }[]): boolean;
  /** Keeps how many more removals the limit allows, as just counted. */
  learn(counted: ReadonlyMap<HarmKind, number>): void;
}

/** Creates the room of one lead, of which nothing is known yet. `countMax` 0: there is no limit. */
export function createHarmRoom({ count: countMax }: { readonly count: number }): HarmRoom {
  const room = new Map<HarmKind, number>();
  return {
    take(changes) {
      if (countMax === 0) return true;
      const harms = changes.flatMap(({ kind }) => findHarmOf(kind) ?? []);
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
