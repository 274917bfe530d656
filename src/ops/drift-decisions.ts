import { type Response, Router } from 'express';
import { assertNever } from '../domain/errors.ts';
import type { DriftDecision, Ignoring } from '../reconcile/drift/decisions.ts';
import type { DriftKeeper } from '../reconcile/drift/keeper.ts';
import { jsonBody, parseBody } from './body.ts';
import { InvalidRequest } from './invalid-request.ts';
import { getOperator } from './operator.ts';

const TEXT_MAX = 500;

/** What decides about one drift. */
export type DriftDecisionSource = Pick<DriftKeeper, 'repair' | 'accept' | 'ignore'>;

/**
 * `POST /{id}/repair` brings the service to what is desired: 202 with the id of the plan. `POST /{id}/accept` takes what
 * is observed as what is desired. `POST /{id}/ignore` `{ until, reason, by }` leaves it alone until then; without `by`
 * it is the operator who says so.
 */
export function createDriftDecisionRouter({ repair, accept, ignore }: DriftDecisionSource): Router {
  const router = Router();
  router.post('/:id/repair', async (req, res) =>
    answer(res, await repair(req.params.id, getOperator(res).name)),
  );
  router.post('/:id/accept', async (req, res) => answer(res, await accept(req.params.id)));
  router.post('/:id/ignore', jsonBody, async (req, res) => {
    answer(res, await ignore(req.params.id, parseIgnoring(req.body, getOperator(res).name)));
  });
  return router;
}

const IGNORING = '{"until": "2027-01-31T00:00:00Z", "reason": "…", "by": "…"}';

function parseIgnoring(body: unknown, operator: string): Ignoring {
  const { until, reason, by = operator } = parseBody(body, ['until', 'reason', 'by'], IGNORING);
  const at = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (isText(reason) && isText(by) && Number.isFinite(at)) return { until: at, reason, by };
  throw new InvalidRequest(
    `The body has to be ${IGNORING}: until when, why, and who says so, if it is somebody else.`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= TEXT_MAX;
}

function answer(res: Response, decision: DriftDecision): void {
  switch (decision.kind) {
    case 'done': {
      const { drift, plan } = decision;
      res.status(plan === undefined ? 200 : 202);
      res.json({ id: drift.id, ...(plan === undefined ? {} : { planId: plan.id }) });
      return;
    }
    case 'unknown':
      res.status(404).json({ code: 'unknown-drift', message: 'There is no drift with this id.' });
      return;
    case 'not-open': {
      const message = `Nothing is to be decided: the drift is ${decision.drift.status}.`;
      res.status(409).json({ code: 'not-open', message });
      return;
    }
    case 'not-possible': {
      const message =
        'This cannot be done: nobody asked for the resource, or somebody protected would lose something, or the service holds something else by now.';
      res.status(409).json({ code: 'not-possible', message });
      return;
    }
    default:
      assertNever(decision);
  }
}
