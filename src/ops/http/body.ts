import express, { type RequestHandler } from 'express';
import type { z } from 'zod';
import { assertUtf8, isStorable } from '../../domain/text.ts';
import { InvalidRequest } from './errors.ts';

/** Options of `express.json` that take JSON as it was written, or refuse it. */
export const EXACT_JSON = { verify: assertUtf8, reviver: assertExact } as const;

/**
 * Reads the JSON body of an operator's request, whatever type it says it is: a body that is left unread would
 * make a dry run a real one.
 */
export const jsonBody: ReturnType<typeof express.json> = express.json({
  limit: '32kb',
  type: () => true,
  ...EXACT_JSON,
});

/** Refuses a body where there is none: one that never ends would hold a place. @throws InvalidRequest */
export const refuseBody: RequestHandler = ({ headers }, _res, next) => {
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = headers;
  if (Number(length) > 0 || encoding !== undefined) throw new InvalidRequest('A GET has no body.');
  next();
};

function assertExact(name: string, value: unknown): unknown {
  const isText = typeof value === 'string';
  if (!isStorable(name) || (isText && !isStorable(value))) {
    throw new InvalidRequest(
      'The body holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row.',
    );
  }
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new InvalidRequest('The body holds a number of more digits than can be kept.');
}

/**
 * The body of a request as its schema has it; no body is an empty object.
 * @throws InvalidRequest with the words of the schema
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // An unknown member says that another body was meant, which matters more than a wrong value.
  const issue = issues.find(({ path }) => path.length === 0) ?? issues[0];
  throw new InvalidRequest(issue?.message ?? 'The body cannot be understood.');
}
