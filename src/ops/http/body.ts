import type { RequestHandler } from 'express';
import express from 'express';
import { z } from 'zod';
import { assertUtf8, BridgeError, isStorable } from '../../domain/values.ts';

/** Reads a JSON body whatever type it says it is: a body that is left unread would make a dry run a real one. */
export function readJson(limit: string): RequestHandler {
  return express.json({ limit, type: () => true, verify: assertUtf8, reviver: assertExact });
}

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

/** The body of a request as its schema has it; none is an empty object. @throws InvalidRequest that says what is wrong */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isUnion = issues.some(({ code }) => code === 'invalid_union');
  // An unknown member says that another body was meant, which matters more than a wrong value.
  const isOther = isUnion || issues.some(({ path }) => path.length === 0);
  const [{ path = [], message = '' } = {}] = issues;
  const name = path.filter((part) => typeof part === 'string').join('.');
  const said = message.replace(/^.* received undefined$/, 'is missing');
  const words = `\`${name}\`: ${said.replace(/^Invalid (input|option): |\.$/g, '')}.`;
  throw new InvalidRequest(isOther ? toForm(schema) : words);
}

function toForm(schema: z.ZodType): string {
  const members = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const shown = members.map((member) => `"${member}"`).join(', ');
  return schema.description ?? `The body may be {${shown}}, and nothing else.`;
}

/** States before and after an act: ids, words and numbers, never a secret and never a name of a person. */
export interface Change {
  readonly before?: object;
  readonly after?: object;
}

/** Notes of an answer about its act, for the log and the acts that are kept. */
export interface ActNotes {
  /** The id in the address, which may be of nothing. */
  readonly id?: string;
  /** Id of the subject, where the address does not have it or has a name; never a name. */
  readonly target?: string | undefined;
  readonly change?: Change;
  /** What was done, as the command that does it; without one nothing is kept. */
  readonly act?: string;
  /** It concerns everybody, and stands in every timeline. */
  readonly isOfAll?: boolean;
  /** Acts that are kept in the place of the one of the request: one of each subject, and none of what only tells. */
  readonly acts?: readonly { readonly target: string; readonly change: Change }[];
}

interface ProblemNotes extends ActNotes {
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is refused, with its answer and the notes of its act. `code` is stable. */
export class Problem extends BridgeError {
  override readonly name: string = 'Problem';
  readonly status: number;
  readonly notes: ProblemNotes;
  constructor(status: number, code: string, message: string, notes: ProblemNotes = {}) {
    super(code, message);
    this.status = status;
    this.notes = notes;
  }
}

/** An operator's request that cannot be understood: 400, because nothing may be guessed. */
export class InvalidRequest extends Problem {
  override readonly name = 'InvalidRequest';
  constructor(message: string) {
    super(400, 'invalid', message);
  }
}

/** Refuses an id or a name that nothing has. @throws Problem */
export function missing(message = 'Nothing has this id.', code = 'not-found'): never {
  throw new Problem(404, code, message);
}
