import type { DriftStatus } from '../../domain/drift.ts';
import { assertNever } from '../../domain/errors.ts';
import type { DriftDecision } from '../../reconcile/repair/decisions.ts';
import type { DriftDecisions } from '../../reconcile/repair/keeper.ts';
import type { Change } from '../http/operator-acts.ts';
import { type Answer, type Problem, problem, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Decisions about one drift. */
export interface DriftDecisionSource extends Pick<DriftDecisions, 'repair' | 'accept' | 'ignore'> {
  /** Finds the status of a drift. */
  readonly findStatus: (id: string) => Promise<DriftStatus | undefined>;
}

interface Needs {
  readonly decideDrifts: DriftDecisionSource;
}

/** Requests that decide about one drift. */
export const driftRoutes = [
  route({
    method: 'post',
    path: '/drifts/{id}/repair',
    tag: 'Sweeps and drift',
    summary: 'Has the service hold what is desired, by a plan.',
    answers: { 202: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ decideDrifts }: Needs, { params, operator }) {
      const before = await decideDrifts.findStatus(params.id);
      const decision = await decideDrifts.repair(params.id, operator.name);
      return { ...toAnswer(202, decision), change: toChange(before, decision, 'repairing') };
    },
  }),
  route({
    method: 'post',
    path: '/drifts/{id}/accept',
    tag: 'Sweeps and drift',
    summary: 'Takes what is observed as what is desired.',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ decideDrifts }: Needs, { params }) {
      const before = await decideDrifts.findStatus(params.id);
      const decision = await decideDrifts.accept(params.id);
      return { ...toAnswer(200, decision), change: toChange(before, decision, 'accepted') };
    },
  }),
  route({
    method: 'post',
    path: '/drifts/{id}/ignore',
    tag: 'Sweeps and drift',
    summary: 'Leaves it alone until a date.',
    body: 'IgnoreBody',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ decideDrifts }: Needs, { params, operator, body }) {
      const { until, reason, by = operator.name } = body;
      const ignoring = { until: Date.parse(until), reason, by };
      const before = await decideDrifts.findStatus(params.id);
      const decision = await decideDrifts.ignore(params.id, ignoring);
      return { ...toAnswer(200, decision), change: toChange(before, decision, 'ignored') };
    },
  }),
] as const;

/** States for the acts of operators; a decision that was not taken leaves a drift as it was. */
function toChange(
  before: DriftStatus | undefined,
  decision: DriftDecision,
  after: DriftStatus,
): Change {
  const status = before ?? null;
  return {
    before: { status },
    after: { status: decision.kind === 'done' ? after : status },
  };
}

type DecisionAnswer<Status extends number> =
  | Answer<Status, OpsJson<'DriftDecision'>>
  | Answer<404, Problem>
  | Answer<409, Problem>;

/** The answer to a decision; `status` where it was done. */
function toAnswer<Status extends number>(
  status: Status,
  decision: DriftDecision,
): DecisionAnswer<Status> {
  switch (decision.kind) {
    case 'done': {
      const { drift, plan } = decision;
      return { status, json: { id: drift.id, ...(plan && { planId: plan.id }) } };
    }
    case 'unknown':
      return problem(404, 'unknown-drift', 'There is no drift with this id.');
    case 'not-open': {
      const message = `Nothing is to be decided: the drift is ${decision.drift.status}.`;
      return problem(409, 'not-open', message);
    }
    case 'not-possible': {
      const message =
        'This cannot be done: nobody asked for the resource, or somebody protected would lose something, or the service holds something else by now.';
      return problem(409, 'not-possible', message);
    }
    default:
      return assertNever(decision);
  }
}
