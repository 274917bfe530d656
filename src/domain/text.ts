/** Body that is not UTF-8. Its status is 400, for parsers of bodies. */
class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';
  readonly status = 400;
  constructor() {
    super('The body is not UTF-8.');
  }
}

/**
 * Stops a body that is not UTF-8 before it is decoded, as `verify` of express's parsers: decoding would put another
 * character in the place of what it does not understand. @throws NotUtf8. @see RFC 8259 §8.1
 */
export function assertUtf8(
  _req: unknown,
  _res: unknown,
  bytes: Buffer,
  encoding: string | null | undefined,
): void {
  const isDeclared = encoding === undefined || encoding === null || /^utf-?8$/.test(encoding);
  // Not imported: the console takes words from here, and a browser has no such module.
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  if (isDeclared && !isUtf8(bytes)) throw new NotUtf8();
}

/**
 * Most combining marks in a row, in UTF-16 units. Normalisation puts them in order, in time that is quadratic in their
 * number. @see UAX #15 §13, Stream-Safe Text Format
 */
const MARKS_MAX = 30;
const MARK = /^\p{M}/u;
/** First unit of a combining mark. */
const FIRST_MARK = 0x300;

/** True for text that every store takes and that is compared in linear time: no NUL, no half of a surrogate pair, few marks in a row. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && !hasTooManyMarks(text);
}

/** The text without the combining marks beyond the thirtieth in a row, for texts that cannot be refused. */
export function limitMarks(text: string): string {
  if (!hasTooManyMarks(text)) return text;
  return text.replace(/\p{M}+/gu, (marks) => {
    const kept = marks.slice(0, MARKS_MAX);
    return kept.isWellFormed() ? kept : kept.slice(0, -1);
  });
}

/** True when more than `MARKS_MAX` units of combining marks follow each other. Looks where such a row would have to pass. */
function hasTooManyMarks(text: string): boolean {
  for (let at = MARKS_MAX; at < text.length; at += MARKS_MAX + 1) {
    if (!isMarkAt(text, at)) continue;
    let [start, end] = [at, at + 1];
    while (start > 0 && isMarkAt(text, start - 1)) start -= 1;
    while (end - start <= MARKS_MAX && end < text.length && isMarkAt(text, end)) end += 1;
    if (end - start > MARKS_MAX) return true;
  }
  return false;
}

function isMarkAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < FIRST_MARK) return false;
  const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff;
  return MARK.test(String.fromCodePoint(text.codePointAt(isSecondHalf ? at - 1 : at) ?? unit));
}

/** A number with its noun: `1 group`, `2 groups`. */
export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
