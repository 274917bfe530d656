import { type Response, Router } from 'express';
import type { DriftKind } from '../domain/drift.ts';
import { assertNever } from '../domain/errors.ts';
import type { HarmKind } from '../domain/harm.ts';
import type { JsonValue } from '../domain/json.ts';
import {
  type ActionStatus,
  PLAN_STATUSES,
  type PlanOrigin,
  type PlanStatus,
} from '../domain/plan.ts';
import type { PlanDecision } from '../reconcile/drift/decisions.ts';
import type { DriftKeeper } from '../reconcile/drift/keeper.ts';
import type { Db } from '../store/database.ts';
import { parseStored } from '../store/documents.ts';
import {
  findPlan,
  listPlanActionViews,
  listPlans,
  type PlanActionView,
  type PlanRow,
} from '../store/plans.ts';
import { jsonBody, parseHash } from './body.ts';
import { type PartQuery, parseListQuery, parseSeq, readPage } from './list-query.ts';
import { getOperator } from './operator.ts';

/** How many actions of a plan are shown with it; `/actions` pages through all. */
const ACTIONS_SHOWN = 200;

/** Where plans are read, and decided about. */
export interface PlanSource extends Pick<DriftKeeper, 'approve' | 'discard' | 'undo'> {
  readonly find: (id: string) => Promise<PlanRow | undefined>;
  readonly list: (page: Parameters<typeof listPlans>[1]) => Promise<PlanRow[]>;
  readonly listActions: (
    id: string,
    page: { afterId: number; limit: number },
  ) => Promise<PlanActionView[]>;
}

/** The plans of a store. */
export function createPlanSource(
  db: Db,
  { approve, discard, undo }: Pick<DriftKeeper, 'approve' | 'discard' | 'undo'>,
): PlanSource {
  return {
    find: (id) => findPlan(db, id),
    list: (page) => listPlans(db, page),
    listActions: (id, page) => listPlanActionViews(db, id, page),
    approve,
    discard,
    undo,
  };
}

/** How many actions a plan has. */
export interface PlanCounts {
  readonly total: number;
  readonly kinds: Readonly<Partial<Record<DriftKind, number>>>;
  readonly harm: Readonly<Partial<Record<HarmKind, number>>>;
}

/** A plan as an operator is shown it. Moments are ISO 8601. */
export interface PlanSummary {
  readonly id: string;
  /** What `approve` has to be given. */
  readonly hash: string;
  readonly status: PlanStatus;
  readonly source: PlanOrigin;
  /** Why it waits, or why nothing of it is done. */
  readonly reason: string | null;
  readonly counts: PlanCounts;
  /** The plan that this one undoes. */
  readonly undoes: string | null;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  /** The name of the operator's credential; null: nobody was asked. */
  readonly decidedBy: string | null;
  readonly endedAt: string | null;
}

/** One action of a plan. Names are personal. */
export interface PlanActionAnswer {
  readonly kind: DriftKind;
  readonly resource: {
    readonly type: 'user' | 'group';
    readonly id: string;
    readonly name: string | null;
  };
  readonly member: { readonly id: string; readonly name: string | null } | null;
  /** What the service was seen to hold, and what it is to hold. */
  readonly observed: JsonValue;
  readonly desired: JsonValue;
  readonly harm: HarmKind | null;
  readonly status: ActionStatus;
  readonly reason: string;
}

/** A plan with its first actions. */
export interface PlanAnswer extends PlanSummary {
  readonly actions: readonly PlanActionAnswer[];
}

/**
 * `GET /` lists plans, the newest first; `GET /{id}` shows one with its first actions, `GET /{id}/actions` all of them.
 * `POST /{id}/approve` `{ hash }`, `POST /{id}/discard` and `POST /{id}/undo` decide.
 */
