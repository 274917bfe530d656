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
  const found: (ActionAuthor | undefined)[] = actions.map(() => undefined);
  const drifts = actions.flatMap((action, place) => {
    const kind = getChangeRow(action.kind).repairs;
    const firstSeenAt = action.firstSeenAt ?? plannedAt;
    return kind === undefined ? [] : [{ ...action, place, kind, firstSeenAt }];
  });
  for (const [index, author] of (await findDriftAuthors(db, drifts)).entries()) {
    const { place = 0 } = drifts[index] ?? {};
    found[place] = toAuthor(author);
  }
  return found;
}

function toAuthor(author: Author | undefined): ActionAuthor | undefined {
  if (author === undefined) return undefined;
  const { username, address, authorId, operator, at } = author;
  const by = operator ? BY_OPERATOR : (username ?? address ?? authorId?.toString());
  return by === undefined ? undefined : { by, at };
}
