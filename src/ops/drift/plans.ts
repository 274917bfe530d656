import { getChangeRow } from '../../domain/change.ts';
import { assertNever } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type ActionStatus, PLAN_STATUSES } from '../../domain/plan.ts';
import type { PlanDecision } from '../../reconcile/repair/decisions.ts';
import type { DriftDecisions } from '../../reconcile/repair/keeper.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  countPlanActions,
  listPlanActionViews,
  type PlanActionView,
} from '../../store/plans/actions.ts';
import { findPlan, listPlans, type PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { NEWEST, OLDEST, type PartQuery, readList, readPage, toPage } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { PlanActionAnswer, PlanAnswer, PlanPart, PlanSummary } from '../schemas/plans.ts';
import type { SeatsView } from '../schemas/seats.ts';
import { toPlanSeats } from '../state/seats.ts';
import { type ActionAuthor, findActionAuthors } from './plan-authors.ts';
import { createPlanSums, sumUp, toParts } from './plan-sums.ts';

/** Actions of a plan that are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;

/** An action with its author; undefined: not known. */
interface AuthoredAction extends PlanActionView {
  readonly author: ActionAuthor | undefined;
}

type PlanDecisions = Pick<DriftDecisions, 'approve' | 'discard' | 'undo' | 'previewUndo'>;

/** The plans of a store, and the decisions about them. */
export interface PlanSource extends PlanDecisions {
  readonly find: (id: string) => Promise<PlanRow | undefined>;
  readonly list: (page: Parameters<typeof listPlans>[1]) => Promise<PlanRow[]>;
  /** Actions with their authors, in the order of the plan. */
  readonly listActions: (
    plan: PlanRow,
    page: { afterId: number; limit: number },
  ) => Promise<AuthoredAction[]>;
  readonly countActions: (id: string) => Promise<ReadonlyMap<ActionStatus, number>>;
  /** Counts the actions by group, kind and author. */
  readonly listParts: (plan: PlanRow) => Promise<readonly PlanPart[]>;
  readonly readSeats: () => Promise<SeatsView>;
}

/** The plans of a store. */
export function createPlanSource(
  db: Db,
  clock: { now(): number },
  { approve, discard, undo, previewUndo, readSeats }: PlanDecisions & Pick<PlanSource, 'readSeats'>,
): PlanSource {
  const listActions: PlanSource['listActions'] = async (plan, page) => {
    const views = await listPlanActionViews(db, plan.id, page);
    const authors = await findActionAuthors(db, plan, views);
    return views.map((view, place) => ({ ...view, author: authors[place] }));
  };
  return {
    find: (id) => findPlan(db, id),
    list: (page) => listPlans(db, page),
    listActions,
    listParts: createPlanSums({ read: listActions, clock }),
    countActions: (id) => countPlanActions(db, id),
    readSeats,
    approve,
    discard,
    undo,
    previewUndo,
  };
}

interface Needs {
  readonly plans: PlanSource;
}

/** Requests that show plans, and decide about them. */
export const planRoutes = [
  route({
    method: 'get',
    path: '/plans',
    tag: 'Plans',
    summary: 'Plans, the newest first.',
    filters: { status: PLAN_STATUSES },
    answers: { 200: 'PlanList' },
    async handle({ plans }: Needs, { query }) {
      const { status } = query.filters;
      const read = ({ from: beforeSeq, limit }: PartQuery) =>
        plans.list({ status, beforeSeq, limit });
      return ok(await readList(query, NEWEST, read, toSummary));
    },
  }),
  route({
    method: 'get',
    path: '/plans/{id}',
    tag: 'Plans',
    summary: 'One plan with its first actions.',
    answers: { 200: 'Plan', 404: 'Problem' },
    async handle({ plans }: Needs, { params }) {
      const row = await plans.find(params.id);
      return row === undefined ? unknownPlan() : ok(await toAnswer(plans, row));
    },
  }),
  route({
    method: 'get',
    path: '/plans/{id}/actions',
    tag: 'Plans',
    summary: 'All actions of a plan.',
    filters: {},
    answers: { 200: 'PlanActionList', 404: 'Problem' },
    async handle({ plans }: Needs, { params: { id }, query }) {
      const plan = await plans.find(id);
      if (plan === undefined) return unknownPlan();
      const read = async ({ from: afterId, limit }: PartQuery) => {
        const views = await plans.listActions(plan, { afterId, limit });
        return views.map((view) => ({ ...view, seq: view.id }));
      };
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
    async handle({ plans }: Needs, { params: { id }, query }) {
      const plan = await plans.find(id);
      if (plan === undefined) return unknownPlan();
      return ok(toPage(await plans.listParts(plan), query));
    },
  }),
  route({
    method: 'post',
    path: '/plans/{id}/approve',
    tag: 'Plans',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: 'HashBody',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: ({ plans }: Needs, { params: { id }, body, operator }) =>
      decide(plans, id, () => plans.approve(id, body.hash, operator.name)),
  }),
  route({
    method: 'post',
    path: '/plans/{id}/discard',
    tag: 'Plans',
    summary:
      'Does nothing of a plan that waits. What a plan of removals by providers is about stays as the service has it, and becomes what is desired.',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: ({ plans }: Needs, { params: { id }, operator }) =>
      decide(plans, id, () => plans.discard(id, operator.name)),
  }),
  route({
    method: 'get',
    path: '/plans/{id}/undoing',
    tag: 'Plans',
    summary: 'What undoing a plan would do now.',
    answers: { 200: 'UndoPreview', 404: 'Problem' },
    async handle({ plans }: Needs, { params }) {
      const preview = await plans.previewUndo(params.id);
      return preview === undefined ? unknownPlan() : ok(preview);
    },
  }),
  route({
    method: 'post',
    path: '/plans/{id}/undo',
    tag: 'Plans',
    summary: 'Takes back what a plan did, as far as the provider has written nothing of it since.',
    answers: { 202: 'Undoing', 404: 'Problem', 409: 'Problem' },
    handle: async ({ plans }: Needs, { params, operator }) =>
      answerUndo(plans, await plans.undo(params.id, operator.name)),
  }),
] as const;

type Refused = Answer<404, Problem> | Answer<409, Problem>;

function unknownPlan(): Answer<404, Problem> {
  return problem(404, 'unknown-plan', 'There is no plan with this id.');
}

/** Takes a decision, and notes the states before and after it. */
async function decide(
  source: PlanSource,
  id: string,
  take: () => Promise<PlanDecision>,
): Promise<Answer<200, PlanAnswer> | Refused> {
  const before = await readState(source, id);
  const answer = await answerDecision(source, await take());
  if (before === undefined) return answer;
  if (answer.status !== 200) return { ...answer, change: { before, after: before } };
  const { status, waiting } = answer.json;
  return { ...answer, change: { before, after: { status, waiting } } };
}

/** The state of a plan for the acts of operators; undefined: there is none. */
async function readState(source: PlanSource, id: string): Promise<JsonObject | undefined> {
  const plan = await source.find(id);
  if (plan === undefined) return undefined;
  return { status: plan.status, waiting: (await source.countActions(id)).get('planned') ?? 0 };
}

async function answerDecision(
  source: PlanSource,
  decision: PlanDecision,
): Promise<Answer<200, PlanAnswer> | Refused> {
  switch (decision.kind) {
    case 'done':
      return ok(await toAnswer(source, decision.plan));
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
  source: PlanSource,
  decision: Awaited<ReturnType<PlanSource['undo']>>,
): Promise<Answer<202, PlanAnswer & { readonly leftOut: number }> | Refused> {
  switch (decision.kind) {
    case 'done': {
      const { plan, leftOut } = decision;
      const answer = await toAnswer(source, plan);
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

async function toAnswer(source: PlanSource, row: PlanRow): Promise<PlanAnswer> {
  const shown = await readFirst(source, row);
  const counted = await source.countActions(row.id);
  const summary = toSummary(row);
  const isHeld = row.status === 'held';
  return {
    ...summary,
    seats: isHeld ? toPlanSeats(summary.counts, await source.readSeats()) : null,
    waiting: counted.get('planned') ?? 0,
    dropped: counted.get('dropped') ?? 0,
    done: counted.get('done') ?? 0,
    summary:
      shown.length < ACTIONS_SHOWN ? sumUp(toParts(shown)) : sumUp(await source.listParts(row)),
    actions: shown.map(toActionAnswer),
  };
}

async function readFirst(source: PlanSource, row: PlanRow): Promise<readonly AuthoredAction[]> {
  const read = async ({ from: afterId, limit }: PartQuery) => {
    const actions = await source.listActions(row, { afterId, limit });
    return actions.map((action) => ({ ...action, seq: action.id }));
  };
  return (await readPage({ limit: ACTIONS_SHOWN, from: OLDEST }, read, (rows) => rows)).items;
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
