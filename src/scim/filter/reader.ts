import type { Repairs } from '../repairs.ts';
import { invalidFilter, type Token } from './tokens.ts';

/** State of the parser of a filter. */
export interface Reader {
  readonly source: string;
  readonly tokens: readonly Token[];
  readonly depthMax: number;
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
  if (reader.depth > reader.depthMax) {
    throw invalidFilter(`more than ${reader.depthMax} levels`, peek(reader).at);
  }
  const result = read();
  reader.depth -= 1;
  return result;
}
