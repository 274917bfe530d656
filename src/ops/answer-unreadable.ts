import type { ErrorRequestHandler } from 'express';
import { isNamed } from '../upstream/operations/part.ts';
import { InvalidRequest } from './invalid-request.ts';

/** What cannot be understood, is no JSON or is too long is told as JSON: 400 or 413 `invalid`. */
export const answerUnreadable: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const status = findStatus(error);
  if (status === undefined || status >= 500) return next(error);
  const message = error instanceof Error ? error.message : 'The body cannot be read.';
  res.status(status).json({ code: 'invalid', message });
};

function findStatus(error: unknown): number | undefined {
  if (error instanceof InvalidRequest) return 400;
  return isNamed(error) && typeof error.status === 'number' ? error.status : undefined;
}
