import { assertNever } from '../../domain/errors.ts';
import type { DriftDecision } from '../../reconcile/repair/decisions.ts';
import type { DriftDecisions } from '../../reconcile/repair/keeper.ts';
import { type Answer, type Problem, problem, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Decisions about one drift. */
export type DriftDecisionSource = Pick<DriftDecisions, 'repair' | 'accept' | 'ignore'>;

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
    handle: async ({ decideDrifts }: Needs, { params, operator }) =>
      toAnswer(202, await decideDrifts.repair(params.id, operator.name)),
  }),
  route({
    method: 'post',
    path: '/drifts/{id}/accept',
    tag: 'Sweeps and drift',
    summary: 'Takes what is observed as what is desired.',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    handle: async ({ decideDrifts }: Needs, { params }) =>
      toAnswer(200, await decideDrifts.accept(params.id)),
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
      return toAnswer(200, await decideDrifts.ignore(params.id, ignoring));
    },
  }),
] as const;

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
