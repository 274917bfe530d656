import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { BridgeError } from '../../domain/errors.ts';
import { assertUtf8, isStorable } from '../../domain/text.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { isNamed } from '../../upstream/operations/part.ts';

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
 * @throws InvalidRequest with the description of what is wrong
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
  throw new InvalidRequest(findWords(schema, issue?.path ?? []) ?? 'The body is not understood.');
}

/** Says what a body may be, or the member at this path: the description of the innermost one that has any. */
function findWords(
  schema: unknown,
  path: readonly PropertyKey[],
  subject = 'The body',
): string | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return (
      (path.length > 0 ? undefined : schema.description) ??
      findWords(schema.unwrap(), path, subject)
    );
  }
  if (!(schema instanceof z.ZodObject)) {
    const words = schema instanceof z.ZodType ? schema.description : undefined;
    return words && `${subject}: ${words}`;
  }
  const [name, ...rest] = path;
  if (name !== undefined) return findWords(schema.shape[String(name)], rest, String(name));
  const members = Object.keys(schema.shape).map((member) => `"${member}"`);
  return `${subject} may be {${members.join(', ')}}, and nothing else.`;
}

/** An operator's request that cannot be understood: 400, because nothing may be guessed. */
export class InvalidRequest extends BridgeError {
  override readonly name = 'InvalidRequest';
  readonly status = 400;
  constructor(message: string) {
    super('invalid', message);
  }
}

type TellFailed = (fields: { requestId: string; error: unknown }) => void;

const RETRY_SECONDS = 5;

/**
 * Turns an error of a handler into an answer as JSON: 400 or 413 `invalid` for a request that cannot be understood, is no
 * JSON or is too long, the code of a refused credential, 503 `store-unusable`, 500 `failed`. The last handler of each
 * application: behind it Express would write the error, with what it quotes, beside the log.
 */
export function answerErrors(failed: TellFailed): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    if (res.headersSent) {
      failed({ requestId: getRequestId(res), error });
      res.destroy();
      return;
    }
    const status = isNamed(error) && typeof error.status === 'number' ? error.status : 500;
    if (status < 500) {
      const message = error instanceof Error ? error.message : 'The body cannot be read.';
      // The parser of bodies takes the code from an error that came while it read one.
      const { code = 'invalid' }: Partial<BridgeError> = error instanceof BridgeError ? error : {};
      res.status(status).json({ code, message });
      return;
    }
    failed({ requestId: getRequestId(res), error });
    if (error instanceof StoreError) return answerUnusable(res);
    res.status(500).json({ code: 'failed', message: 'The bridge failed; its log says why.' });
  };
}

/** Answers 503: the store does not answer now. */
export function answerUnusable(res: Response): void {
  const message = 'The store of the bridge cannot be used now.';
  res.set('Retry-After', String(RETRY_SECONDS));
  res.status(503).json({ code: 'store-unusable', message });
}