export function createPlanRouter(source: PlanSource): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    const { limit, cursor, filters } = parseListQuery(req.query, { status: PLAN_STATUSES });
    const status = PLAN_STATUSES.find((one) => one === filters.status);
    const answer = await readPage(
      { from: parseSeq(cursor, Number.MAX_SAFE_INTEGER), limit },
      ({ from: beforeSeq, limit: some }) => source.list({ status, beforeSeq, limit: some }),
      (rows) => rows.map(toSummary),
    );
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.get('/:id', async (req, res) => {
    const row = await source.find(req.params.id);
    if (row === undefined) return answerUnknown(res);
    res.set('Cache-Control', 'no-store').json(await toAnswer(source, row));
  });
  router.get('/:id/actions', async (req, res) => {
    const { limit, cursor } = parseListQuery(req.query, {});
    if ((await source.find(req.params.id)) === undefined) return answerUnknown(res);
    const list = async ({ from: afterId, limit: some }: PartQuery) => {
      const views = await source.listActions(req.params.id, { afterId, limit: some });
      return views.map((view) => ({ ...view, seq: view.id }));
    };
    const page = { from: parseSeq(cursor, 0), limit };
    const answer = await readPage(page, list, (rows) => rows.map(toActionAnswer));
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.post('/:id/approve', jsonBody, async (req, res) => {
    const hash = parseHash(req.body);
    await answerDecision(
      source,
      res,
      await source.approve(req.params.id, hash, getOperator(res).name),
    );
  });
  router.post('/:id/discard', async (req, res) =>
    answerDecision(source, res, await source.discard(req.params.id, getOperator(res).name)),
  );
  router.post('/:id/undo', (req, res) => answerUndo(source, res, req.params.id));
  return router;
}

function answerUnknown(res: Response): void {
  res.status(404).json({ code: 'unknown-plan', message: 'There is no plan with this id.' });
}

async function answerDecision(
  source: PlanSource,
  res: Response,
  decision: PlanDecision,
): Promise<void> {
  switch (decision.kind) {
    case 'done':
      res.json(await toAnswer(source, decision.plan));
      return;
    case 'unknown':
      return answerUnknown(res);
    case 'not-held': {
      const message = `The plan does not wait for a decision: it is ${decision.plan.status}.`;
      res.status(409).json({ code: 'not-held', message });
      return;
    }
    case 'other-hash': {
      const message = 'The plan has another hash: look at it first.';
      res.status(409).json({ code: 'other-plan', message, hash: decision.plan.hash });
      return;
    }
    default:
      assertNever(decision);
  }
}

async function answerUndo(source: PlanSource, res: Response, id: string): Promise<void> {
  const decision = await source.undo(id, getOperator(res).name);
  switch (decision.kind) {
    case 'done': {
      const { plan, leftOut } = decision;
      res.status(202).json({ ...(await toAnswer(source, plan)), leftOut });
      return;
    }
    case 'unknown':
      return answerUnknown(res);
    case 'undoing': {
      const { id: undoing } = decision.plan;
      const message = `Plan ${undoing} undoes it already.`;
      res.status(409).json({ code: 'being-undone', message, plan: undoing });
      return;
    }
    case 'nothing': {
      const { leftOut } = decision;
      const message =
        'Nothing of it can be undone: it was not done, or the provider has written it since, or it is neither a membership, an admin nor an active flag.';
      res.status(409).json({ code: 'nothing-to-undo', message, leftOut });
      return;
    }
    default:
      assertNever(decision);
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
    counts: parseStored<PlanCounts>(row.counts),
    undoes,
    createdAt: new Date(row.created_at).toISOString(),
    decidedAt: toMoment(row.decided_at),
    decidedBy: row.decided_by,
    endedAt: toMoment(row.ended_at),
  };
}

async function toAnswer(source: PlanSource, row: PlanRow): Promise<PlanAnswer> {
  const views = await source.listActions(row.id, { afterId: 0, limit: ACTIONS_SHOWN });
  return { ...toSummary(row), actions: views.map(toActionAnswer) };
}

function toActionAnswer(view: PlanActionView): PlanActionAnswer {
  const { kind, type, resourceId, name, memberId, memberName } = view;
  const { desired, observed, harm, status } = view;
  return {
    kind,
    resource: { type, id: resourceId, name },
    member: memberId === '' ? null : { id: memberId, name: memberName },
    observed,
    desired,
    harm,
    status,
    reason: REASONS[kind],
  };
}

/** What is done, in words for an operator. */
const REASONS: Readonly<Record<DriftKind, string>> = {
  'user.missing': 'is wanted and has no account: it is made anew',
  'user.deactivated': 'is wanted active: activate',
  'user.activated': 'is wanted inactive: deactivate',
  'user.renamed': 'has another name: rename',
  'user.access': 'has other licences or is suspended otherwise: set as wanted',
  'user.unmanaged': 'nobody asked for it: nothing is done',
  'group.missing': 'is wanted and is not there: it is made anew',
  'group.renamed': 'has another name: rename',
  'group.permissions': 'has other permissions: set as wanted',
  'group.unmanaged': 'nobody asked for it: nothing is done',
  'member.added': 'nobody asked for this member: remove',
  'member.removed': 'is wanted as a member: add',
  'admin.added': 'nobody asked for this admin: demote',
  'admin.removed': 'is wanted as an admin: promote',
};

function toMoment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
