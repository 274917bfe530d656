import type { OperationArguments } from './arguments.ts';
import type { EntryShape, Fields, Operation, Paging, ResponseShape } from './operation.ts';
import { parameterTypes } from './parameter-types.ts';
import { isFieldType } from './part.ts';

/** What all operations of a group have unless they say otherwise. */
type Common = Partial<Pick<Operation, 'stage' | 'section' | 'source' | 'pathParameters'>>;

/** The operations of a group: the compiler knows their ids, and which of them answer page by page. */
type GroupOf<G extends string> = {
  readonly [Id in keyof OperationArguments as NameOf<G, Id>]: Operation & {
    readonly id: Id;
  } & PagingOf<OperationArguments[Id]>;
};

type NameOf<G extends string, Id> = Id extends `${G}.${infer Name}` ? Name : never;

type PagingOf<Args> = Args extends { readonly query?: infer Query }
  ? [keyof NonNullable<Query> & keyof typeof PAGINGS] extends [never]
    ? unknown
    : { readonly paging: Paging }
  : unknown;

/**
 * Operations of one group of the documents, as a text of one after the other. What is deeper belongs to what is above it:
 *
 *     addTimeLog POST => ${timeLog}
 *       about What to know before it.
 *       body role_id* time_spent* for_date* comment
 *         note:string|null
 *     removeTimeLog DELETE /{id}
 *
 * The path stands behind that of the group. The answer is an object, a list of such objects in brackets, `redirect` before what
 * may be one, `list` before an entry and the fields of the SCIM list, or `none`; without any it is an object with an `id`. An
 * object is a shape with further fields, or fields alone (see `shape`), or `?` where its fields are not documented.
 * Parameters have the type of `parameter-types.ts` or, behind a colon, their own; `*` marks a required one, `~` one that the
 * documents do not have.
 * What follows is derived: `id`, `api` and `method`; `about` (the name in words); the types of path parameters (text where
 * the name is `email` or ends in `uid`, else an integer); `paging`; `repeat` (`unsafe` for POST, else `safe`); `source` (the
 * group's section).
 * @param group the group's name, which begins each id. @param at beginning of the path of each.
 */
export function operations<const G extends string>(
  group: G,
  at: `/${string}` | '',
  common?: Common,
): (text: TemplateStringsArray, ...parts: readonly (EntryShape | string)[]) => GroupOf<G>;
// The compiler knows the names from the generated arguments and cannot see them in the text: hence two signatures.
export function operations(group: string, at: string, common: Common = {}) {
  return (
    [first = '', ...pieces]: TemplateStringsArray,
    ...parts: readonly (EntryShape | string)[]
  ): object => {
    const shapes: EntryShape[] = [];
    const toText = (part: EntryShape | string = '') =>
      typeof part === 'string' ? part : `@${shapes.push(part) - 1}`;
    const text = pieces.reduce((read, piece, n) => read + toText(parts[n]) + piece, first);
    const entries = toRows(text).map((row) => {
      const [name = ''] = row.head;
      return [name, parseOperation(row, { id: `${group}.${name}`, at, common, shapes })];
    });
    return Object.fromEntries(entries);
  };
}

/** Text of one operation: the words of its first line, and those behind each keyword. */
interface Row {
  readonly head: readonly string[];
  readonly values: Map<string, string[]>;
}

/** Operations begin with two spaces, keywords with four, and what goes on with more. */
function toRows(text: string): Row[] {
  const rows: Row[] = [];
  let value: string[] = [];
  for (const line of text.split('\n')) {
    const words = toWords(line);
    const depth = line.search(/\S/);
    if (depth === 2) rows.push({ head: words, values: new Map() });
    else if (depth === 4) {
      const [keyword = '', ...rest] = words;
      value = rest;
      rows.at(-1)?.values.set(keyword, value);
    } else value.push(...words);
  }
  return rows;
}

/** Where a row stands. */
interface Place {
  readonly id: string;
  readonly at: string;
  readonly common: Common;
  /** Shapes that the text names as `@0`, `@1`, … */
  readonly shapes: readonly EntryShape[];
}

/** Keywords whose value is one word. */
const PLAIN = ['content', 'repeat', 'stage', 'section', 'source'];
const KEYWORDS = new Set([
  ...PLAIN,
  ...['about', 'answer', 'path', 'query', 'body', 'conditions', 'deprecated', 'queryStyle'],
  'pagesOnlyWith',
]);

