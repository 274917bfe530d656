import { isStorable } from '../../domain/values.ts';
import { badRequest, invalidFilter } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { UNCOUNTED } from '../repairs.ts';
import type { AttributeRule, ResourceSchema } from '../schema/resource-schemas.ts';
import {
  findAttribute,
  findRule,
  findTable,
  isQualified,
  toWhole,
} from '../schema/resource-schemas.ts';
import type { Filter, FilterTarget, Literal } from './tree.ts';
import { COMPARE_OPS, ODD_OFFSET, toComparison, toComparisonWithNothing, toLeaf } from './tree.ts';

interface FilterReading {
  readonly repairs?: Repairs;
  /** True where the filter is read for several types: an attribute that this one lacks takes a text without quotes too. */
  readonly isForOthers?: boolean;
  /** True where a name that no schema has is refused: a filter that chooses what is written must not choose by a mistake. */
  readonly isForWrite?: boolean;
}

type Scope = (name: string) => FilterTarget | undefined;

/** A name without the schema of its attribute, or one that may be one. @see RFC 7644 §3.10 */
export const PLAIN_NAME = /^[a-z$][\w$-]*(?:\.[a-z$][\w$-]*)*$/i;

/** Reads a filter in linear time. Beside the grammar it takes `not x eq y`, `True`, a text without quotes, and a path after a value filter. @throws ScimError 400 @see RFC 7644 §3.4.2.2 */
export function parseFilter(
  filter: unknown,
  schema: ResourceSchema,
  reading: FilterReading = {},
): Filter {
  return new Parser(filter, reading).parse((name) => findTarget(schema, name));
}

/** Reads the filter between the brackets of a value path; its names are sub-attributes. @throws ScimError 400 */
export function parseElementFilter(
  filter: string,
  attribute: AttributeRule,
  reading: FilterReading = {},
): Filter {
  return new Parser(filter, reading, attribute.name).parse(elementScope(attribute));
}

/** The attribute with this name, or the extension with this URN, that a filter or an order looks at. */
export function findTarget(schema: ResourceSchema, name: string): FilterTarget | undefined {
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

const LENGTH_MAX = 10_000;
const DEPTH_MAX = 50;
/** Words of the language: where one of them stands, the value is missing. */
const NO_TEXT: ReadonlySet<string> = new Set(['and', 'or', 'not', 'pr', ...COMPARE_OPS]);
/** Ambiguous words: a malformed number, a text in other quotes. */
const DOUBTFUL = /^(?:'|[+-]?(?:\d[\d.]*(?:e[+-]?\d*)?)?$)/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #repairs: Repairs;
  readonly #reading: FilterReading;
  /** Name of the list in whose brackets the parser is, where no other list may be. */
  #list: string | undefined;
  #next = 0;
  #depth = 0;

  constructor(filter: unknown, reading: FilterReading, list?: string) {
    if (typeof filter !== 'string') {
      throw badRequest('invalidFilter', 'The filter is not one text.');
    }
    if (filter.trim() === '') throw badRequest('invalidFilter', 'The filter is blank.');
    if (filter.length > LENGTH_MAX) {
      throw badRequest('invalidFilter', `The filter is longer than ${LENGTH_MAX} characters.`);
    }
    this.#source = filter;
    this.#repairs = reading.repairs ?? UNCOUNTED;
    this.#reading = reading;
    this.#list = list;
    this.#tokens = toTokens(filter, this.#repairs);
  }

  parse(scope: Scope): Filter {
    const filter = this.#readOr(scope);
    this.#take('end');
    return filter;
  }

  #readOr(scope: Scope): Filter {
    const parts = [this.#readAnd(scope)];
    while (this.#takeWord('or')) parts.push(this.#readAnd(scope));
    return join('or', parts);
  }

  #readAnd(scope: Scope): Filter {
    const parts = [this.#readTerm(scope)];
    while (this.#takeWord('and')) parts.push(this.#readTerm(scope));
    return join('and', parts);
  }

  #readTerm(scope: Scope): Filter {
    if (this.#takeWord('not')) {
      return { kind: 'not', part: this.#descend(() => this.#readTerm(scope)) };
    }
    if (this.#peek().kind === '(') {
      this.#take('(');
      const inner = this.#descend(() => this.#readOr(scope));
      this.#take(')');
      return inner;
    }
    const { text: name, at } = this.#take('word');
    const target = this.#find(scope, name, at);
    return this.#peek().kind === '[' ? this.#readElements(name, target) : this.#readTest(target);
  }

  #find(scope: Scope, name: string, at: number): FilterTarget | undefined {
    if (!PLAIN_NAME.test(name) && !isQualified(name)) {
      throw invalidFilter('an attribute name that is malformed', at);
    }
    const target = scope(name);
    if (target === undefined) {
      if (this.#reading.isForWrite)
        throw invalidFilter(`a name that is no part of ${this.#list}`, at);
      this.#repairs.count('filter-unknown', this.#list ? `${this.#list}.${name}` : name);
    }
    return target;
  }

  /** Reads `[filter]`, and `.name` with its test behind the brackets, where one follows, of the same element. */
  #readElements(name: string, target: FilterTarget | undefined): Filter {
    const { at: opening } = this.#take('[');
    if (this.#list !== undefined) throw invalidFilter('a filter inside of another one', opening);
    const scope: Scope = target ? elementScope(target.rule) : () => undefined;
    this.#list = name;
    let part = this.#descend(() => this.#readOr(scope));
    this.#take(']');
    const { kind, text, at } = this.#peek();
    if (kind === 'word' && text.startsWith('.')) {
      this.#next += 1;
      const test = this.#readTest(this.#find(scope, text.slice(1), at));
      part = { kind: 'and', parts: [part, test] };
    }
    this.#list = undefined;
    return target ? { kind: 'some', target, part } : { kind: 'nothing' };
  }

  #readTest(target: FilterTarget | undefined): Filter {
    const operator = this.#take('word');
    const name = operator.text.toLowerCase();
    if (name === 'pr') return target ? { kind: 'present', target } : { kind: 'nothing' };
    const op = COMPARE_OPS.find((one) => one === name);
    if (!op) throw invalidFilter('an unknown operator', operator.at);
    const { literal, text, at } = this.#takeValue(target);
    if (target === undefined) return toComparisonWithNothing(op, literal);
    if (target.rule.type === 'dateTime' && ODD_OFFSET.test(text))
      this.#repairs.count('filter-dialect');
    return toComparison({ target, op, literal, text, at });
  }

  /** Takes a value and its text as it was written. It may lack quotes where it can mean nothing else: `displayName eq Night Shift`. */
  #takeValue(target: FilterTarget | undefined): { literal: Literal; text: string; at: number } {
    const token = this.#peek();
    const { kind, text, at } = token;
    if (kind !== 'text' && kind !== 'word') throw invalidFilter('a value is missing', at);
    this.#next += 1;
    if (kind === 'text') return { literal: text, text, at };
    const isOfOthers = target === undefined && this.#reading.isForOthers === true;
    const isText = isOfOthers || takesText(target);
    const words = isText ? this.#takeMoreWords(token) : undefined;
    const literal = words ?? toLiteral(token, isText);
    if (typeof literal === 'string' && !isOfOthers) this.#repairs.count('filter-unquoted');
    return { literal, text: words ?? text, at };
  }

  /** Takes the rest of a text of several words. undefined: it has one word, or what follows is no end of a comparison. */
  #takeMoreWords({ text, at }: Token): string | undefined {
    if (text.startsWith("'") || NO_TEXT.has(text.toLowerCase())) return undefined;
    const isMore = ({ kind, text: word }: Token) =>
      kind === 'word' && !NO_TEXT.has(word.toLowerCase());
    let end = this.#next;
    for (let token = this.#tokens[end]; token && isMore(token); token = this.#tokens[end]) end += 1;
    const [last, following] = [this.#tokens[end - 1], this.#tokens[end]];
    const isEnd = following?.kind !== 'word' || /^(?:and|or)$/i.test(following.text);
    const isOpen = following && ['(', '[', 'text'].includes(following.kind);
    if (end === this.#next || last === undefined || !isEnd || isOpen) return undefined;
    this.#next = end;
    return this.#source.slice(at, last.at + last.text.length);
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: this.#source.length };
  }

  #take(kind: Token['kind']): Token {
    const token = this.#peek();
    if (token.kind !== kind) throw invalidFilter(describeMissing(kind), token.at);
    this.#next += 1;
    return token;
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#peek();
    const isFound = kind === 'word' && text.toLowerCase() === word;
    if (isFound) this.#next += 1;
    return isFound;
  }

  #descend<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) {
      throw invalidFilter(`more than ${DEPTH_MAX} levels`, this.#peek().at);
    }
    const result = read();
    this.#depth -= 1;
    return result;
  }
}

function describeMissing(kind: Token['kind']): string {
  if (kind === 'end') return 'something after its end';
  return kind === 'word' ? 'a name or an operator is missing' : `"${kind}" is missing`;
}

function join(kind: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, parts };
}

