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

/** Operations of one group of the documents. @param group the group's name, which begins each id. */
export function operations<const G extends string, const R extends Readonly<Record<string, Row>>>(
  group: G,
  rows: R,
): { readonly [N in keyof R]: OperationOf<G, N, R[N]> };
// The type of each operation follows from its row, which no compiler sees in a loop: hence two signatures.
export function operations(group: string, rows: Readonly<Record<string, Row>>): object {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, toOperation(group, name, row)]),
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

/** Operation that a row stands for, with the literal types of the row. */
type OperationOf<G extends string, N, R extends Row> = Omit<
  R,
  'about' | 'call' | 'answer' | 'pathParameters'
> &
  CallOf<R> & {
    readonly id: `${G}.${N & string}`;
    readonly about: string;
    readonly response: R['answer'];
    readonly repeat: Operation['repeat'];
    readonly source: string;
  };

type CallOf<R extends Row> =
  R['call'] extends `${infer M extends Operation['method']} ${infer P extends Operation['path']}`
    ? {
        readonly api: P extends `/scim/${string}` ? 'scim' : 'rest';
        readonly method: M;
        readonly path: P;
      } & PathOf<ParameterOf<P>, R>
    : never;

type PathOf<Names extends string, R> = [Names] extends [never]
  ? unknown
  : { readonly pathParameters: { readonly [K in Names]: ParameterType<K, R> } };

type ParameterType<K extends string, R> = R extends {
  readonly pathParameters: { readonly [N in K]: infer T extends string };
}
  ? T
  : K extends 'email' | `${string}uid`
    ? 'string'
    : 'integer';

type ParameterOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Fields of an answer: words between white space, or a list of names. */
type FieldNames = string | readonly string[];

type Listed<F extends FieldNames> = F extends string ? readonly Word<F>[] : F;

type Word<S extends string> = S extends `${infer Line}\n${infer Rest}`
  ? Word<Line> | Word<Rest>
  : S extends `${infer Name} ${infer Rest}`
    ? Exclude<Name, ''> | Word<Rest>
    : Exclude<S, ''>;

/** Names between white space as a list, for the long lists of fields. */
export function words<const S extends string>(text: S): readonly Word<S>[];
export function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((name) => name !== '');
}

/** Answer of fields. @param types types of those fields that the running service is known to give. */
type Shaper<Kind extends ResponseShape['kind']> = <
  const F extends FieldNames,
  const T extends Fields = Record<never, never>,
>(
  fields: F,
  types?: T,
) => { readonly kind: Kind; readonly fields: Listed<F>; readonly types: T };

/** Answer that is one object. */
export const object: Shaper<'object'> = toShaper('object');

/** Answer that is an array of objects. */
export const array: Shaper<'array'> = toShaper('array');

/** Answer that is one object or, with `redirect: true`, the target of a redirect. */
export const redirect: Shaper<'redirect'> = toShaper('redirect');

/** Answer that is the SCIM list object with `entries` in it. */
export function list<const F extends FieldNames, const E extends EntryShape>(
  fields: F,
  entries: E,
): { readonly kind: 'list'; readonly fields: Listed<F>; readonly entries: E };
export function list(fields: FieldNames, entries: EntryShape): ResponseShape {
  return { kind: 'list', fields: toNames(fields), entries };
}

/** Answer without a body. */
export const none = { kind: 'none', fields: [] } as const;

function toShaper<K extends ResponseShape['kind']>(kind: K): Shaper<K>;
function toShaper(kind: ResponseShape['kind']) {
  return (fields: FieldNames, types?: Fields): ResponseShape => ({
    kind,
    fields: toNames(fields),
    ...(types !== undefined && { types }),
  });
}

function toNames(fields: FieldNames): readonly string[] {
  return typeof fields === 'string' ? words(fields) : fields;
}
