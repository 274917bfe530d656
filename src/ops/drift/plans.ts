import { CHANGES } from '../../domain/change.ts';
import { findDriftAuthors } from '../../reconcile/audit/events.ts';
import { listAskers } from '../../store/logs.ts';
import type { PlanActionView, PlanRow } from '../../store/plans.ts';
import { countPlanActions, listPlanActionViews } from '../../store/plans.ts';
import type { Db } from '../../store/store.ts';
import type { NewestPart } from '../../store/tables.ts';
import { findOne, listNewest } from '../../store/tables.ts';
import { missing, Problem } from '../http/body.ts';
import { OLDEST } from '../http/list-query.ts';
import { listRoute, ok, route } from '../http/route.ts';
import { acts } from '../lists/acts.ts';
import { PLANS } from '../lists/tables.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { readSeats } from '../state/routes.ts';
import { OTHER_HASH, toSubjectView } from './drifts.ts';

/** Actions of a plan that are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;

/** Requests that show plans, and decide about them. */
export const planRoutes = [
  listRoute(
    PLANS,
    ({ store }, { status }, part) => listNewest(store.read, 'plans', { status }, part),
    (row) => toView('PlanSummary', row, {}),
  ),
  route(
    { path: '/plans/{id}', summary: 'One plan with its first actions.', answers: { 200: 'Plan' } },
    async (sources, { params }) => ok(await toPlan(sources, await getPlan(sources, params.id))),
  ),
  listRoute(
    {
      path: '/plans/{id}/actions',
      summary: 'All actions of a plan.',
      filters: {},
      oldestFirst: true,
      answers: { 200: 'PlanActionList' },
    },
    async (sources, _filters, part, { id }) =>
      listActions(sources.store.read, await getPlan(sources, id), part),
    toAction,
  ),
  route(acts.PLAN_APPROVE, (sources, { params: { id }, body, operator }) =>
    decide(sources, id, { status: 'approved', hash: body.hash, by: operator.name }),
  ),
  route(acts.PLAN_DISCARD, (sources, { params: { id }, operator }) =>
    decide(sources, id, { status: 'discarded', hash: undefined, by: operator.name }),
  ),
  route(acts.PLAN_UNDO, (sources, { params, operator }) => undo(sources, params.id, operator.name)),
] as const;

async function getPlan({ store }: OpsSources, id: string): Promise<PlanRow> {
  const plan = await findOne(store.read, 'plans', { id });
  return plan ?? missing('There is no plan with this id.', 'unknown-plan');
}

async function decide(
  sources: OpsSources,
  id: string,
  decision: Parameters<OpsSources['drifts']['decidePlan']>[1],
) {
  const before = await getPlan(sources, id);
  const decided = await sources.drifts.decidePlan(before, decision);
  const { status, hash } = decided ?? (await getPlan(sources, id));
  const change = { before: { status: before.status }, after: { status } };
  if (decided !== undefined) return { ...ok(await toPlan(sources, decided)), change };
  if (status === 'held')
    throw new Problem(409, 'other-plan', OTHER_HASH, { more: { hash }, change });
  const message = `The plan does not wait for a decision: it is ${status}.`;
  throw new Problem(409, 'not-held', message, { change });
}

async function undo(sources: OpsSources, id: string, by: string) {
  const decision = await sources.drifts.undo(await getPlan(sources, id), by);
  if (decision.kind === 'undoing') {
    const { id: plan } = decision.plan;
    throw new Problem(409, 'being-undone', `Plan ${plan} undoes it already.`, { more: { plan } });
  }
  const { leftOut } = decision;
  if (decision.kind === 'nothing') {
    const message =
      'Nothing of it can be undone: it was not done, or the provider has written it since, or rules would give rights for it, or it is neither a membership, an admin, an active flag nor a handover.';
    throw new Problem(409, 'nothing-to-undo', message, { more: { leftOut } });
  }
  const answer = await toPlan(sources, decision.plan);
  const { id: undoneBy, status, counts } = answer;
  const after = { undoneBy, status, changes: counts.total, leftOut };
  return { json: { ...answer, leftOut }, change: { before: { undoneBy: null }, after } };
}

async function toPlan(sources: OpsSources, row: PlanRow): Promise<OpsJson<'Plan'>> {
  const { store } = sources;
  const counted = await countPlanActions(store.read, row.id);
  const actions = await listActions(store.read, row, { limit: ACTIONS_SHOWN, from: OLDEST });
  return toView('Plan', row, {
    seats: row.status === 'held' ? toPlanSeats(row, await readSeats(sources)) : null,
    waiting: counted.get('planned') ?? 0,
    dropped: counted.get('dropped') ?? 0,
    done: counted.get('done') ?? 0,
    summary: toSums(actions),
    actions: actions.map(toAction),
  });
}

function toPlanSeats(row: PlanRow, { free: has }: OpsJson<'Seats'>): OpsJson<'PlanSeats'> {
  const { kinds } = row.counts;
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
  return {
    needs: count('user.create', 'user.activate'),
    frees: count('user.deactivate', 'user.delete'),
    has,
  };
}

type Action = Awaited<ReturnType<typeof listActions>>[number];

function toAction(action: Action): OpsJson<'PlanAction'> {
  const reason = CHANGES[action.kind].words;
  return toView('PlanAction', action, { ...toSubjectView(action), reason });
}

/** Lists actions of a plan in its order, each with the author of the change, or of the difference that it ends. */
async function listActions(db: Db, plan: PlanRow, { from: afterId, limit }: NewestPart) {
  const views = await listPlanActionViews(db, plan.id, { afterId, limit });
  const isAsked = plan.source === 'provider';
  const authors = isAsked ? await listAskers(db, views) : await findAuthors(db, plan, views);
  return views.map((view, place) => {
    const { credential: by, at } = authors[place] ?? {};
    return { ...view, seq: view.id, who: by && at !== undefined ? { by, at } : null };
  });
}

async function findAuthors(db: Db, plan: PlanRow, actions: readonly PlanActionView[]) {
  const drifts = actions.flatMap((action) => {
    const { repairs: kind } = CHANGES[action.kind];
    const first_seen_at = action.first_seen_at ?? plan.created_at;
    return kind ? [{ ...action, kind, first_seen_at }] : [];
  });
  const found = await findDriftAuthors(db, drifts);
  const authors = new Map(drifts.map(({ id }, place) => [id, found[place]]));
  return actions.map(({ id }) => {
    const { username, address, author_id, created_at: at } = authors.get(id) ?? {};
    return { credential: username ?? address ?? author_id?.toString(), at };
  });
}

function toSums(actions: readonly Action[]): OpsJson<'Plan'>['summary'] {
  const groups = Map.groupBy(actions, ({ kind, who }) => JSON.stringify([kind, who?.by]));
  const sums = [...groups.values()].flatMap(([first, ...more]) =>
    first ? [{ kind: first.kind, by: first.who?.by ?? null, count: more.length + 1 }] : [],
  );
  return sums.toSorted((a, b) => b.count - a.count);
}
