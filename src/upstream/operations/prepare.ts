import { type FileInput, isFileInput } from './file-input.ts';
import type { Operation } from './operation.ts';
import { compilePart, isFileType, isNamed, type Named, toName } from './part.ts';

/** A call turned into what goes over the wire. */
export interface PreparedRequest {
  /** Path with query, without the base URL. */
  readonly path: string;
  /** JSON text; undefined where there is a form, or nothing. */
  readonly body: string | undefined;
  readonly form?: PreparedForm;
}

/** Fields of a form, as a part of the arguments of an operation. */
export interface PreparedForm {
  readonly id: string;
  readonly part: 'body' | 'form';
  readonly fields: Named;
  readonly findFile: (name: string, value: unknown) => FileInput | undefined;
}

/** Turns `{ path, query, body }` into a request. @throws TypeError naming the first parameter that is wrong. */
export type Prepare = (args: unknown) => PreparedRequest;

/**
 * The compiled form of a row: names, types and the path are examined once, not at every call.
 * @param prefix stands before the row's path, without a slash at its end.
 */
export function compileOperation(operation: Operation, prefix: string): Prepare {
  const { id, pathParameters = {}, query = {}, queryStyle = {}, conditions } = operation;
  const required = Object.entries(pathParameters).map(([name, type]) => [`${name}*`, type]);
  const checkPath = compilePart(`${id}: path`, Object.fromEntries(required));
  const checkQuery = compilePart(`${id}: query`, query);
  const toBody = compileBody(operation);
  // Every odd piece is a parameter name: '/groups/', 'group_uid', '/users'.
  const pieces = (prefix + operation.path).split(/\{(\w+)\}/);
  return (args) => {
    const parts = checkArgs(operation, args);
    checkPath(parts.path);
    const path = pieces.map((piece, index) =>
      index % 2 === 0 ? piece : encodeSegment(`${id}: path.${piece}`, parts.path?.[piece]),
    );
    checkQuery(parts.query);
    const body = toBody(parts.body);
    if (conditions !== undefined) assertChosen(id, conditions, parts);
    return { path: path.join('') + toQuery(id, parts.query, queryStyle), ...body };
  };
}

type Parts = Readonly<Record<'path' | 'query' | 'body', Named | undefined>> & {
  readonly everything: boolean;
};

function checkArgs({ id, conditions }: Operation, args: unknown): Parts {
  if (!isNamed(args)) throw new TypeError(`${id}: arguments must be an object`);
  const known = ['path', 'query', 'body', ...(conditions === undefined ? [] : ['everything'])];
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${id}: unknown part ${unknown}; there are ${known.join(', ')}`);
  }
  const get = (part: 'path' | 'query' | 'body'): Named | undefined => {
    const value = args[part];
    if (value === undefined || isNamed(value)) return value;
    throw new TypeError(`${id}: ${part} must be an object`);
  };
  const { everything } = args;
  if (everything !== undefined && everything !== true) {
    throw new TypeError(`${id}: everything must be true`);
  }
  const isAll = everything === true;
  return { path: get('path'), query: get('query'), body: get('body'), everything: isAll };
}

/** A call without a condition changes everything, so it must say so. */
function assertChosen(
  id: string,
  conditions: readonly string[],
  { body, everything }: Parts,
): void {
  if (everything || conditions.some((name) => body?.[name] !== undefined)) return;
  const names = conditions.join(', ');
  throw new TypeError(
    `${id}: no condition is given (${names}), so it would change everything; everything: true says that it is to`,
  );
}

/** One path segment that can neither leave its place nor vanish from it. */
function encodeSegment(label: string, value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..' || !text.isWellFormed()) {
    throw new TypeError(`${label} cannot be part of a path`);
  }
  return encodeURIComponent(text);
}

/** Checks the body of a call and turns it into what is sent. @throws TypeError naming the first field that is wrong. */
function compileBody({ id, body: row, content = 'json' }: Operation) {
  const check = compilePart(`${id}: body`, row ?? {});
  const files = Object.entries(row ?? {}).filter(([, type]) => isFileType(type));
  const fileNames = files.map(([written]) => toName(written));
  const findFile = (name: string, value: unknown) =>
    fileNames.includes(name) && isFileInput(value) ? value : undefined;

  return (fields: Named | undefined): Omit<PreparedRequest, 'path'> => {
    check(fields);
    if (fields === undefined || row === undefined) return { body: undefined };
    const hasFile = fileNames.some((name) => fields[name] !== undefined);
    if (content !== 'multipart' && !hasFile) return { body: JSON.stringify(fields) };
    return { body: undefined, form: { id, part: 'body', fields, findFile } };
  };
}

/** Encoding of arrays and objects of one operation in a query. */
type Styles = NonNullable<Operation['queryStyle']>;

/** The query of a call, `?` included; '' when there is nothing to say. @throws TypeError for a value that cannot be in one */
export function toQuery(id: string, query: Named = {}, styles: Styles = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) => {
    const texts = toTexts(`${id}: query.${name}`, value, styles[name]);
    const isBracketed = styles[name] === 'brackets' && Array.isArray(value);
    const key = encodeURIComponent(isBracketed ? `${name}[]` : name);
    return texts.map((text) => `${key}=${encodeURIComponent(text)}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function toTexts(label: string, value: unknown, style: Styles[string] = 'comma'): string[] {
  const isObject = typeof value === 'object';
  if (style === 'json') return [JSON.stringify(value)];
  if (style === 'base64-json' && isObject) {
    return [Buffer.from(JSON.stringify(value)).toString('base64')];
  }
  if (!Array.isArray(value)) return [toText(label, value)];
  const texts = value.map((item) => toText(label, item));
  return style === 'brackets' ? texts : [texts.join(',')];
}

function toText(label: string, value: unknown): string {
  if (typeof value === 'object') throw new TypeError(`${label} cannot travel in a query`);
  const text = String(value);
  if (!text.isWellFormed()) throw new TypeError(`${label} is not well-formed text`);
  return text;
}
