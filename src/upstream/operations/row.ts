import type { EntryShape, Fields, Operation, ResponseShape } from './operation.ts';

/**
 * Row of one operation as a table holds it: what the documents say, without what follows from it.
 * `operations` derives `id`, `api`, `method` and `path`; the types of path parameters (text where the name is `email` or
 * ends in `uid`, else an integer); `repeat` (`unsafe` for POST, else `safe`); `source` (the group's section).
 */
export interface Row
  extends Omit<Operation, keyof Derived | 'response'>,
    Partial<Pick<Operation, 'repeat' | 'source'>> {
  /** Method and path. SCIM paths follow the base URL; REST paths follow `/api/<version>`. */
  readonly call: `${Operation['method']} /${string}`;
  /** Shape of a successful answer: `object(…)`, `array(…)`, `list(…)`, `redirect(…)` or `none`. */
  readonly answer: ResponseShape;
}

type Derived = Pick<Operation, 'id' | 'api' | 'method' | 'path' | 'repeat' | 'source'>;

/** Operations of one group whose rows have something in common. */
export function operationsWith(common: Pick<Row, 'stage' | 'section' | 'source'>) {
  return <const G extends string, const R extends Readonly<Record<string, Row>>>(
    group: G,
    rows: R,
  ) => operations(group, rows, common);
}

/** Operations of one group of the documents. @param group the group's name, which begins each id. */
export function operations<const G extends string, const R extends Readonly<Record<string, Row>>>(
  group: G,
  rows: R,
  common?: Partial<Row>,
): { readonly [N in keyof R]: OperationOf<`${G}.${N & string}`, R[N]> };
// Which operation has which id no compiler sees in a loop: hence two signatures.
export function operations(
  group: string,
  rows: Readonly<Record<string, Row>>,
  common: Partial<Row> = {},
): object {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [
      name,
      toOperation(group, name, { ...common, ...row }),
    ]),
  );
}

function toOperation(group: string, name: string, { call, answer, ...row }: Row): Operation {
  const { method, path } = parseCall(call);
  const api = path.startsWith('/scim/') ? 'scim' : 'rest';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const derived = Object.fromEntries(names.map((parameter) => [parameter, toType(parameter)]));
  return {
    id: `${group}.${name}`,
    api,
    method,
    path,
    repeat: method === 'POST' ? 'unsafe' : 'safe',
    source: api === 'scim' ? 'SCIM provisioning' : `REST: ${group}`,
    ...row,
    response: answer,
    ...(names.length > 0 && { pathParameters: { ...derived, ...row.pathParameters } }),
  };
}

function parseCall(call: Row['call']): Pick<Operation, 'method' | 'path'> {
  const space = call.indexOf(' ');
  return {
    method: call.slice(0, space) as Operation['method'],
    path: call.slice(space + 1) as Operation['path'],
  };
}

function toType(parameter: string): TextOrInteger {
  return /(?:^email|uid)$/.test(parameter) ? 'string' : 'integer';
}

type TextOrInteger = 'string' | 'integer';

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
