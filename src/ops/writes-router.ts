import express, { Router } from 'express';
import type { HealthSources } from './health.ts';
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
  router.post('/pause', express.json({ limit: '16kb' }), async (req, res) => {
    const asked = findReason(req.body);
    if (asked === undefined) {
      const message = `The body may be {"reason": "…"}, with ${REASON_MAX} characters at most, and nothing else.`;
      res.status(400).json({ code: 'invalid', message });
      return;
    }
    await pause(asked.reason);
    res.set('Cache-Control', 'no-store').json(await read());
  });
  router.post('/resume', async (_req, res) => {
    await resume();
    res.set('Cache-Control', 'no-store').json(await read());
  });
  return router;
}

/** Undefined: the body is something else. */
function findReason(body: unknown): { reason: string | null } | undefined {
  if (body === undefined) return { reason: null };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (Object.keys(body).some((name) => name !== 'reason')) return undefined;
  const reason: unknown = 'reason' in body ? body.reason : null;
  if (reason === null) return { reason };
  return typeof reason === 'string' && reason.length <= REASON_MAX ? { reason } : undefined;
}
