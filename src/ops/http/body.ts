import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { assertUtf8, isStorable } from '../../domain/text.ts';
import { BridgeError } from '../../domain/values.ts';

/**
 * Reads the JSON body of an operator's request as it was written, whatever type it says it is: a body that is left unread
 * would make a dry run a real one.
 */
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
  // An unknown member says that another body was meant, which matters more than a wrong value.
  const issue = issues.find(({ path }) => path.length === 0) ?? issues[0];
  const isOfNone = issue === undefined || issue.code === 'invalid_union';
  throw new InvalidRequest(toRefusal(schema, isOfNone ? [] : issue.path));
}

/** Says what a body has to be, or the member at this path. */
function toRefusal(schema: unknown, path: readonly PropertyKey[], subject = 'The body'): string {
  const { inner, about } = unwrap(schema);
  const [name, ...rest] = path;
  const part = findPart(inner, name);
  const isOfList = inner instanceof z.ZodArray;
  if (part) return toRefusal(part, rest, isOfList ? `each of ${subject}` : `\`${String(name)}\``);
  if (inner instanceof z.ZodUnion && about !== undefined) return about;
  const kind = toKind(inner);
  if (about === undefined || inner instanceof z.ZodObject) return `${subject} has to be ${kind}.`;
  const said = `${about.charAt(0).toLowerCase()}${about.slice(1)}`;
  return `${subject} has to be ${kind === TEXT ? said : `${kind}. ${about}`}`;
}

/** The schema of a member, or of the entries of a list. */
function findPart(schema: unknown, name: PropertyKey | undefined): unknown {
  if (schema instanceof z.ZodUnion)
    return schema.options.map((one) => findPart(one, name)).find((found) => found !== undefined);
  if (schema instanceof z.ZodArray && name !== undefined) return schema.element;
  return schema instanceof z.ZodObject ? schema.shape[String(name)] : undefined;
}

const TEXT = 'a text';

function toKind(schema: unknown): string {
  if (schema instanceof z.ZodEnum) return `one of: ${schema.options.join(', ')}`;
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodLiteral) return 'true';
  if (schema instanceof z.ZodArray) return 'a list';
  if (schema instanceof z.ZodRecord) return 'an object';
  if (!(schema instanceof z.ZodObject)) return TEXT;
  const members = Object.keys(schema.shape).map((member) => `"${member}"`);
  return `{${members.join(', ')}}, and nothing else`;
}

/** The type of a member without what makes it optional or null, and its description, the outermost. */
export function unwrap(
  schema: unknown,
  words?: string,
): { inner: unknown; about?: string | undefined } {
  const about = words ?? (schema instanceof z.ZodType ? schema.description : undefined);
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap(), about) : { inner: schema, about };
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
