import type { EntryShape, Fields, Operation, ResponseShape } from './operation.ts';

/**
 * Row of one operation as a table holds it: what the documents say, without what follows from it.
 * `operations` derives `id`, `api`, `method` and `path`; `about` (the name in words); the types of path parameters (text
 * where the name is `email` or ends in `uid`, else an integer); `repeat` (`unsafe` for POST, else `safe`); `source` (the
 * group's section); the answer of a DELETE (`id`).
 */
export interface Row
  extends Omit<Operation, keyof Derived | 'response'>,
    Partial<Pick<Operation, 'about' | 'repeat' | 'source'>> {
  /** Method, and the path behind that of the group. SCIM paths follow the base URL; REST paths follow `/api/<version>`. */
  readonly call: Operation['method'] | `${Operation['method']} /${string}`;
  /** Shape of a successful answer: `object(…)`, `array(…)`, `list(…)`, `redirect(…)` or `none`. */
  readonly answer?: ResponseShape;
}

type Derived = Pick<Operation, 'id' | 'about' | 'api' | 'method' | 'path' | 'repeat' | 'source'>;

/** Operations of groups whose rows have something in common. */
export function operationsWith(
  common: Pick<Row, 'stage' | 'section' | 'source' | 'pathParameters'>,
) {
  return <const G extends string, const R extends Readonly<Record<string, Row>>>(
    group: G,
    at: `/${string}` | '',
    rows: R,
  ) => operations(group, at, rows, common);
}

/**
 * Operations of one group of the documents.
 * @param group the group's name, which begins each id. @param at beginning of the path of each.
 */
export function operations<const G extends string, const R extends Readonly<Record<string, Row>>>(
  group: G,
  at: `/${string}` | '',
  rows: R,
  common?: Partial<Row>,
): { readonly [N in keyof R]: OperationOf<`${G}.${N & string}`, R[N]> };
// Which operation has which id no compiler sees in a loop: hence two signatures.
export function operations(
  group: string,
  at: string,
  rows: Readonly<Record<string, Row>>,
  common: Partial<Row> = {},
): object {
  const entries = Object.entries(rows).map(([name, row]) => {
    const pathParameters = { ...common.pathParameters, ...row.pathParameters };
    return [name, toOperation(group, name, at, { ...common, ...row, pathParameters })];
  });
  return Object.fromEntries(entries);
}

function toOperation(group: string, name: string, at: string, given: Row): Operation {
  const { call, pathParameters: known = {}, answer = object('id'), ...row } = given;
  const [method = '', rest = ''] = call.split(' ');
  const path = at + rest;
  const api = path.startsWith('/scim/') ? 'scim' : 'rest';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const types = names.map((parameter) => [parameter, known[parameter] ?? toType(parameter)]);
  return {
    id: `${group}.${name}`,
    about: `${toSentence(name)}.`,
    api,
    method: method as Operation['method'],
    path: path as Operation['path'],
    repeat: method === 'POST' ? 'unsafe' : 'safe',
    source: api === 'scim' ? 'SCIM provisioning' : `REST: ${group}`,
    ...row,
    response: answer,
    ...(names.length > 0 && { pathParameters: Object.fromEntries(types) }),
  };
}

/** `retrieveListOfSpaces` in words. */
export function toSentence(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toType(parameter: string): 'string' | 'integer' {
  return /(?:^email|uid)$/.test(parameter) ? 'string' : 'integer';
}

/** Operation that a row stands for: its id and its paging are known to the compiler. */
type OperationOf<Id extends string, R extends Row> = Operation &
  Pick<R, 'paging'> & { readonly id: Id };

/**
 * Object with a name among the types of the client, by the names of its fields: ``shape('Tag')`id name` ``.
 * @param more `base`: shape whose fields it has as well; `types`: of fields that the running service is known to give.
 */
export function shape(name: string, more: { base?: EntryShape; types?: Fields } = {}) {
  const { base = { fields: [] }, types } = more;
  return ([text = '']: TemplateStringsArray): EntryShape => ({
    ...extend(base, text, types),
    name,
  });
}

/** Object with further fields, of one operation. */
export function extend(base: EntryShape, fields: string, types: Fields = {}): EntryShape {
  return {
    fields: [...base.fields, ...toWords(fields)],
    types: { ...base.types, ...types },
    base,
  };
}

/** Fields by their types: `fields({ string: 'name* title', integer: 'limit offset' })`. */
export function fields(byType: Fields): Fields {
  const entries = Object.entries(byType).flatMap(([type, names]) =>
    toWords(names).map((name) => [name, type]),
  );
  return Object.fromEntries(entries);
}

/** Answer that is one object. */
export const object = toShaper('object');

/** Answer that is an array of objects. */
export const array = toShaper('array');

/** Answer that is one object or, with `redirect: true`, the target of a redirect. */
export const redirect = toShaper('redirect');

/** Answer that is the SCIM list object with `entries` in it. */
export function list(fields: string, entries: EntryShape): ResponseShape {
  return { kind: 'list', fields: toWords(fields), entries };
}

/** Answer without a body. */
export const none = { kind: 'none', fields: [] } as const;

/**
 * What is answered: a shape, or the names of its fields between white space.
 * @param types types of those fields that the running service is known to give.
 */
type Described = [shape: EntryShape] | [fields: string, types?: Fields];

function toShaper(kind: ResponseShape['kind']) {
  return (...described: Described): ResponseShape => ({ kind, ...toEntry(...described) });
}

function toEntry(...[fields, types = {}]: Described): EntryShape {
  return typeof fields === 'string' ? { fields: toWords(fields), types } : fields;
}

function toWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