/** @throws Error for a keyword that is none, or a parameter without a type: mistakes in a row. */
function parseOperation({ head, values }: Row, { id, at, common, shapes }: Place): Operation {
  const wrong = [...values.keys()].find((keyword) => !KEYWORDS.has(keyword));
  if (wrong !== undefined) throw new Error(`${id}: ${wrong} is no keyword`);
  const [name = '', method = '', behind = ''] = head;
  const path = behind.startsWith('/') ? at + behind : at;
  const api = path.startsWith('/scim/') ? 'scim' : 'rest';
  const arrow = head.indexOf('=>');
  const answer = arrow < 0 ? (values.get('answer') ?? ['id']) : head.slice(arrow + 1);
  const { pathParameters, ...shared } = common;
  const [query, body] = [values.get('query'), values.get('body')];
  const parts = {
    pathParameters: toPathFields(path, { ...pathParameters, ...toTypes(values.get('path')) }),
    query: query && toFields(query),
    body: body && toFields(body),
    conditions: values.get('conditions'),
    deprecated: values.get('deprecated'),
    undocumented: listMarked(query, body),
    queryStyle: toPairs(values.get('queryStyle'), (style) => style),
    pagesOnlyWith: toPairs(values.get('pagesOnlyWith'), () => true),
    paging: query && findPaging(query),
  };
  const plain = PLAIN.map((keyword) => [keyword, values.get(keyword)?.[0]] as const);
  const given = [...Object.entries(parts), ...plain].filter(([, value]) => value !== undefined);
  return {
    id,
    about: values.get('about')?.join(' ') ?? `${toSentence(name)}.`,
    api,
    method,
    path,
    repeat: method === 'POST' ? 'unsafe' : 'safe',
    source: api === 'scim' ? 'SCIM provisioning' : `REST: ${id.slice(0, id.indexOf('.'))}`,
    ...shared,
    ...Object.fromEntries(given),
    response: toResponse(answer, shapes),
  } as Operation;
}

/** `retrieveListOfSpaces` in words. */
export function toSentence(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toPathFields(path: string, known: Fields): Fields | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  if (names.length === 0) return undefined;
  const toType = (parameter: string) => (/(?:^email|uid)$/.test(parameter) ? 'string' : 'integer');
  return Object.fromEntries(names.map((name) => [name, known[name] ?? toType(name)]));
}

/** Paging of a list by the parameter that chooses the page. */
const PAGINGS = {
  startIndex: 'start-index',
  last_user_id: 'last-user-id',
  start_position: 'start-position',
  offset: 'offset',
} as const;

function findPaging(query: readonly string[]): Paging | undefined {
  const names = query.map((word) => parseWord(word).name);
  return Object.entries(PAGINGS).find(([name]) => names.includes(name))?.[1];
}

function toFields(words: readonly string[]): Fields {
  const entries = words.map((word) => {
    const { name, star, type = parameterTypes.get(name) } = parseWord(word);
    if (type === undefined) throw new Error(`no type is known of the parameter ${name}`);
    return [name + star, type];
  });
  return Object.fromEntries(entries);
}

/** Parameters that the documents do not have; `query.name` for those of a query. */
function listMarked(query: string[] = [], body: string[] = []): string[] | undefined {
  const ofQuery = query.map((word) => `query.${word}`);
  const marked = [...ofQuery, ...body].map(parseWord).filter(({ isMarked }) => isMarked);
  return marked.length === 0 ? undefined : marked.map(({ name }) => name);
}

function toPairs<T>(words: string[] | undefined, toValue: (text: string) => T) {
  const pairs = words?.map((word) => {
    const [name = '', text = ''] = word.split(':');
    return [name, toValue(text)] as const;
  });
  return pairs && Object.fromEntries(pairs);
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

function toTypes(words: readonly string[] = []): Fields {
  const typed = words.map(parseWord).flatMap(({ name, type }) => (type ? [[name, type]] : []));
  return Object.fromEntries(typed);
}

/**
 * Object of an answer: its name among the types of the client, the shape whose fields it has as well, its own fields, some
 * with the type that the running service is known to give: `` shape`CommentFile: ${storedFile} comment_uid:string` ``.
 */
export function shape([first = '', ...more]: TemplateStringsArray, base?: EntryShape): EntryShape {
  const [, name = '', own = ''] = /^\s*(\w+):(.*)$/s.exec(first) ?? [];
  return { ...extend(base, toWords([own, ...more].join(' '))), name };
}

function extend(base: EntryShape | undefined, words: readonly string[]): EntryShape {
  return {
    fields: [...(base?.fields ?? []), ...words.map((word) => parseWord(word).name)],
    types: { ...base?.types, ...toTypes(words) },
    ...(base && { base }),
  };
}

function toResponse(words: readonly string[], shapes: readonly EntryShape[]): ResponseShape {
  const [first = '', ...rest] = words;
  const toEntry = ([head = '', ...more]: readonly string[]): EntryShape => {
    const base = head.startsWith('@') ? shapes[Number(head.slice(1))] : undefined;
    if (base === undefined) return extend(undefined, head === '?' ? [] : [head, ...more]);
    return more.length === 0 ? base : extend(base, more);
  };
  if (first === 'none') return { kind: 'none', fields: [] };
  if (first === 'redirect') return { ...toEntry(rest), kind: 'redirect' };
  if (first === 'list') {
    return { kind: 'list', entries: toEntry(rest.slice(0, 1)), fields: rest.slice(1) };
  }
  if (!first.startsWith('[')) return { ...toEntry(words), kind: 'object' };
  const inside = words.join(' ').slice(1, -1);
  return { ...toEntry(toWords(inside)), kind: 'array' };
}

function toWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
