import type { Response } from 'express';
import type { BulkResult } from '../bulk/run-bulk.ts';
import type { ScimType } from '../errors.ts';

/** What handlers know of a request that its log is to tell. */
interface Noted {
  /** Why it was refused. */
  readonly scimType?: ScimType | undefined;
  /** What became of the operations of a bulk request. */
  readonly operations?: readonly BulkResult[];
}

/** Keeps with the answer what the log of requests is to tell. */
export function note(res: Response, noted: Noted): void {
  res.locals.noted = { ...getNoted(res), ...noted };
}

/** What was kept until now. */
export function getNoted(res: Response): Noted {
  return parseNoted(res.locals.noted);
}

function parseNoted(value: unknown): Noted {
  return (value ?? {}) as Noted;
}
