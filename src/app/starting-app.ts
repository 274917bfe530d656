import { type ParsedUrlQuery, parse } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import { type FollowDeps, followRequests } from '../ops/http/follow-requests.ts';
import type { Readiness } from '../ops/state/reasons.ts';
import { unavailable } from '../scim/errors.ts';
import { sendError } from '../scim/http/respond.ts';

/** A start takes a second or two; providers wait longer by themselves. */
const RETRY_SECONDS = 2;
const DETAIL = 'The bridge is starting.';

const readiness: Readiness = {
  status: 'unavailable',
  reasons: [
    {
      code: 'starting',
      detail: 'The process is starting and serves nothing yet.',
      remedy: 'Wait a few seconds. When it does not end, the log says what the start waits for.',
    },
  ],
  leader: null,
};

/**
 * Answers from the moment that a port is open until the bridge can: the process is alive (`/healthz`), it is not ready
 * (`/readyz`), and everything else is 503 with `Retry-After`, as JSON for operators and in the form of SCIM for others.
 */
export function createStartingApp(deps: FollowDeps): Express {
  const app = createApp();
  app.use(followRequests(deps));
  app.get('/healthz', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  app.get('/readyz', (_req, res) => {
    res.set({ 'Cache-Control': 'no-store', 'Retry-After': String(RETRY_SECONDS) });
    res.status(503).json(readiness);
  });
  app.use(['/ops', '/metrics', '/console'], answerOperator);
  return app.use((_req, res) => sendError(res, unavailable(DETAIL, RETRY_SECONDS)));
}

const answerOperator: RequestHandler = (_req, res) => {
  res.set('Retry-After', String(RETRY_SECONDS));
  res.status(503).json({ code: 'starting', message: DETAIL });
};

/**
 * Creates an application: every answer sets its own ETag, and no header names the software. `trustProxy` says whose
 * word about the address of a client is believed.
 */
export function createApp(trustProxy: number | string[] = 0): Express {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery);
  return app.set('trust proxy', trustProxy);
}

/** Reads every parameter, since the length of an address is limited: by itself Node drops those behind the thousandth. */
function parseQuery(query: string): ParsedUrlQuery {
  return parse(query, '&', '=', { maxKeys: 0 });
}
