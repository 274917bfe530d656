import { getChangeRow } from '../../domain/change.ts';
import { BY_OPERATOR } from '../../domain/words.ts';
import { type Author, findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import { listAskers } from '../../store/audit/requests.ts';
import { listPlanActionViews, type PlanActionView } from '../../store/plans/actions.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import type { PartQuery } from '../http/list-query.ts';

/** Author of a change or of the difference that it ends. */
interface ActionAuthor {
  /** The id of a provider's credential, the name of an account of the service, or an operator. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An action with its author; undefined: not known. */
export interface AuthoredAction extends PlanActionView {
  /** The same as `id`: actions are listed by it. */
  readonly seq: number;
  readonly author: ActionAuthor | undefined;
}

/** Lists actions of a plan with their authors, in the order of the plan. */
export async function listAuthoredActions(
  db: Db,
  plan: PlanRow,
  { from: afterId, limit }: PartQuery,
): Promise<AuthoredAction[]> {
  const views = await listPlanActionViews(db, plan.id, { afterId, limit });
  const authors = await findActionAuthors(db, plan, views);
  return views.map((view, place) => ({ ...view, seq: view.id, author: authors[place] }));
}

/**
 * Finds who asked for the actions of a plan of removals by providers, else who brought the differences about that the
 * actions end; in their order.
 */
async function findActionAuthors(
  db: Db,
  { source, created_at }: PlanRow,
  actions: readonly PlanActionView[],
): Promise<(ActionAuthor | undefined)[]> {
  return source === 'provider'
    ? listAskers(db, actions)
    : findDifferenceAuthors(db, created_at, actions);
}

async function findDifferenceAuthors(
  db: Db,
  plannedAt: number,
  actions: readonly PlanActionView[],
): Promise<(ActionAuthor | undefined)[]> {
  const drifts = actions.flatMap((action, place) => {
    const kind = getChangeRow(action.kind).repairs;
    const { type, resourceId, memberId } = action;
    const firstSeenAt = action.firstSeenAt ?? plannedAt;
    return kind === undefined ? [] : [{ place, kind, type, resourceId, memberId, firstSeenAt }];
  });
  const authors = await findDriftAuthors(db, drifts);
  const found: (ActionAuthor | undefined)[] = actions.map(() => undefined);
  for (const [index, { place }] of drifts.entries()) found[place] = toAuthor(authors[index]);
  return found;
}

function toAuthor(author: Author | undefined): ActionAuthor | undefined {
  const by = author?.operator ? BY_OPERATOR : toName(author);
  return author === undefined || by === undefined ? undefined : { by, at: author.at };
}

function toName(author: Author | undefined): string | undefined {
  return author?.username ?? author?.address ?? author?.authorId?.toString();
}
