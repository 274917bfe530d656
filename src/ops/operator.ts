import type { Request, RequestHandler, Response } from 'express';
import type { AttemptAnswer, Attempts, FailedAttempt } from '../access/attempts.ts';
import type { FindCredential } from '../access/credential.ts';
import { toFailedAttempt } from '../access/failed-request.ts';
import type { Credential } from '../domain/credential.ts';
import { StoreError } from '../store/store-error.ts';
import { answerUnusable } from './answer-errors.ts';

/** What letting operators in is given. */
export interface OperatorDeps {
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
}

/**
 * Lets requests through that present a token of an operator, or to read one of a reader, as `Bearer <token>`: 401, or
 * 429 when too many fail, for every other, 403 for a reader who wants more, 503 when it could not be looked up.
 * @see RFC 6750 §2.1, §3
 */
export function requireOperator({ findCredential, attempts }: OperatorDeps): RequestHandler {
  return async (req, res, next) => {
    const token = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const found = token === undefined ? undefined : await look(findCredential, token);
    if (found === 'unknown-yet') return answerUnusable(res);
    if (found === undefined || found.purpose === 'scim') {
      const presented = token === undefined ? 'nothing' : 'something';
      const attempt = toFailedAttempt(req, res, { place: 'ops', presented });
      return answerStranger(res, presented, await attempts.failed(attempt));
    }
    if (found.purpose === 'reader' && !isReading(req)) return answerReader(res);
    setOperator(res, found);
    next();
  };
}

/** Whose request it is; behind `requireOperator` somebody's. */
export function getOperator(res: Response): Credential {
  return parseOperator(res.locals.operator);
}

function setOperator(res: Response, credential: Credential): void {
  res.locals.operator = credential;
}

function parseOperator(value: unknown): Credential {
  return (value ?? { id: '', name: '', purpose: 'reader' }) as Credential;
}

async function look(
  find: FindCredential,
  presented: string,
): Promise<Credential | 'unknown-yet' | undefined> {
  try {
    return await find(presented);
  } catch (error) {
    if (error instanceof StoreError) return 'unknown-yet';
    throw error;
  }
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function answerStranger(
  res: Response,
  presented: FailedAttempt['presented'],
  answer: AttemptAnswer,
): void {
  if (answer.kind === 'too-many') {
    res.set('Retry-After', String(answer.retryAfterSeconds));
    const message = 'Too many requests have no valid token.';
    res.status(429).json({ code: 'too-many', message });
    return;
  }
  const problem = presented === 'nothing' ? '' : ', error="invalid_token"';
  res.set('WWW-Authenticate', `Bearer realm="ops"${problem}`);
  const message = 'Present a token of an operator as Bearer token.';
  res.status(401).json({ code: 'unauthorized', message });
}

function answerReader(res: Response): void {
  const message = 'This token may read; what is asked for takes one with the role operator.';
  res.status(403).json({ code: 'forbidden', message, role: 'operator' });
}
