import { setImmediate as nextTurn } from 'node:timers/promises';
import { getChangeRow } from '../../domain/change.ts';
import { findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import { type ChangeAsker, listAskers } from '../../store/audit/requests.ts';
import { listPlanActionViews, type PlanActionView, type PlanRow } from '../../store/plans.ts';
import type { Db } from '../../store/store.ts';
import { OLDEST, type PartQuery } from '../http/list-query.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** The author of a change, or of the difference that it ends: a credential, an account of the service, or an operator. */
type ActionAuthor = Pick<ChangeAsker, 'by' | 'at'>;

/** An action with its author; undefined: not known. Actions are listed by `seq`, which is the id. */
export type AuthoredAction = PlanActionView & {
  readonly seq: number;
  readonly author: ActionAuthor | undefined;
};

/** Lists actions of a plan in its order, with their authors. */
export async function listAuthoredActions(
  db: Db,
  { id, source, created_at: plannedAt }: PlanRow,
  { from: afterId, limit }: PartQuery,
): Promise<AuthoredAction[]> {
  const views = await listPlanActionViews(db, id, { afterId, limit });
  const authors =
    source === 'provider' ? await listAskers(db, views) : await findAuthors(db, plannedAt, views);
  return views.map((view, place) => ({ ...view, seq: view.id, author: authors[place] }));
}

async function findAuthors(
  db: Db,
  plannedAt: number,
  actions: readonly PlanActionView[],
): Promise<(ActionAuthor | undefined)[]> {
  const repairs = actions.filter(({ kind }) => getChangeRow(kind).repairs !== undefined);
  const drifts = repairs.flatMap((action) => {
    const { repairs: kind } = getChangeRow(action.kind);
    return kind ? [{ ...action, kind, first_seen_at: action.first_seen_at ?? plannedAt }] : [];
  });
  const found = await findDriftAuthors(db, drifts);
  return actions.map((action) => {
    const author = found[repairs.indexOf(action)];
    const by = author?.username ?? author?.address ?? author?.authorId?.toString();
    return author && by ? { by, at: author.createdAt } : undefined;
  });
}

/** Counts actions by group, kind and author, the most first. */
export function toParts(actions: readonly AuthoredAction[]): OpsJson<'PlanPart'>[] {
  return addUp(
    actions.map(({ kind, resource_type, resource_id, author }) => {
      const group = resource_type === 'group' ? resource_id : null;
      return { group, kind, by: author?.by ?? null, count: 1 };
    }),
  );
}

/** Adds those up that differ in their count alone, the most first. */
export function addUp<Counted extends { readonly count: number }>(
  all: readonly Counted[],
): Counted[] {
  const added = new Map<string, Counted>();
  for (const one of all) {
    const key = JSON.stringify({ ...one, count: 0 });
    added.set(key, { ...one, count: (added.get(key)?.count ?? 0) + one.count });
  }
  return [...added.values()].toSorted((a, b) => b.count - a.count);
}

/** Time for which the parts of a large plan are used again, in milliseconds. Its authors may become known meanwhile. */
const USED_MS = 60_000;
/** Actions whose authors are found in one turn of the event loop. */
const PART = 50;

type Parts = readonly OpsJson<'PlanPart'>[];

/** The parts that each store was last asked for: a page that follows a plan asks for the same again and again. */
const lastParts = new WeakMap<Db, { key: string; at: number; parts: Promise<Parts> }>();

/** Counts the actions of a plan of each group, kind and author. */
export function findParts(
  { store: { read: db }, clock }: Pick<OpsSources, 'store' | 'clock'>,
  plan: PlanRow,
): Promise<Parts> {
  const key = `${plan.id} ${plan.hash}`;
  const at = clock.now();
  const last = lastParts.get(db);
  if (last?.key === key && at - last.at < USED_MS) return last.parts;
  const parts = readParts(db, plan);
  lastParts.set(db, { key, at, parts });
  parts.catch(() => lastParts.delete(db));
  return parts;
}

async function readParts(db: Db, plan: PlanRow): Promise<OpsJson<'PlanPart'>[]> {
  const all: AuthoredAction[] = [];
  for (let from: number = OLDEST; ; await nextTurn()) {
    const part = await listAuthoredActions(db, plan, { from, limit: PART });
    all.push(...part);
    if (part.length < PART) return toParts(all);
    from = part.at(-1)?.id ?? from;
  }
}
