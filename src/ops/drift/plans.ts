import { getChangeRow } from '../../domain/change.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UndoDecision } from '../../reconcile/repair/plans.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countPlanActions, type PlanRow } from '../../store/plans.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listNewest } from '../../store/tables.ts';
import { OLDEST, type PartQuery, readList, toPage } from '../http/list-query.ts';
import { type Answer, listRoute, ok, problem, type Refusal, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { PLAN_APPROVE, PLAN_DISCARD, PLAN_UNDO } from '../lists/acts.ts';
import { PLANS } from '../lists/plans.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { toSubjectView } from './drifts.ts';
import {
  type AuthoredAction,
  addUp,
  findParts,
  listAuthoredActions,
  toParts,
} from './plan-actions.ts';

/** Actions of a plan that are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;

/** Requests that show plans, and decide about them. */
export const planRoutes = [
  listRoute(
    PLANS,
    ({ store }: OpsSources, { status }, part) => listNewest(store.read, 'plans', { status }, part),
    (row) => toView('PlanSummary', row, {}),
  ),
  route({
    path: '/plans/{id}',
    summary: 'One plan with its first actions.',
    answers: { 200: 'Plan' },
    async handle(sources: OpsSources, { params }) {
      const row = await findOne(sources.store.read, 'plans', { id: params.id });
      return row === undefined ? unknownPlan() : ok(await toAnswer(sources, row));
    },
  }),
  route({
    path: '/plans/{id}/actions',
    summary: 'All actions of a plan.',
    filters: {},
    answers: { 200: 'PlanActionList' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const plan = await findOne(db, 'plans', { id });
      if (plan === undefined) return unknownPlan();
      const read = (part: PartQuery) => listAuthoredActions(db, plan, part);
      return ok(await readList(query, OLDEST, read, (actions) => actions.map(toAction)));
    },
  }),
  route({
    path: '/plans/{id}/parts',
    summary: 'How many actions a plan has of each group, kind and author, the most first.',
    filters: {},
    answers: { 200: 'PlanPartList' },
    async handle(sources: OpsSources, { params: { id }, query }) {
      const plan = await findOne(sources.store.read, 'plans', { id });
      return plan === undefined ? unknownPlan() : ok(toPage(await findParts(sources, plan), query));
    },
  }),
  route({
    ...PLAN_APPROVE,
    handle: (sources: OpsSources, { params: { id }, body, operator }) =>
      decide(sources, id, { status: 'approved', hash: body.hash, by: operator.name }),
  }),
  route({
    ...PLAN_DISCARD,
    handle: (sources: OpsSources, { params: { id }, operator }) =>
      decide(sources, id, { status: 'discarded', hash: undefined, by: operator.name }),
  }),
  route({
    ...PLAN_UNDO,
    handle: async (sources: OpsSources, { params, operator }) =>
      answerUndo(sources, await sources.drifts.undo(params.id, operator.name)),
  }),
] as const;

function unknownPlan(): Refusal {
  return problem(404, 'unknown-plan', 'There is no plan with this id.');
}

/** Takes a decision, and notes the states before and after it. */
async function decide(
  sources: OpsSources,
  id: string,
  decision: Parameters<OpsSources['drifts']['decidePlan']>[1],
): Promise<Answer<200, OpsJson<'Plan'>> | Refusal> {
  const before = await readState(sources.store.read, id);
  const decided = await sources.drifts.decidePlan(id, decision);
  if (decided.kind === 'unknown') return unknownPlan();
  const { plan } = decided;
  if (decided.kind === 'done') {
    const answer = await toAnswer(sources, plan);
    const { status, waiting } = answer;
    return { ...ok(answer), change: { ...(before && { before }), after: { status, waiting } } };
  }
  const change = before && { before, after: before };
  const refused =
    decided.kind === 'other-hash'
      ? problem(409, 'other-plan', OTHER_HASH, { hash: plan.hash })
      : problem(409, 'not-held', `The plan does not wait for a decision: it is ${plan.status}.`);
  return { ...refused, ...(change && { change }) };
}

const OTHER_HASH = 'The plan has another hash: look at it first.';

/** The state of a plan for the acts of operators; undefined: there is none. */
async function readState(db: Db, id: string): Promise<JsonObject | undefined> {
  const plan = await findOne(db, 'plans', { id });
  if (plan === undefined) return undefined;
  return { status: plan.status, waiting: (await countPlanActions(db, id)).get('planned') ?? 0 };
}

async function answerUndo(
  sources: OpsSources,
  decision: UndoDecision,
): Promise<Answer<202, OpsJson<'Undoing'>> | Refusal> {
  if (decision.kind === 'unknown') return unknownPlan();
  if (decision.kind === 'undoing') {
    const { id: plan } = decision.plan;
    return problem(409, 'being-undone', `Plan ${plan} undoes it already.`, { plan });
  }
  const { leftOut } = decision;
  if (decision.kind === 'nothing') {
    const message =
      'Nothing of it can be undone: it was not done, or the provider has written it since, or it is neither a membership, an admin, an active flag nor a handover.';
    return problem(409, 'nothing-to-undo', message, { leftOut });
  }
  const answer = await toAnswer(sources, decision.plan);
  const { id: undoneBy, status, counts } = answer;
  const after = { undoneBy, status, changes: counts.total, leftOut };
  return {
    status: 202,
    json: { ...answer, leftOut },
    change: { before: { undoneBy: null }, after },
  };
}

async function toAnswer(sources: OpsSources, row: PlanRow): Promise<OpsJson<'Plan'>> {
  const {
    store: { read: db },
    status,
  } = sources;
  const counted = await countPlanActions(db, row.id);
  const actions = await listAuthoredActions(db, row, { limit: ACTIONS_SHOWN, from: OLDEST });
  const parts = actions.length < ACTIONS_SHOWN ? toParts(actions) : await findParts(sources, row);
  const { kinds } = parseStored<OpsJson<'PlanSummary'>['counts']>(row.counts);
  return toView('Plan', row, {
    seats: row.status === 'held' ? toPlanSeats(kinds, await status.readSeats()) : null,
    waiting: counted.get('planned') ?? 0,
    dropped: counted.get('dropped') ?? 0,
    done: counted.get('done') ?? 0,
    summary: addUp(parts.map(({ kind, by, count }) => ({ kind, by, count }))),
    actions: actions.map(toAction),
  });
}

function toAction(view: AuthoredAction): OpsJson<'PlanAction'> {
  const { kind, author } = view;
  return toView('PlanAction', view, {
    ...toSubjectView(view),
    reason: getChangeRow(kind).words,
    who: author === undefined ? null : { by: author.by, at: toMoment(author.at) },
  });
}

/** Counts the seats that a plan needs and frees, beside those that are free. */
function toPlanSeats(
  kinds: Readonly<Record<string, number>>,
  { free }: OpsJson<'Seats'>,
): OpsJson<'PlanSeats'> {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (kinds[name] ?? 0), 0);
  return {
    needs: count('user.create', 'user.activate'),
    frees: count('user.deactivate', 'user.delete'),
    has: free,
  };
}
