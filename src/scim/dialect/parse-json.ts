import type { JsonValue } from '../../domain/json.ts';
import { invalidSyntax, invalidValue } from '../errors.ts';

/** Most numbers of a body with a fraction, an exponent or 16 digits; providers send few. */
const ODD_NUMBERS_MAX = 10_000;

/** A possible number of that kind: behind a colon, a comma or a bracket. Some texts match too. */
const MAY_BE_ODD = /(?:"\s*:|[[,])\s*(?:-0|-?\d{16}|-?\d+[.eE])/;
const CANDIDATE = /(?:"\s*:|[[,])\s*(?=-0|-?\d{16}|-?\d+[.eE])(-?[\d.eE+-]+)/g;

/**
 * Parses JSON. A number that JavaScript would write in another way (`1.10`, more digits than a number holds) becomes its
 * own text: a text attribute loses nothing, and a number attribute can refuse it.
 * @throws ScimError 400 `invalidSyntax`: no JSON; `invalidValue`: more numbers with a fraction, an exponent or 16 digits than any provider sends
 */
export function parseJson(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (!MAY_BE_ODD.test(text)) return value;
    const quoted = quoteOddNumbers(text);
    return quoted === text ? value : (JSON.parse(quoted) as JsonValue);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidSyntax('The body is not JSON.', error);
  }
}

/** Different names in one body: each new one costs the parser as much as many known ones. */
const NAMES_MAX = 5_000;
/** Objects and lists in one body, each of which costs the parser time: a group of 100,000 members fits. */
const PARTS_MAX = 150_000;

const [COLON, QUOTE, OBJECT, LIST] = [...':"{['].map((sign) => sign.charCodeAt(0));

/**
 * Stops a text, which may be no JSON, that would keep the parser busy: nothing interrupts it.
 * @throws ScimError 400 `invalidValue`: more than `NAMES_MAX` different names, or than `PARTS_MAX` objects and lists
 */
export function assertQuick(text: string): void {
  const names = new Set<string>();
  let parts = 0;
  let name = { start: 0, end: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OBJECT || code === LIST) parts += 1;
    else if (code === COLON) names.add(text.slice(name.start, name.end));
    else if (code === QUOTE) {
      const end = findClosingQuote(text, at);
      name = { start: at, end };
      at = end === -1 ? text.length : end;
    } else continue;
    if (names.size > NAMES_MAX) {
      throw invalidValue(`The body has more than ${NAMES_MAX} different names of attributes.`);
    }
    if (parts > PARTS_MAX) {
      throw invalidValue(`The body has more than ${PARTS_MAX} objects and lists.`);
    }
  }
}

/** Puts quotes around odd numbers. The text is valid JSON, so every match outside its strings is a number. */
function quoteOddNumbers(text: string): string {
  const isInString = createStringWatch(text);
  const parts: string[] = [];
  let copied = 0;
  let met = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, number = ''] = match;
    const start = match.index + whole.length - number.length;
    if (isInString(start)) continue;
    met += 1;
    if (met > ODD_NUMBERS_MAX) {
      throw invalidValue(`The body has more than ${ODD_NUMBERS_MAX} numbers that are not whole.`);
    }
    if (String(Number(number)) === number) continue;
    parts.push(text.slice(copied, start), `"${number}"`);
    copied = start + number.length;
  }
  return parts.join('') + text.slice(copied);
}

/** Tells for rising places in the text which are inside a string. Looks at each quote once. */
function createStringWatch(text: string): (at: number) => boolean {
  let inside = false;
  let next = text.indexOf('"');
  return (at) => {
    while (next !== -1 && next < at) {
      inside = !inside;
      next = inside ? findClosingQuote(text, next) : text.indexOf('"', next + 1);
    }
    return inside;
  };
}

/** Place of the quote that ends the text which begins at `opening`, or -1: one behind an odd number of backslashes is in it. */
function findClosingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text[first - 1] === '\\') first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}