/** True for an attribute that takes only text, so that it may be without quotes: `userName eq ak3@example.com`. */
function takesText(target: FilterTarget | undefined): boolean {
  const rule = target && toLeaf(target)?.rule;
  return rule !== undefined && rule.type !== 'boolean' && !rule.isNumber;
}

function toLiteral({ text, at }: Token, isText: boolean): Literal {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (NUMBER.test(word)) return Number(word);
  if (isText && !NO_TEXT.has(word) && !DOUBTFUL.test(word)) return text;
  throw invalidFilter('a value that is neither quoted nor a number', at);
}

/** A piece of a filter. `at` counts from 0. */
interface Token {
  readonly kind: 'word' | 'text' | '(' | ')' | '[' | ']' | 'end';
  /** The word as written, or the text between quotes with its escapes resolved. */
  readonly text: string;
  readonly at: number;
}

/** A sign, a text with its closing quote, or a word. Whatever is escaped does not close a text. */
const TOKEN = /[()[\]]|"(?:[^"\\]|\\.)*("?)|[^\s()[\]"]+/gs;

function toTokens(filter: string, repairs: Repairs): Token[] {
  return Array.from(filter.matchAll(TOKEN), ({ 0: piece, 1: closing, index: at }): Token => {
    if (piece === '(' || piece === ')' || piece === '[' || piece === ']') {
      return { kind: piece, text: piece, at };
    }
    if (closing === '') throw invalidFilter('a text that does not end', at);
    const text = closing === undefined ? piece : parseQuoted(piece, at, repairs);
    if (!isStorable(text)) throw invalidFilter('a character that is not allowed', at);
    return { kind: closing === undefined ? 'word' : 'text', text, at };
  });
}

/** A backslash that is no part of an escaped quote. */
const BACKSLASH = /\\(?!")/g;

/** Text between quotes. Where one backslash begins no escape, all are themselves: `"CORP\user"` was never escaped. */
function parseQuoted(quoted: string, at: number, repairs: Repairs): string {
  const text = findText(quoted);
  if (text !== undefined) return text;
  const plain = findText(quoted.replace(BACKSLASH, '\\\\'));
  if (plain === undefined) throw invalidFilter('a text that is no JSON string', at);
  repairs.count('filter-dialect');
  return plain;
}

/** Text of a JSON string; undefined: it is none. What starts and ends with a quote parses to a string, or not at all. */
function findText(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
