import type { EntryShape, Fields, Operation, ResponseShape } from './operation.ts';
import { parameterTypes } from './parameter-types.ts';
import { isFieldType } from './part.ts';

/**
 * Row of one operation as a table holds it: what the documents say, without what follows from it.
 * `operations` derives `id`, `api`, `method` and `path`; `about` (the name in words); the types of path parameters (text
 * where the name is `email` or ends in `uid`, else an integer); `repeat` (`unsafe` for POST, else `safe`); `source` (the
 * group's section); the answer of a DELETE (`id`).
 */
interface Row
  extends Omit<Operation, keyof Derived | keyof Words | 'response' | 'undocumented'>,
    Partial<Pick<Operation, 'about' | 'repeat' | 'source'> & Words> {
  /** Method, and the path behind that of the group. SCIM paths follow the base URL; REST paths follow `/api/<version>`. */
  readonly call: Operation['method'] | `${Operation['method']} /${string}`;
  /** Successful answer: an object, a list of such objects in brackets, `list(…)`, `redirect(…)` or `none`. */
  readonly answer?: Entry | readonly [Entry] | ResponseShape;
}

type Derived = Pick<Operation, 'id' | 'about' | 'api' | 'method' | 'path' | 'repeat' | 'source'>;

/**
 * Names between white space. One of a query or a body has the type of `parameter-types.ts` or, behind a colon, its own; `*`
 * marks a required one, `~` one that the documents do not have: `name* color:integer|null force~`.
 */
type Words = Readonly<Record<'query' | 'body' | 'conditions' | 'deprecated', string>>;

/** Object of an answer: a shape, or the names of its fields. */
type Entry = EntryShape | string;

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
  const { call, pathParameters: known = {}, answer = 'id', ...rest } = given;
  const { query, body, conditions, deprecated, ...row } = rest;
  const [method = '', behind = ''] = call.split(' ');
  const path = at + behind;
  const api = path.startsWith('/scim/') ? 'scim' : 'rest';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const types = names.map((parameter) => [parameter, known[parameter] ?? toType(parameter)]);
  const undocumented = [...listMarked('query.', query), ...listMarked('', body)];
  return {
    id: `${group}.${name}`,
    about: `${toSentence(name)}.`,
    api,
    method: method as Operation['method'],
    path: path as Operation['path'],
    repeat: method === 'POST' ? 'unsafe' : 'safe',
    source: api === 'scim' ? 'SCIM provisioning' : `REST: ${group}`,
    ...row,
    ...(query !== undefined && { query: toFields(query) }),
    ...(body !== undefined && { body: toFields(body) }),
    ...(conditions !== undefined && { conditions: toWords(conditions) }),
    ...(deprecated !== undefined && { deprecated: toWords(deprecated) }),
    ...(undocumented.length > 0 && { undocumented }),
    response: toResponse(answer),
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

/** @throws Error for a name without a type, which is a mistake in a row. */
function toFields(text: string): Fields {
  const entries = toWords(text).map((word) => {
    const { name, star, type = parameterTypes.get(name) } = parseWord(word);
    if (type === undefined) throw new Error(`no type is known of the parameter ${name}`);
    return [name + star, type];
  });
  return Object.fromEntries(entries);
}

function listMarked(prefix: string, text = ''): string[] {
  const marked = toWords(text)
    .map(parseWord)
    .filter(({ isMarked }) => isMarked);
  return marked.map(({ name }) => prefix + name);
}

function parseWord(word: string) {
  const [, name = '', star = '', mark, type] = /^([^*~:]+)(\*?)(~?)(?::(.+))?$/.exec(word) ?? [];
  return { name, star, isMarked: mark === '~', type: type && toTypeText(type) };
}

/** Type in the notation of `Fields`: `integer|null`, and `active|inactive` for these words. */
function toTypeText(type: string): string {
  const group = /^\((.+)\)\[\]$/.exec(type)?.[1];
  if (group !== undefined) return `(${toTypeText(group)})[]`;
  const members = type.split('|').map((one) => (isFieldType(one) ? one : `'${one}'`));
  return members.join(' | ');
}

/**
 * Object of an answer: its name among the types of the client, the shape whose fields it has as well, its own fields, some
 * with the type that the running service is known to give: `` shape`CommentFile: ${storedFile} comment_uid:string` ``.
 * Without a name it is of one operation.
 */
export function shape([first = '', ...more]: TemplateStringsArray, base?: EntryShape): EntryShape {
  const [, name, own = ''] = /^(?:\s*(\w+):)?(.*)$/s.exec(first) ?? [];
  const parsed = toEntry([own, ...more].join(' '));
  return {
    fields: [...(base?.fields ?? []), ...parsed.fields],
    types: { ...base?.types, ...parsed.types },
    ...(base && { base }),
    ...(name !== undefined && { name }),
  };
}

/** Answer that is one object or, with `redirect: true`, the target of a redirect. */
export function redirect(entry: EntryShape): ResponseShape {
  return { ...entry, kind: 'redirect' };
}

/** Answer that is the SCIM list object with `entries` in it. */
export function list(fields: string, entries: EntryShape): ResponseShape {
  return { kind: 'list', fields: toWords(fields), entries };
}

/** Answer without a body. */
export const none = { kind: 'none', fields: [] } as const;

function toResponse(answer: NonNullable<Row['answer']>): ResponseShape {
  if (typeof answer === 'string') return { kind: 'object', ...toEntry(answer) };
  if ('kind' in answer) return answer;
  if (!('fields' in answer)) {
    const [entry] = answer;
    return { kind: 'array', ...(typeof entry === 'string' ? toEntry(entry) : entry) };
  }
  return { kind: 'object', ...answer };
}

function toEntry(text: string): EntryShape {
  const words = toWords(text).map(parseWord);
  const types = words.flatMap(({ name, type }) => (type ? [[name, type]] : []));
  return { fields: words.map(({ name }) => name), types: Object.fromEntries(types) };
}

function toWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
