import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanActionView } from '../../store/plans/actions.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { OLDEST } from '../http/list-query.ts';
import type { PlanAnswer, PlanPart } from '../schemas/plans.ts';
import { listAuthoredActions } from './plan-authors.ts';

/** An action as it is counted; no author: not known. */
export interface CountedAction extends Pick<PlanActionView, 'kind' | 'type' | 'resourceId'> {
  readonly author: { readonly by: string } | undefined;
}

/** Counts the actions of a plan by group, kind and author, the most first. */
export function toParts(actions: readonly CountedAction[]): PlanPart[] {
  return add(
    actions.map(({ kind, type, resourceId, author }) => ({
      ...{ group: type === 'group' ? resourceId : null, kind, by: author?.by ?? null, count: 1 },
    })),
  );
}

/** Adds the parts of a plan up by kind and author, the most first. */
export function sumUp(parts: readonly PlanPart[]): PlanAnswer['summary'] {
  return add(parts.map(({ kind, by, count }) => ({ kind, by, count })));
}

/** Adds those up that differ in their count alone. */
function add<Counted extends { readonly count: number }>(all: readonly Counted[]): Counted[] {
  const added = new Map<string, Counted>();
  for (const one of all) {
    const key = JSON.stringify({ ...one, count: 0 });
    added.set(key, { ...one, count: (added.get(key)?.count ?? 0) + one.count });
  }
  return [...added.values()].toSorted((a, b) => b.count - a.count);
}

/** Time for which the parts of a large plan are used again, in milliseconds. Its authors may become known meanwhile. */
const USED_MS = 60_000;
/** Plans whose parts are remembered; those that were made first are forgotten first. */
const PLANS_MAX = 20;

/** Reads how many actions a plan has of each group, kind and author. */
export type PlanSums = (plan: PlanRow) => Promise<readonly PlanPart[]>;

/** Actions whose authors are found in one turn of the event loop. */
const PART = 50;

/**
 * Creates a reader of the parts of plans, whose every author is looked up: it is done once for all who look within a
 * minute, since a page that follows a plan asks each second.
 */
export function createPlanSums(db: Db, clock: { now(): number }): PlanSums {
  const made = new Map<string, { readonly at: number; readonly parts: ReturnType<PlanSums> }>();

  async function make(plan: PlanRow): Promise<readonly PlanPart[]> {
    const all: CountedAction[] = [];
    for (let from: number = OLDEST; ; await nextTurn()) {
      const part = await listAuthoredActions(db, plan, { from, limit: PART });
      all.push(...part);
      if (part.length < PART) return toParts(all);
      from = part.at(-1)?.id ?? from;
    }
  }

  return (plan) => {
    const key = `${plan.id} ${plan.hash}`;
    const known = made.get(key);
    if (known !== undefined && clock.now() - known.at < USED_MS) return known.parts;
    const parts = make(plan);
    made.delete(key);
    made.set(key, { at: clock.now(), parts });
    const [oldest] = made.keys();
    if (made.size > PLANS_MAX && oldest !== undefined) made.delete(oldest);
    parts.catch(() => made.delete(key));
    return parts;
  };
}
