import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeKind } from '../../domain/change.ts';
import { assertNever } from '../../domain/errors.ts';
import { PLAN_STATUSES } from '../../domain/plan.ts';
import type { PlanDecision } from '../../reconcile/repair/decisions.ts';
import type { DriftDecisions } from '../../reconcile/repair/keeper.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  countPlanActions,
  findPlan,
  listPlanActionViews,
  listPlans,
  type PlanActionView,
  type PlanRow,
} from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { NEWEST, OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { PlanActionAnswer, PlanAnswer, PlanSummary } from '../schemas/plans.ts';
import { type ActionAuthor, findActionAuthors } from './plan-authors.ts';

/** Actions of a plan that are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;
/** Actions whose authors are found in one turn of the event loop. */
const PART = 50;

/** An action with its author; undefined: not known. */
interface AuthoredAction extends PlanActionView {
  readonly author: ActionAuthor | undefined;
}

/** The plans of a store, and the decisions about them. */
export interface PlanSource extends Pick<DriftDecisions, 'approve' | 'discard' | 'undo'> {
  readonly find: (id: string) => Promise<PlanRow | undefined>;
  readonly list: (page: Parameters<typeof listPlans>[1]) => Promise<PlanRow[]>;
  /** Actions with their authors, in the order of the plan. */
  readonly listActions: (
    plan: PlanRow,
    page: { afterId: number; limit: number },
  ) => Promise<AuthoredAction[]>;
  readonly countWaiting: (id: string) => Promise<number>;
}

/** The plans of a store. */
export function createPlanSource(
  db: Db,
  { approve, discard, undo }: Pick<DriftDecisions, 'approve' | 'discard' | 'undo'>,
): PlanSource {
  return {
    find: (id) => findPlan(db, id),
    list: (page) => listPlans(db, page),
    async listActions(plan, page) {
      const views = await listPlanActionViews(db, plan.id, page);
      const authors = await findActionAuthors(db, plan, views);
      return views.map((view, place) => ({ ...view, author: authors[place] }));
    },
    countWaiting: async (id) => (await countPlanActions(db, id)).get('planned') ?? 0,
    approve,
    discard,
    undo,
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
    method: 'post',
    path: '/plans/{id}/approve',
    tag: 'Plans',
    summary: 'Does exactly the plan with this hash, as far as it still holds.',
    body: 'HashBody',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: async ({ plans }: Needs, { params, body, operator }) =>
      answerDecision(plans, await plans.approve(params.id, body.hash, operator.name)),
  }),
  route({
    method: 'post',
    path: '/plans/{id}/discard',
    tag: 'Plans',
    summary:
      'Does nothing of a plan that waits. What a plan of removals by providers is about stays as the service has it, and becomes what is desired.',
    answers: { 200: 'Plan', 404: 'Problem', 409: 'Problem' },
    handle: async ({ plans }: Needs, { params, operator }) =>
      answerDecision(plans, await plans.discard(params.id, operator.name)),
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
      return { status: 202, json: { ...(await toAnswer(source, plan)), leftOut } };
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
        'Nothing of it can be undone: it was not done, or the provider has written it since, or it is neither a membership, an admin nor an active flag.';
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
    createdAt: new Date(row.created_at).toISOString(),
    decidedAt: toMoment(row.decided_at),
    decidedBy: row.decided_by,
    endedAt: toMoment(row.ended_at),
  };
}

async function toAnswer(source: PlanSource, row: PlanRow): Promise<PlanAnswer> {
  const shown: AuthoredAction[] = [];
  const counted = new Map<string, SummaryLine>();
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const part: AuthoredAction[] = await source.listActions(row, { afterId, limit: PART });
    shown.push(...part.slice(0, ACTIONS_SHOWN - shown.length));
    for (const { kind, author } of part) {
      const by = author?.by ?? null;
      const key = JSON.stringify([kind, by]);
      const count = (counted.get(key)?.count ?? 0) + 1;
      counted.set(key, { kind, by, count });
    }
    afterId = part.at(-1)?.id;
    // Other requests are served between the parts.
    await nextTurn();
  }
  return {
    ...toSummary(row),
    waiting: await source.countWaiting(row.id),
    summary: [...counted.values()].toSorted((a, b) => b.count - a.count),
    actions: shown.map(toActionAnswer),
  };
}

type SummaryLine = PlanAnswer['summary'][number];

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
    reason: REASONS[kind],
    who: author === undefined ? null : { by: author.by, at: toTime(author.at) },
  };
}

/** The action in words for an operator. */
const REASONS: Readonly<Record<ChangeKind, string>> = {
  'user.create': 'is wanted and has no account: create',
  'user.activate': 'is wanted active: activate',
  'user.deactivate': 'is wanted inactive: deactivate',
  'user.rename': 'has another name: rename',
  'user.access': 'has other licences or is suspended otherwise: set as wanted',
  'group.create': 'is wanted and is not there: create',
  'group.rename': 'has another name: rename',
  'group.permissions': 'has other permissions: set as wanted',
  'group.delete': 'was deleted by its provider: delete',
  'member.add': 'is wanted as a member: add',
  'member.remove': 'is not wanted as a member: remove',
  'admin.add': 'is wanted as an admin: promote',
  'admin.remove': 'is not wanted as an admin: demote',
};

function toMoment(ms: number | null): string | null {
  return ms === null ? null : toTime(ms);
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
