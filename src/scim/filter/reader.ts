import { isStorable } from '../../domain/text.ts';
import { invalidFilter } from '../errors.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';
import { findRule } from '../schema/resource-schemas.ts';
import type { CompareOp, FilterTarget, Literal } from './tree.ts';

/** Most parentheses, brackets and negations inside each other. */
const DEPTH_MAX = 50;

/** State of the parser of a filter. */
export interface Reader {
  readonly source: string;
  readonly tokens: readonly Token[];
  readonly repairs: Repairs;
  readonly isForOthers: boolean;
  readonly isForWrite: boolean;
  next: number;
  depth: number;
  /** Name of the list in whose brackets the reader is, where no other list is. */
  list: string | undefined;
}

/** The next token, left where it is. */
export function peek({ tokens, next }: Reader): Token {
  return tokens[next] ?? { kind: 'end', text: '', at: 0 };
}

/** Takes the next token. @throws ScimError 400 `invalidFilter`: it is of another kind */
export function take(reader: Reader, kind: Token['kind']): Token {
  const token = peek(reader);
  if (token.kind !== kind) throw invalidFilter(describeMissing(kind), token.at);
  reader.next += 1;
  return token;
}

function describeMissing(kind: Token['kind']): string {
  if (kind === 'end') return 'something after its end';
  return kind === 'word' ? 'a name or an operator is missing' : `"${kind}" is missing`;
}

/** Takes the next token where it is this word; false: it is none. */
export function takeWord(reader: Reader, word: string): boolean {
  const token = peek(reader);
  const found = token.kind === 'word' && token.text.toLowerCase() === word;
  if (found) reader.next += 1;
  return found;
}

/** Reads what is nested. @throws ScimError 400 `invalidFilter`: too deep */
export function descend<T>(reader: Reader, read: () => T): T {
  reader.depth += 1;
  if (reader.depth > DEPTH_MAX) {
    throw invalidFilter(`more than ${DEPTH_MAX} levels`, peek(reader).at);
  }
  const result = read();
  reader.depth -= 1;
  return result;
}

