import { badRequest, invalidFilter } from '../errors.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';
import {
  type AttributeRule,
  findAttribute,
  findRule,
  findTable,
  isQualified,
  type ResourceSchema,
  toWhole,
} from '../schema/resource-schemas.ts';
import {
  COMPARE_OPS,
  descend,
  peek,
  type Reader,
  take,
  takeValue,
  takeWord,
  toTokens,
} from './reader.ts';
import {
  type Filter,
  type FilterTarget,
  hasOddOffset,
  toComparison,
  toComparisonWithNothing,
} from './tree.ts';

/** How a filter is read. */
interface FilterReading {
  /** Counts the corrections. */
  readonly repairs?: Repairs;
  /** True where the filter is read for several types: an attribute that this one lacks takes a text without quotes too. */
  readonly isForOthers?: boolean;
  /** True where a name that no schema has is refused: a filter that chooses what is written must not choose by a mistake. */
  readonly isForWrite?: boolean;
}

/** Most characters of a filter: far more than any provider sends, at no noticeable cost. */
const LENGTH_MAX = 10_000;

/** Meaning of a name inside the filter; undefined: no schema has it. */
type Scope = (name: string) => FilterTarget | undefined;

/** A name without the schema of its attribute, or one that may be one. @see RFC 7644 §3.10 */
export const PLAIN_NAME = /^[a-z$][\w$-]*(?:\.[a-z$][\w$-]*)*$/i;

/**
 * Reads a filter in time linear in its length. Beside the grammar it takes `not x eq y` without
 * parentheses, `True`, a text without quotes, and a path after a value filter: `emails[type eq "work"].value eq "…"`.
 * @throws ScimError 400 `invalidFilter` when it is blank, malformed, too long or too deep
 * @see RFC 7644 §3.4.2.2
 */
export function parseFilter(
  filter: unknown,
  schema: ResourceSchema,
  reading: FilterReading = {},
): Filter {
  const scope: Scope = (name) => findTarget(schema, name);
  return parseInScope(filter, scope, { reading, list: undefined });
}

/**
 * Reads the filter between the brackets of a value path; its names are sub-attributes of `attribute`.
 * @throws ScimError as `parseFilter` does
 */
export function parseElementFilter(
  filter: string,
  attribute: AttributeRule,
  reading: FilterReading = {},
): Filter {
  return parseInScope(filter, elementScope(attribute), { reading, list: attribute.name });
}

function parseInScope(
  filter: unknown,
  scope: Scope,
  { reading, list }: { reading: FilterReading } & Pick<Reader, 'list'>,
): Filter {
  const { repairs = UNCOUNTED, isForOthers = false, isForWrite = false } = reading;
  if (typeof filter !== 'string') {
    throw badRequest('invalidFilter', 'The filter is not one text.');
  }
  if (filter.trim() === '') throw badRequest('invalidFilter', 'The filter is blank.');
  if (filter.length > LENGTH_MAX) {
    throw badRequest('invalidFilter', `The filter is longer than ${LENGTH_MAX} characters.`);
  }
  const tokens = toTokens(filter, repairs);
  const how = { repairs, isForOthers, isForWrite, list };
  const reader: Reader = { ...how, source: filter, tokens, next: 0, depth: 0 };
  const parsed = readOr(reader, scope);
  take(reader, 'end');
  return parsed;
}

function readOr(reader: Reader, scope: Scope): Filter {
  const parts = [readAnd(reader, scope)];
  while (takeWord(reader, 'or')) parts.push(readAnd(reader, scope));
  return join('or', parts);
}

function readAnd(reader: Reader, scope: Scope): Filter {
  const parts = [readTerm(reader, scope)];
  while (takeWord(reader, 'and')) parts.push(readTerm(reader, scope));
  return join('and', parts);
}

function join(kind: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, parts };
}

function readTerm(reader: Reader, scope: Scope): Filter {
  if (takeWord(reader, 'not')) {
    return { kind: 'not', part: descend(reader, () => readTerm(reader, scope)) };
  }
  if (peek(reader).kind === '(') {
    take(reader, '(');
    const inner = descend(reader, () => readOr(reader, scope));
    take(reader, ')');
    return inner;
  }
  const name = takeName(reader);
  if (peek(reader).kind === '[') {
    if (reader.list !== undefined) {
      throw invalidFilter('a filter inside of another one', peek(reader).at);
    }
    return readElements(reader, name, find(reader, scope, name));
  }
  return readTest(reader, find(reader, scope, name));
}

function find(reader: Reader, scope: Scope, name: string): FilterTarget | undefined {
  const target = scope(name);
  if (target === undefined) {
    const { at = 0 } = reader.tokens[reader.next - 1] ?? {};
    if (reader.isForWrite) throw invalidFilter(`a name that is no part of ${reader.list}`, at);
    reader.repairs.count('filter-unknown', reader.list ? `${reader.list}.${name}` : name);
  }
  return target;
}

/** Reads `[filter]`, and a sub-attribute of the same element with its test, where one follows. */
function readElements(reader: Reader, name: string, list: FilterTarget | undefined): Filter {
  take(reader, '[');
  const scope: Scope = list ? elementScope(list.rule) : () => undefined;
  reader.list = name;
  const inner = descend(reader, () => readOr(reader, scope));
  take(reader, ']');
  const test = readAfterElements(reader, scope);
  reader.list = undefined;
  return toSome(list, test === undefined ? inner : { kind: 'and', parts: [inner, test] });
}

/** Reads `.name` and its test behind the brackets; undefined: none follows. */
function readAfterElements(reader: Reader, scope: Scope): Filter | undefined {
  const { kind, text, at } = peek(reader);
  if (kind !== 'word' || !text.startsWith('.')) return undefined;
  reader.next += 1;
  return readTest(reader, find(reader, scope, checkName(text.slice(1), at)));
}

function toSome(target: FilterTarget | undefined, part: Filter): Filter {
  return target ? { kind: 'some', target, part } : { kind: 'nothing' };
}

function readTest(reader: Reader, target: FilterTarget | undefined): Filter {
  const operator = take(reader, 'word');
  const name = operator.text.toLowerCase();
  if (name === 'pr') return target ? { kind: 'present', target } : { kind: 'nothing' };
  const op = COMPARE_OPS.get(name);
  if (!op) throw invalidFilter('an unknown operator', operator.at);
  const { literal, text, at } = takeValue(reader, target);
  if (target?.rule.type === 'dateTime' && hasOddOffset(text))
    reader.repairs.count('filter-dialect');
  return target
    ? toComparison({ target, op, literal, text, at })
    : toComparisonWithNothing(op, literal);
}

function takeName(reader: Reader): string {
  const { text, at } = take(reader, 'word');
  return checkName(text, at);
}

function checkName(name: string, at: number): string {
  if (PLAIN_NAME.test(name) || isQualified(name)) return name;
  throw invalidFilter('an attribute name that is malformed', at);
}

function findTarget(schema: ResourceSchema, name: string): FilterTarget | undefined {
  const path = findAttribute(schema, name);
  // No schema shows an attribute that is never returned, and nothing of it is kept.
  if (path?.attribute.returned === 'never') return undefined;
  if (path) return { keys: path.keys, rule: path.sub ?? path.attribute };
  const table = findTable(schema, name);
  return table && table !== schema.core ? { keys: [table.urn], rule: toWhole(table) } : undefined;
}

function elementScope({ subAttributes }: AttributeRule): Scope {
  return (name) => {
    const rule = findRule(subAttributes, name);
    return rule && { keys: [rule.name], rule };
  };
}
