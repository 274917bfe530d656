import { type RequestHandler, type Response, Router } from 'express';
import { assertNever } from '../domain/errors.ts';
import type { Decision } from '../reconcile/recovery/decide.ts';
import { jsonBody, parseHash } from './body.ts';
import { noteTarget } from './operator-acts.ts';
import type { RecoveryView } from './recovery-view.ts';

/** What an operator can see and decide. */
export interface RecoverySource extends DecisionSource {
  readonly read: () => Promise<RecoveryView>;
}

/** What an operator can decide about the plan that waits. */
export interface DecisionSource {
  readonly approve: (hash: string) => Promise<Decision>;
  readonly discard: (hash: string) => Promise<Decision>;
}

/**
 * `GET /` shows where recovery stands, `POST /approve` and `POST /discard` decide about the plan whose hash the
 * body names: `{ "hash": "…" }`. 409 when another plan waits, or none.
 */
export function createRecoveryRouter({ read, ...decisions }: RecoverySource): Router {
  const router = Router();
  router.get('/', async (_req, res) => {
    res.set('Cache-Control', 'no-store').json(await read());
  });
  return addDecisions(router, decisions);
}

/** Adds both decisions to a router. */
export function addDecisions(router: Router, { approve, discard }: DecisionSource): Router {
  router.post('/approve', jsonBody, decide(approve));
  return router.post('/discard', jsonBody, decide(discard));
}

function decide(decision: (hash: string) => Promise<Decision>): RequestHandler {
  return async (req, res) => {
    const hash = parseHash(req.body);
    const decided = await decision(hash);
    if (decided.kind === 'done') noteTarget(res, hash);
    answer(res, decided);
  };
}

function answer(res: Response, decision: Decision): void {
  switch (decision.kind) {
    case 'done': {
      const { released, dropped } = decision;
      res.json({ released, dropped });
      return;
    }
    case 'no-plan':
      res.status(409).json({ code: 'no-plan', message: 'No plan waits for a decision.' });
      return;
    case 'other-plan': {
      const message = 'Another plan waits by now: look at it first.';
      res.status(409).json({ code: 'other-plan', message, hash: decision.hash });
      return;
    }
    default:
      assertNever(decision);
  }
}
