import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { PlanAnswer } from '../schemas/plans.ts';

/** Numbers of the actions of a plan by kind and author, the most first. */
export type PlanSum = PlanAnswer['summary'];

/** An action as it is counted. */
export interface CountedAction {
  readonly kind: PlanSum[number]['kind'];
  /** Undefined: not known. */
  readonly author: { readonly by: string } | undefined;
}

/** Counts actions by kind and author. */
export function sumUp(actions: readonly CountedAction[]): PlanSum {
  const counted = new Map<string, PlanSum[number]>();
  for (const { kind, author } of actions) {
    const by = author?.by ?? null;
    const key = JSON.stringify([kind, by]);
    counted.set(key, { kind, by, count: (counted.get(key)?.count ?? 0) + 1 });
  }
  return [...counted.values()].toSorted((a, b) => b.count - a.count);
}

/** Time for which the sum of a large plan is used again, in milliseconds. Its authors may become known meanwhile. */
const USED_MS = 60_000;
/** Plans whose sums are remembered; the sum that was made first is forgotten first. */
const PLANS_MAX = 20;

/** Dependencies of `createPlanSums`. */
export interface PlanSumsDeps {
  /** Reads the next actions of a plan; fewer than `limit` are the last. */
  readonly read: (
    plan: PlanRow,
    page: { afterId: number; limit: number },
  ) => Promise<readonly (CountedAction & { readonly id: number })[]>;
  readonly clock: { now(): number };
}

/** Actions whose authors are found in one turn of the event loop. */
const PART = 50;

/**
 * Creates a sum of large plans, whose every author is looked up: it is made once for all who look within a minute, since
 * a page that follows a plan asks each second.
 */
export function createPlanSums({ read, clock }: PlanSumsDeps): (plan: PlanRow) => Promise<PlanSum> {
  const made = new Map<string, { readonly at: number; readonly sum: Promise<PlanSum> }>();

  async function make(plan: PlanRow): Promise<PlanSum> {
    const all: CountedAction[] = [];
    for (let afterId = 0; ; await nextTurn()) {
      const part = await read(plan, { afterId, limit: PART });
      all.push(...part.map(({ kind, author }) => ({ kind, author })));
      if (part.length < PART) return sumUp(all);
      afterId = part.at(-1)?.id ?? afterId;
    }
  }

  return (plan) => {
    const key = `${plan.id} ${plan.hash}`;
    const known = made.get(key);
    if (known !== undefined && clock.now() - known.at < USED_MS) return known.sum;
    const sum = make(plan);
    made.delete(key);
    made.set(key, { at: clock.now(), sum });
    const [oldest] = made.keys();
    if (made.size > PLANS_MAX && oldest !== undefined) made.delete(oldest);
    sum.catch(() => made.delete(key));
    return sum;
  };
}
