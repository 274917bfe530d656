import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Access } from '../../access/access.ts';
import { createAdmission } from '../../access/admission.ts';
import type { Attempts } from '../../access/attempts.ts';
import { isFromOwnPage } from '../../access/session-cookie.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Credential, Purpose } from '../../domain/credential.ts';
import { BridgeError, isId } from '../../domain/values.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { OpenRecord } from '../../store/store.ts';
import { ANSWERED, getRequestContext, whenClosed } from '../../telemetry/request-context.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import type { ActNotes } from './body.ts';
import { Problem } from './body.ts';

/** Parts for letting operators in. */
export interface OperatorDeps {
  readonly access: Pick<Access, 'find' | 'sessions'>;
  readonly attempts: Pick<Attempts, 'failed'>;
}

/** Lets operators in, by `Bearer <token>` or a session of the console: else 401, 403, 429 or 503. @see RFC 6750 §2.1, §3 */
export function requireOperator(deps: OperatorDeps): RequestHandler {
  return async (req, res, next) => {
    const token = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const found = await findPresented(res, token, deps);
    if (found === undefined || found.purpose === 'scim') {
      // A session that is over is no guess.
      const presented = token === undefined ? 'nothing' : 'something';
      throw toStranger(presented, await deps.attempts.failed(res, 'ops', presented));
    }
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (token === undefined && !isRead && !isFromOwnPage(req)) {
      const message =
        'A change by a session needs the header X-Scim-Bridge-Console, which only the console sends.';
      throw new Problem(403, 'forbidden', message);
    }
    operators.set(res, found);
    next();
  };
}

/** A token goes before a cookie, which a browser adds by itself. */
async function findPresented(res: Response, token: string | undefined, { access }: OperatorDeps) {
  if (token !== undefined) return access.find(token, res);
  return (await access.sessions.find(res))?.credential;
}

function toStranger(presented: 'nothing' | 'something', retryAfter: number | undefined): Problem {
  if (retryAfter !== undefined) {
    const headers = { 'Retry-After': String(retryAfter) };
    return new Problem(429, 'too-many', 'Too many requests have no valid token.', { headers });
  }
  const problem = presented === 'nothing' ? '' : ', error="invalid_token"';
  const headers = { 'WWW-Authenticate': `Bearer realm="ops"${problem}` };
  const message = 'Present a token of an operator as Bearer token.';
  return new Problem(401, 'unauthorized', message, { headers });
}

/** The roles, the least first: a role may do what those before it may. */
const RANKS: readonly Purpose[] = ['scim', 'metrics', 'reader', 'operator'];

/** Refuses a role that may do less than the one that is needed. To be placed behind `requireOperator`. */
export function requireRole(role: Exclude<Purpose, 'scim'>): RequestHandler {
  return (_req, res, next) => {
    const { purpose } = getOperator(res);
    if (RANKS.indexOf(purpose) >= RANKS.indexOf(role)) return next();
    const may = purpose === 'metrics' ? 'read the metrics' : 'read';
    const message = `This token may ${may}; what is asked for takes one with the role ${role}.`;
    throw new Problem(403, 'forbidden', message, { more: { role } });
  };
}

/** Far more than an operator, their scripts or their monitoring ask for. */
const LIMITS = { perSecond: 200, concurrentMax: 100 } as const;

/** Answers 429 `too-many` beyond the limits of a credential. Behind `requireRole`: what is forbidden takes no place. */
export function limitRequests(clock: Clock): RequestHandler {
  const admission = createAdmission(LIMITS, clock);
  return (_req, res, next) => {
    const { id } = getOperator(res);
    const why = admission.begin(id);
    if (why !== undefined) {
      const { perSecond, concurrentMax } = LIMITS;
      const most = why === 'rate' ? `${perSecond} requests a second` : `${concurrentMax} at once`;
      const message = `More than ${most} with this credential.`;
      throw new Problem(429, 'too-many', message, { headers: { 'Retry-After': '1' } });
    }
    whenClosed(res, () => admission.end(id));
    next();
  };
}

