import { setImmediate as nextTurn } from 'node:timers/promises';
import { getChangeRow } from '../../domain/change.ts';
import { findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import { listAskers } from '../../store/audit/requests.ts';
import { listPlanActionViews, type PlanActionView } from '../../store/plans/actions.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { OLDEST, type PartQuery } from '../http/list-query.ts';
import type { OpsJson } from '../schemas/schemas.ts';

interface CountedAction extends Pick<PlanActionView, 'kind' | 'resource_type' | 'resource_id'> {
  readonly author: { readonly by: string } | undefined;
}

/** Counts the actions of a plan by group, kind and author, the most first. */
export function toParts(actions: readonly CountedAction[]): OpsJson<'PlanPart'>[] {
  return add(
    actions.map(({ kind, resource_type: type, resource_id, author }) => ({
      ...{ group: type === 'group' ? resource_id : null, kind, by: author?.by ?? null, count: 1 },
    })),
  );
}

/** Adds the parts of a plan up by kind and author, the most first. */
export function sumUp(parts: readonly OpsJson<'PlanPart'>[]): OpsJson<'Plan'>['summary'] {
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

/** Reads how many actions a plan has of each group, kind and author. */
export type PlanSums = (plan: PlanRow) => Promise<readonly OpsJson<'PlanPart'>[]>;

/** Actions whose authors are found in one turn of the event loop. */
const PART = 50;

/**
 * Creates a reader of the parts of plans, whose every author is looked up: of the plan that was read last it is done
 * once for all who look within a minute, since a page that follows a plan asks again and again.
 */
export function createPlanSums(db: Db, clock: { now(): number }): PlanSums {
  let last:
    | { readonly key: string; readonly at: number; readonly parts: ReturnType<PlanSums> }
    | undefined;

  async function make(plan: PlanRow): Promise<readonly OpsJson<'PlanPart'>[]> {
    const all: CountedAction[] = [];
    for (let from: number = OLDEST; ; await nextTurn()) {
      const part = await listAuthoredActions(db, plan, { from, limit: PART });
      all.push(...part);
      if (part.length < PART) return toParts(all);
      from = part.at(-1)?.id ?? from;
    }
  }

  return (plan) => {
    const [key, at] = [`${plan.id} ${plan.hash}`, clock.now()];
    if (last?.key === key && at - last.at < USED_MS) return last.parts;
    const parts = make(plan);
    last = { key, at, parts };
    parts.catch(() => {
      if (last?.parts === parts) last = undefined;
    });
    return parts;
  };
}

/** Author of a change or of the difference that it ends. */
interface ActionAuthor {
  /** The id of a provider's credential, the name of an account of the service, or an operator. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An action with its author; undefined: not known. */
export type AuthoredAction = PlanActionView & {
  /** The same as `id`: actions are listed by it. */
  readonly seq: number;
  readonly author: ActionAuthor | undefined;
};

/**
 * Lists actions of a plan in its order, with who asked for them where they are removals by providers, else with who
 * brought the differences about that they end.
 */
export async function listAuthoredActions(
  db: Db,
  { id, source, created_at }: PlanRow,
  { from: afterId, limit }: PartQuery,
): Promise<AuthoredAction[]> {
  const views = await listPlanActionViews(db, id, { afterId, limit });
  const isAsked = source === 'provider';
  const authors = isAsked ? await listAskers(db, views) : await findAuthors(db, created_at, views);
  return views.map((view, place) => ({ ...view, seq: view.id, author: authors[place] }));
}

async function findAuthors(
  db: Db,
  plannedAt: number,
  actions: readonly PlanActionView[],
): Promise<(ActionAuthor | undefined)[]> {
  const drifts = actions.flatMap((action, place) => {
    const kind = getChangeRow(action.kind).repairs;
    const first_seen_at = action.first_seen_at ?? plannedAt;
    return kind === undefined ? [] : [{ ...action, place, kind, first_seen_at }];
  });
  const authors = new Map<number, ActionAuthor>();
  for (const [index, author] of (await findDriftAuthors(db, drifts)).entries()) {
    const { username, address, authorId, at = 0 } = author ?? {};
    const by = username ?? address ?? authorId?.toString();
    const place = drifts[index]?.place;
    if (by !== undefined && place !== undefined) authors.set(place, { by, at });
  }
  return actions.map((_, place) => authors.get(place));
}