/** Operators of comparisons, by their words in lower case. */
export const COMPARE_OPS: ReadonlyMap<string, CompareOp> = new Map(
  (['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const).map((op) => [op, op]),
);
/** Words of the language: where one of them stands, the value is missing. */
const NO_TEXT: ReadonlySet<string> = new Set(['and', 'or', 'not', 'pr', ...COMPARE_OPS.keys()]);
/** Ambiguous words: a malformed number, a text in other quotes. */
const DOUBTFUL = /^(?:'|[+-]?(?:\d[\d.]*(?:e[+-]?\d*)?)?$)/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Value behind an operator. */
interface Value {
  readonly literal: Literal;
  /** As it was written. */
  readonly text: string;
  readonly at: number;
}

/**
 * Takes the value that the target is compared with. A text may lack its quotes where it can mean nothing else, also one
 * of several words: `displayName eq Night Shift`.
 * @throws ScimError 400 `invalidFilter`
 */
export function takeValue(reader: Reader, target: FilterTarget | undefined): Value {
  const token = peek(reader);
  if (token.kind !== 'text' && token.kind !== 'word') {
    throw invalidFilter('a value is missing', token.at);
  }
  reader.next += 1;
  const { text, at } = token;
  if (token.kind === 'text') return { literal: text, text, at };
  const isOfOthers = target === undefined && reader.isForOthers;
  const isText = isOfOthers || takesText(target);
  const words = isText ? takeMoreWords(reader, token) : undefined;
  const literal = words ?? toLiteral(token, isText);
  if (typeof literal === 'string' && !isOfOthers) reader.repairs.count('filter-unquoted');
  return { literal, text: words ?? text, at };
}

function toLiteral({ text, at }: Token, isText: boolean): Literal {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (NUMBER.test(word)) return Number(word);
  if (isText && !NO_TEXT.has(word) && !DOUBTFUL.test(word)) return text;
  throw invalidFilter('a value that is neither quoted nor a number', at);
}

/** True for an attribute that takes only text, so that it may be without quotes: `userName eq ak3@example.com`. */
function takesText(target: FilterTarget | undefined): boolean {
  if (target === undefined) return false;
  const { type, subAttributes } = target.rule;
  const compared = type === 'complex' ? findRule(subAttributes, 'value')?.type : type;
  return compared !== undefined && compared !== 'boolean' && compared !== 'integer';
}

/**
 * Takes the rest of a text of several words, up to the end of the comparison, and gives all of it. undefined: the text
 * has one word, or what follows is no end, so that something is wrong.
 */
function takeMoreWords(reader: Reader, first: Token): string | undefined {
  const { tokens, source, next } = reader;
  if (first.text.startsWith("'") || NO_TEXT.has(first.text.toLowerCase())) return undefined;
  let end = next;
  while (isPlainWord(tokens[end])) end += 1;
  const last = tokens[end - 1];
  if (end === next || last === undefined || !endsComparison(tokens[end])) return undefined;
  reader.next = end;
  return source.slice(first.at, last.at + last.text.length);
}

function isPlainWord(token: Token | undefined): boolean {
  return token?.kind === 'word' && !NO_TEXT.has(token.text.toLowerCase());
}

function endsComparison(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'end') return true;
  if (token.kind === 'word') return ['and', 'or'].includes(token.text.toLowerCase());
  return token.kind === ')' || token.kind === ']';
}

/** A piece of a filter. `at` counts from 0. */
export interface Token {
  readonly kind: 'word' | 'text' | '(' | ')' | '[' | ']' | 'end';
  /** The word as written, or the text between quotes with its escapes resolved. */
  readonly text: string;
  readonly at: number;
}

const WORD = /[^\s()[\]"]+/y;
const SPACE = /\s*/y;

/**
 * Cuts a filter into tokens, in time linear in its length. The last token is `end`.
 * @param repairs counts texts with a backslash that begins no escape
 * @throws ScimError 400 `invalidFilter`: a text that does not end or is no JSON string
 */
export function toTokens(filter: string, repairs: Repairs = UNCOUNTED): Token[] {
  const tokens: Token[] = [];
  let at = skip(SPACE, filter, 0);
  while (at < filter.length) {
    const [token, end] = readToken(filter, at, repairs);
    tokens.push(token);
    at = skip(SPACE, filter, end);
  }
  tokens.push({ kind: 'end', text: '', at });
  return tokens;
}

function readToken(filter: string, at: number, repairs: Repairs): [Token, number] {
  const first = filter[at];
  if (first === '(' || first === ')' || first === '[' || first === ']') {
    return [{ kind: first, text: first, at }, at + 1];
  }
  if (first === '"') return readText(filter, at, repairs);
  const end = skip(WORD, filter, at);
  const text = filter.slice(at, end);
  if (!isStorable(text)) throw invalidFilter('a character that is not allowed', at);
  return [{ kind: 'word', text, at }, end];
}

function readText(filter: string, at: number, repairs: Repairs): [Token, number] {
  const end = findClosingQuote(filter, at) + 1;
  if (end === 0) throw invalidFilter('a text that does not end', at);
  const text = parseQuoted(filter.slice(at, end), at, repairs);
  if (!isStorable(text)) throw invalidFilter('a character that is not allowed', at);
  return [{ kind: 'text', text, at }, end];
}

function findClosingQuote(filter: string, opening: number): number {
  for (let i = opening + 1; i < filter.length; i += 1) {
    if (filter[i] === '"') return i;
    if (filter[i] === '\\') i += 1; // Whatever is escaped, it does not close the text.
  }
  return -1;
}

/** A backslash that is no part of an escaped quote. */
const BACKSLASH = /\\(?!")/g;

/** Text between quotes. Where one backslash begins no escape, all are themselves: `"CORP\user"` was never escaped. */
function parseQuoted(quoted: string, at: number, repairs: Repairs): string {
  const text = findJsonText(quoted);
  if (text !== undefined) return text;
  const plain = parseJsonText(quoted.replace(BACKSLASH, '\\\\'), at);
  repairs.count('filter-dialect');
  return plain;
}

/** Text of a JSON string; undefined: it is none. What starts and ends with a quote parses to a string, or not at all. */
function findJsonText(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function parseJsonText(quoted: string, at: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch (cause) {
    throw invalidFilter('a text that is no JSON string', at, cause);
  }
}

/** End of the piece that starts at `at`. */
function skip(piece: RegExp, filter: string, at: number): number {
  piece.lastIndex = at;
  piece.exec(filter);
  return piece.lastIndex;
}
