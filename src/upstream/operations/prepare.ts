import { type FileInput, isFileInput } from './file-input.ts';
import type { Fields, Operation } from './operation.ts';
import { compilePart, isFileType, isNamed, type Named, toName } from './part.ts';
import { compileQuery } from './query.ts';

/** A call turned into what goes over the wire. */
export interface PreparedRequest extends PreparedBody {
  /** Path with query, without the base URL. */
  readonly path: string;
}

/** Turns `{ path, query, body }` into a request. @throws TypeError naming the first parameter that is wrong. */
export type Prepare = (args: unknown) => PreparedRequest;

/**
 * The compiled form of a row: names, types and the path are examined once, not at every call.
 * @param prefix stands before the row's path, without a slash at its end.
 */
export function compileOperation(operation: Operation, prefix: string): Prepare {
  const { id, pathParameters = {}, query = {}, queryStyle = {}, conditions } = operation;
  const fillPath = compilePath(id, prefix + operation.path, pathParameters);
  const checkQuery = compilePart(`${id}: query`, query);
  const toQuery = compileQuery(id, queryStyle);
  const toBody = compileBody(operation);
  return (args) => {
    const parts = checkArgs(operation, args);
    const path = fillPath(parts.path);
    checkQuery(parts.query);
    const body = toBody(parts.body);
    if (conditions !== undefined) assertChosen(id, conditions, parts);
    return { path: parts.query === undefined ? path : path + toQuery(parts.query), ...body };
  };
}

interface Parts {
  readonly path: Named | undefined;
  readonly query: Named | undefined;
  readonly body: unknown;
  readonly everything: boolean;
}

function checkArgs({ id, conditions }: Operation, args: unknown): Parts {
  if (!isNamed(args)) throw new TypeError(`${id}: arguments must be an object`);
  const known = ['path', 'query', 'body', ...(conditions === undefined ? [] : ['everything'])];
  for (const name of Object.keys(args)) {
    if (known.includes(name)) continue;
    const last = known.at(-1);
    const names = `${known.slice(0, -1).join(', ')} and ${last}`;
    throw new TypeError(`${id}: unknown part ${name}; there are ${names}`);
  }
  const { path, query, body, everything } = args;
  if (everything !== undefined && everything !== true) {
    throw new TypeError(`${id}: everything must be true`);
  }
  return {
    path: checkPart(id, 'path', path),
    query: checkPart(id, 'query', query),
    body,
    everything: everything === true,
  };
}

/** A call without a condition changes everything, so it must say so. */
function assertChosen(
  id: string,
  conditions: readonly string[],
  { body, everything }: Parts,
): void {
  if (everything) return;
  if (isNamed(body) && conditions.some((name) => body[name] !== undefined)) return;
  const names = conditions.join(', ');
  throw new TypeError(
    `${id}: no condition is given (${names}), so it would change everything; everything: true says that it is to`,
  );
}

function checkPart(id: string, part: string, value: unknown): Named | undefined {
  if (value === undefined || isNamed(value)) return value;
  throw new TypeError(`${id}: ${part} must be an object`);
}

function compilePath(
  id: string,
  template: string,
  fields: Fields,
): (values: Named | undefined) => string {
  const label = `${id}: path`;
  const requiredFields = Object.entries(fields).map(([name, type]) => [`${name}*`, type]);
  const check = compilePart(label, Object.fromEntries(requiredFields));
  // Every odd piece is a parameter name: '/groups/', 'group_uid', '/users'.
  const pieces = template.split(/\{(\w+)\}/);
  return (values) => {
    check(values);
    let path = '';
    for (const [index, piece] of pieces.entries()) {
      path += index % 2 === 0 ? piece : encodeSegment(label, piece, values?.[piece]);
    }
    return path;
  };
}

/** One path segment that can neither leave its place nor vanish from it. */
function encodeSegment(label: string, name: string, value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..' || !text.isWellFormed()) {
    throw new TypeError(`${label}.${name} cannot be part of a path`);
  }
  return encodeURIComponent(text);
}

/** A body as it goes over the wire: one of the two, or neither. */
export interface PreparedBody {
  /** JSON text. */
  readonly body: string | undefined;
  /** A form instead. */
  readonly form?: PreparedForm;
}

/** Fields of a form, as a part of the arguments of an operation. */
export interface PreparedForm {
  readonly id: string;
  readonly part: 'body' | 'form';
  readonly fields: Named;
  readonly findFile: (name: string, value: unknown) => FileInput | undefined;
}

/** Checks the body of a call and turns it into what is sent. @throws TypeError naming the first field that is wrong. */
function compileBody({
  id,
  body: row,
  content = 'json',
}: Operation): (given: unknown) => PreparedBody {
  const body = row ?? {};
  const check = compilePart(`${id}: body`, body);
  const fileNames = listFileNames(body);
  const findFile = (name: string, value: unknown) =>
    fileNames.includes(name) && isFileInput(value) ? value : undefined;

  return (given) => {
    const fields = checkPart(id, 'body', given);
    check(fields);
    if (fields === undefined || row === undefined) return { body: undefined };
    const isForm = content === 'multipart' || fileNames.some((name) => fields[name] !== undefined);
    if (!isForm) return { body: JSON.stringify(fields) };
    return { body: undefined, form: { id, part: 'body', fields, findFile } };
  };
}

function listFileNames(body: Fields): string[] {
  return Object.entries(body)
    .filter(([, type]) => isFileType(type))
    .map(([written]) => toName(written));
}