const operators = new WeakMap<Response, Credential>();

/** The credential of the request. @throws Error where the request has not passed `requireOperator` */
export function getOperator(res: Response): Credential {
  const operator = operators.get(res);
  if (operator === undefined) throw new Error('The request has not passed requireOperator.');
  return operator;
}

/** Answers an error as JSON, as the last handler: behind it Express would write it, with what it quotes, beside the log. */
export function answerErrors(
  failed: (fields: { requestId: string; error: unknown }) => void,
): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const problem = res.headersSent ? undefined : findProblem(error);
    if (problem === undefined) failed({ requestId: getRequestContext(res).requestId, error });
    if (res.headersSent) return void res.destroy();
    const { code, message, status, notes } =
      problem ?? (error instanceof StoreError ? UNUSABLE : BROKEN);
    const { more, headers = {}, ...act } = notes;
    noteAct(res, act);
    res.status(status).set({ 'Cache-Control': 'no-store', ...headers });
    res.json({ code, message, ...more });
  };
}

const BROKEN = new Problem(500, 'failed', 'The bridge failed; its log says why.');

const UNUSABLE = new Problem(503, 'store-unusable', 'The store of the bridge cannot be used now.', {
  headers: { 'Retry-After': '5' },
});

function findProblem(error: unknown): Problem | undefined {
  const status = isNamed(error) && typeof error.status === 'number' ? error.status : 500;
  // The parser of bodies takes code and notes from an error that came while it read one.
  if (error instanceof Problem && error.notes !== undefined) return error;
  if (status >= 500) return undefined;
  const message = error instanceof Error ? error.message : 'The body cannot be read.';
  const { code = 'invalid' }: Partial<BridgeError> = error instanceof BridgeError ? error : {};
  return new Problem(status, code, message);
}

/** Notes what a request does, beside what was noted before. */
export function noteAct(res: Response, notes: ActNotes): void {
  noted.set(res, { ...noted.get(res), ...notes });
}

const noted = new WeakMap<Response, ActNotes>();

/** An act of an operator as it is kept: its answer, and what it was about, without names of people. */
export type OperatorAct = ReturnType<typeof toAct>;

/** Opens the record of a request; `toAct` makes the act as it is known before the answer. */
export type OpenAct = (toAct: () => OperatorAct) => OpenRecord<OperatorAct>;

/** Keeps each request that does more than read with what it changes, and its answer. */
export function keepActs(open: OpenAct): RequestHandler {
  return (req, res, next) => {
    const { method, baseUrl } = req;
    if (method === 'GET' || method === 'HEAD' || getOperator(res).purpose !== 'operator')
      return next();
    const record = open(() => toAct(res, baseUrl, undefined));
    res.once(ANSWERED, () => {
      const act = toAct(res, baseUrl, res.statusCode);
      const { acts = [act] } = noted.get(res) ?? {};
      record.end(acts.map((one) => ({ ...act, ...one })));
    });
    record.run(next);
  };
}

/** @param status undefined: there is no answer yet */
function toAct(res: Response, baseUrl: string, status: number | undefined) {
  const { method, route } = res.req;
  const { name: operator, id: credential } = getOperator(res);
  const { requestId, remoteAddress } = getRequestContext(res);
  const { id = '', target, acts: _, ...kept }: ActNotes = noted.get(res) ?? {};
  // An id that was found is no free text of the sender.
  const isLookedUp = status !== undefined && status < 500;
  const isKnown = isLookedUp ? id !== '' && status !== 400 && status !== 404 : isId(id);
  return {
    requestId,
    method,
    // The pattern: ids and names of people do not get into the log.
    route: typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'none',
    status,
    operator,
    credential,
    remoteAddress,
    target: target ?? (isKnown ? id : undefined),
    ...kept,
  };
}
