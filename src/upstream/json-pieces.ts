import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnswerBody, parseJsonText, readAnswerBody } from './answer-body.ts';

/** Characters that are parsed at once, which takes a few milliseconds. */
const PIECE = 262_144;
/** Levels that are taken apart: an answer, its list, an entry, the list of an entry. */
const LEVELS_MAX = 8;

/**
 * Reads a body as `readAnswerBody` does; a long one in pieces, so that others are served in between. Never throws.
 * @param piece characters that are parsed at once
 */
export async function readBodyInPieces(text: string, piece = PIECE): Promise<AnswerBody> {
  if (text.length <= piece) return readAnswerBody(text);
  try {
    return { kind: 'json', value: await parseInPieces(text.trim(), piece) };
  } catch {
    return readAnswerBody(text);
  }
}

async function parseInPieces(text: string, piece: number): Promise<unknown> {
  const work = parseLong({ text, piece }, 0, LEVELS_MAX);
  for (;;) {
    const step = work.next();
    if (!step.done) {
      await nextTurn();
      continue;
    }
    assertFits(step.value.end === text.length);
    return step.value.value;
  }
}

interface Source {
  readonly text: string;
  readonly piece: number;
}

/** Parsed value, and the place after it. */
interface Parsed {
  readonly value: unknown;
  readonly end: number;
}

/**
 * Parses an object or a list that is longer than a piece. Several of its members together are a piece; one that is longer
 * is taken apart too. @throws SyntaxError where it is no JSON, or cannot be taken apart
 */
function* parseLong(source: Source, start: number, levels: number): Generator<void, Parsed> {
  const { text } = source;
  const isList = text[start] === '[';
  assertFits((isList || text[start] === '{') && levels > 0);
  const [open, close] = isList ? '[]' : '{}';
  // Each is a list or an object of some of the members.
  const parts: unknown[] = [];
  for (let at = start + 1; ; ) {
    yield;
    const cut = findCut(source, at);
    const { value, end } =
      cut === undefined
        ? yield* parseMember(source, at, { isList, levels })
        : { value: parseJsonText(open + text.slice(at, cut) + close), end: cut };
    const isLast = text[end] === close;
    const isEmpty = text.slice(at, end).trim() === '';
    // Else a comma without a member would pass.
    assertFits(isEmpty ? isLast && parts.length === 0 : isLast || text[end] === ',');
    parts.push(value);
    at = end + 1;
    if (isLast) return { value: isList ? parts.flat() : join(parts), end: at };
  }
}

/** Parses one long member, as a list or an object of it alone. */
function* parseMember(
  source: Source,
  start: number,
  { isList, levels }: { readonly isList: boolean; readonly levels: number },
): Generator<void, Parsed> {
  const { text } = source;
  const name = isList ? undefined : parseName(text, start);
  const begin = skipSpace(text, name?.end ?? start);
  const { value, end } = yield* parseLong(source, begin, levels - 1);
  const part = name === undefined ? [value] : Object.fromEntries([[String(name.value), value]]);
  return { value: part, end: skipSpace(text, end) };
}

/** Joins objects into one. A name may be one that means something to JavaScript, which assigning would not keep. */
function join(objects: readonly unknown[]): unknown {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object ?? {})));
}

/** Parses the name of a member, up to its colon. */
function parseName(text: string, start: number): Parsed {
  const begin = skipSpace(text, start);
  const quote = findQuote(text, begin + 1);
  const colon = skipSpace(text, quote + 1);
  assertFits(text[begin] === '"' && text[colon] === ':');
  return { value: parseJsonText(text.slice(begin, quote + 1)), end: colon + 1 };
}

/** Finds the end of the members that are parsed together: the bracket that closes, or the last comma within a piece. */
function findCut({ text, piece }: Source, start: number): number | undefined {
  let depth = 0;
  let comma: number | undefined;
  const end = Math.min(text.length, start + piece);
  for (let at = start; at < end; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = findQuote(text, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 0) return at;
        depth -= 1;
        break;
      case 0x2c: // ,
        if (depth === 0) comma = at;
        break;
    }
  }
  return comma;
}

/** Finds the quote that ends a text that begins at `start`; the end of everything when there is none. */
function findQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > start && text[at - escapes - 1] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (' \t\r\n'.includes(text[at] ?? '-')) at += 1;
  return at;
}

function assertFits(isFit: boolean): void {
  if (!isFit) throw new SyntaxError('it cannot be parsed in pieces');
}
