import { getChangeRow } from '../../domain/change.ts';
import { assertNever } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PlanDecision, UndoDecision } from '../../reconcile/repair/decide-plan.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countPlanActions } from '../../store/plans/actions.ts';
import { findPlan, listPlans, type PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { NEWEST, OLDEST, type PartQuery, readList, readPage, toPage } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import { PLANS } from '../lists/plans.ts';
import type { PlanActionAnswer, PlanAnswer, PlanSummary } from '../schemas/plans.ts';
import type { OpsSources } from '../sources.ts';
import { toPlanSeats } from '../state/seats.ts';
import { type AuthoredAction, listAuthoredActions } from './plan-authors.ts';
import { sumUp, toParts } from './plan-sums.ts';

/** Actions of a plan that are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;

/** Requests that show plans, and decide about them. */
export const planRoutes = [
  route({
    ...PLANS,
    async handle({ store }: OpsSources, { query }) {
      const { status } = query.filters;
      const read = ({ from: beforeSeq, limit }: PartQuery) =>
        listPlans(store.read, { status, beforeSeq, limit });
      return ok(await readList(query, NEWEST, read, toSummary));
    },
  }),
  route({
    method: 'get',
    path: '/plans/{id}',
    tag: 'Plans',
    summary: 'One plan with its first actions.',
    answers: { 200: 'Plan', 404: 'Problem' },
    async handle(sources: OpsSources, { params }) {
      const row = await findPlan(sources.store.read, params.id);
      return row === undefined ? unknownPlan() : ok(await toAnswer(sources, row));
    },
  }),
  route({
    method: 'get',
    path: '/plans/{id}/actions',
    tag: 'Plans',
    summary: 'All actions of a plan.',
    filters: {},
    answers: { 200: 'PlanActionList', 404: 'Problem' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const plan = await findPlan(db, id);
      if (plan === undefined) return unknownPlan();
      const read = (part: PartQuery) => listAuthoredActions(db, plan, part);
      return ok(await readList(query, OLDEST, read, toActionAnswer));
    },
  }),
  route({
    method: 'get',
    path: '/plans/{id}/parts',
    tag: 'Plans',
    summary: 'How many actions a plan has of each group, kind and author, the most first.',
    filters: {},
    answers: { 200: 'PlanPartList', 404: 'Problem' },
    async handle({ store, planSums }: OpsSources, { params: { id }, query }) {
      const plan = await findPlan(store.read, id);
      if (plan === undefined) return unknownPlan();
      return ok(toPage(await planSums(plan), query));
    },
  }),
  route({
    method: 'post',
    path: '/plans/{id}/approve',
    tag: 'Plans',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: 'HashBody',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: (sources: OpsSources, { params: { id }, body, operator }) =>
      decide(sources, id, { status: 'approved', hash: body.hash, by: operator.name }),
  }),
  route({
    method: 'post',
    path: '/plans/{id}/discard',
    tag: 'Plans',
    summary:
      'Does nothing of a plan that waits. What a plan of removals by providers is about stays as the service has it, and becomes what is desired.',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: (sources: OpsSources, { params: { id }, operator }) =>
      decide(sources, id, { status: 'discarded', hash: undefined, by: operator.name }),
  }),
  route({
    method: 'get',
    path: '/plans/{id}/undoing',
    tag: 'Plans',
    summary: 'What undoing a plan would do now.',
    answers: { 200: 'UndoPreview', 404: 'Problem' },
    async handle({ drifts }: OpsSources, { params }) {
      const preview = await drifts.previewUndo(params.id);
      return preview === undefined ? unknownPlan() : ok(preview);
    },
  }),
  route({
    method: 'post',
    path: '/plans/{id}/undo',
    tag: 'Plans',
    summary: 'Takes back what a plan did, as far as the provider has written nothing of it since.',
    answers: { 202: 'Undoing', 404: 'Problem', 409: 'Problem' },
    handle: async (sources: OpsSources, { params, operator }) =>
      answerUndo(sources, await sources.drifts.undo(params.id, operator.name)),
  }),
] as const;

type Refused = Answer<404, Problem> | Answer<409, Problem>;

function unknownPlan(): Answer<404, Problem> {
  return problem(404, 'unknown-plan', 'There is no plan with this id.');
}

/** Takes a decision, and notes the states before and after it. */
async function decide(
  sources: OpsSources,
  id: string,
  decision: Parameters<OpsSources['drifts']['decidePlan']>[1],
): Promise<Answer<200, PlanAnswer> | Refused> {
  const before = await readState(sources.store.read, id);
  const answer = await answerDecision(sources, await sources.drifts.decidePlan(id, decision));
  if (before === undefined) return answer;
  if (answer.status !== 200) return { ...answer, change: { before, after: before } };
  const { status, waiting } = answer.json;
  return { ...answer, change: { before, after: { status, waiting } } };
}

/** The state of a plan for the acts of operators; undefined: there is none. */
async function readState(db: Db, id: string): Promise<JsonObject | undefined> {
  const plan = await findPlan(db, id);
  if (plan === undefined) return undefined;
  return { status: plan.status, waiting: (await countPlanActions(db, id)).get('planned') ?? 0 };
}

async function answerDecision(
  sources: OpsSources,
  decision: PlanDecision,
): Promise<Answer<200, PlanAnswer> | Refused> {
  switch (decision.kind) {
    case 'done':
      return ok(await toAnswer(sources, decision.plan));
    case 'unknown':
      return unknownPlan();
    case 'not-held': {
      const message = `The plan does not wait for a decision: it is ${decision.plan.status}.`;
      return problem(409, 'not-held', message);
    }
    case 'other-hash': {
      const message = 'The plan has another hash: look at it first.';
      return problem(409, 'other-plan', message, { hash: decision.plan.hash });
    }
    default:
      return assertNever(decision);
  }
}

async function answerUndo(
  sources: OpsSources,
  decision: UndoDecision,
): Promise<Answer<202, PlanAnswer & { readonly leftOut: number }> | Refused> {
  switch (decision.kind) {
    case 'done': {
      const { plan, leftOut } = decision;
      const answer = await toAnswer(sources, plan);
      const { id: undoneBy, status, counts } = answer;
      const after = { undoneBy, status, changes: counts.total, leftOut };
      return {
        status: 202,
        json: { ...answer, leftOut },
        change: { before: { undoneBy: null }, after },
      };
    }
    case 'unknown':
      return unknownPlan();
    case 'undoing': {
      const { id: undoing } = decision.plan;
      return problem(409, 'being-undone', `Plan ${undoing} undoes it already.`, { plan: undoing });
    }
    case 'nothing': {
      const { leftOut } = decision;
      const message =
        'Nothing of it can be undone: it was not done, or the provider has written it since, or it is neither a membership, an admin, an active flag nor a handover.';
      return problem(409, 'nothing-to-undo', message, { leftOut });
    }
    default:
      return assertNever(decision);
  }
}

function toSummary(row: PlanRow): PlanSummary {
  const { id, hash, status, source, reason, undoes } = row;
  return {
    id,
    hash,
    status,
    source,
    reason,
    counts: parseStored<PlanSummary['counts']>(row.counts),
    undoes,
    createdAt: toMoment(row.created_at),
    decidedAt: toMoment(row.decided_at),
    decidedBy: row.decided_by,
    endedAt: toMoment(row.ended_at),
  };
}

async function toAnswer(sources: OpsSources, row: PlanRow): Promise<PlanAnswer> {
  const { store, status, planSums } = sources;
  const read = (part: PartQuery) => listAuthoredActions(store.read, row, part);
  const first = { limit: ACTIONS_SHOWN, from: OLDEST };
  const { items: shown } = await readPage(first, read, (rows) => rows);
  const counted = await countPlanActions(store.read, row.id);
  const summary = toSummary(row);
  const isHeld = row.status === 'held';
  return {
    ...summary,
    seats: isHeld ? toPlanSeats(summary.counts, await status.readSeats()) : null,
    waiting: counted.get('planned') ?? 0,
    dropped: counted.get('dropped') ?? 0,
    done: counted.get('done') ?? 0,
    summary: sumUp(shown.length < ACTIONS_SHOWN ? toParts(shown) : await planSums(row)),
    actions: shown.map(toActionAnswer),
  };
}

function toActionAnswer(view: AuthoredAction): PlanActionAnswer {
  const { kind, type, resourceId, name, memberId, memberName } = view;
  const { desired, observed, harm, status, author } = view;
  return {
    kind,
    resource: { type, id: resourceId, name },
    member: memberId === '' ? null : { id: memberId, name: memberName },
    observed,
    desired,
    harm,
    status,
    reason: getChangeRow(kind).words,
    who: author === undefined ? null : { by: author.by, at: toMoment(author.at) },
  };
}
