import { compileFieldType, type FieldCheck } from './field-type.ts';
import type { Fields, Operation } from './operation.ts';
import { compileQuery } from './query.ts';

/** A call turned into what goes over the wire. */
export interface PreparedRequest {
  /** Path with query, without the base URL. */
  readonly path: string;
  /** JSON text, or undefined when nothing is sent. */
  readonly body: string | undefined;
}

/** Turns `{ path, query, body }` into a request. @throws TypeError naming the first parameter that is wrong. */
export type Prepare = (args: unknown) => PreparedRequest;

/**
 * The compiled form of a row: names, types and the path are looked at once, not at every call.
 * @param prefix stands before the row's path, without a slash at its end.
 */
export function compileOperation(operation: Operation, prefix: string): Prepare {
  const { id, pathParameters = {}, query = {}, body, queryStyle = {} } = operation;
  const fillPath = compilePath(id, prefix + operation.path, pathParameters);
  const checkQuery = compilePart(`${id}: query`, query);
  const toQuery = compileQuery(id, queryStyle);
  const checkBody = compilePart(`${id}: body`, body ?? {});
  return (args) => {
    const parts = checkArgs(id, args);
    const path = fillPath(parts.path);
    checkQuery(parts.query);
    checkBody(parts.body);
    return {
      path: parts.query === undefined ? path : path + toQuery(parts.query),
      body: body === undefined || parts.body === undefined ? undefined : JSON.stringify(parts.body),
    };
  };
}

/** An object whose names we look up by hand. */
type Named = Readonly<Record<string, unknown>>;

interface Parts {
  readonly path: Named | undefined;
  readonly query: Named | undefined;
  readonly body: Named | undefined;
}

function checkArgs(id: string, args: unknown): Parts {
  if (!isNamed(args)) throw new TypeError(`${id}: arguments must be an object`);
  for (const name of Object.keys(args)) {
    if (name !== 'path' && name !== 'query' && name !== 'body') {
      throw new TypeError(`${id}: unknown part ${name}; there are path, query and body`);
    }
  }
  const { path, query, body } = args;
  return {
    path: checkPart(id, 'path', path),
    query: checkPart(id, 'query', query),
    body: checkPart(id, 'body', body),
  };
}

function checkPart(id: string, part: string, value: unknown): Named | undefined {
  if (value === undefined || isNamed(value)) return value;
  throw new TypeError(`${id}: ${part} must be an object`);
}

function compilePart(label: string, fields: Fields): (values: Named | undefined) => void {
  const checks = new Map<string, { check: FieldCheck; type: string }>();
  const required: string[] = [];
  for (const [written, type] of Object.entries(fields)) {
    const name = written.replace(/\*$/, '');
    if (name !== written) required.push(name);
    checks.set(name, { check: compileFieldType(type), type });
  }
  return (values = {}) => {
    for (const name of required) {
      if (values[name] === undefined) throw new TypeError(`${label}.${name} is missing`);
    }
    for (const name of Object.keys(values)) {
      const field = checks.get(name);
      if (!field) throw new TypeError(`${label}.${name} is unknown`);
      const value = values[name];
      if (value !== undefined && !field.check(value)) throw wrongType(label, name, field.type);
    }
  };
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

function wrongType(label: string, name: string, type: string): TypeError {
  return new TypeError(`${label}.${name} must be ${type}`);
}

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
