import { isStorable } from '../../domain/text.ts';
import { badRequest, type ScimError } from '../errors.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';

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

/** 400 `invalidFilter`, with the place where reading stopped. */
export function invalidFilter(problem: string, at: number, cause?: unknown): ScimError {
  const detail = `The filter cannot be understood: ${problem} at character ${at + 1}.`;
  return badRequest('invalidFilter', detail, cause);
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
