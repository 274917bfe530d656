import { Router } from 'express';
import { jsonBody, parseBody } from './body.ts';
import type { HealthSources } from './health.ts';
import { InvalidRequest } from './invalid-request.ts';
import { toWritesView, type WritesView } from './writes-view.ts';

/** Characters of a reason. */
const REASON_MAX = 500;

/** What an operator can do about all changes at once. */
export interface WritesSource {
  readonly pause: (reason: string | null) => Promise<unknown>;
  readonly resume: () => Promise<void>;
  readonly read: () => Promise<WritesView>;
}

/** The pause of a process, and what waits in its store. */
export function createWritesSource(
  { pause, resume }: Pick<WritesSource, 'pause' | 'resume'>,
  { writes, readBacklog }: Pick<HealthSources, 'writes' | 'readBacklog'>,
): WritesSource {
  return { pause, resume, read: async () => toWritesView(writes(), await readBacklog()) };
}

/**
 * `POST /pause` with `{ "reason": "…" }` or nothing has every process change nothing in the service; `POST /resume` ends
 * that. Both may be repeated, and answer how it stands.
 */
export function createWritesRouter({ pause, resume, read }: WritesSource): Router {
  const router = Router();
  router.post('/pause', jsonBody, async (req, res) => {
    await pause(parseReason(req.body));
    res.set('Cache-Control', 'no-store').json(await read());
  });
  router.post('/resume', async (_req, res) => {
    await resume();
    res.set('Cache-Control', 'no-store').json(await read());
  });
  return router;
}

/** @throws InvalidRequest */
function parseReason(body: unknown): string | null {
  const allowed = `{"reason": "…"} with at most ${REASON_MAX} characters`;
  const { reason = null } = parseBody(body, ['reason'], allowed);
  if (reason === null || (typeof reason === 'string' && reason.length <= REASON_MAX)) return reason;
  throw new InvalidRequest(`The body may be ${allowed}, and nothing else.`);
}
