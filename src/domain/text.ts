/** Body that is not UTF-8. Its status is 400, for parsers of bodies. */
class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';
  readonly status = 400;
  constructor() {
    super('The body is not UTF-8.');
  }
}

/** Refuses a body that is not UTF-8, before decoding replaces what is wrong. @throws NotUtf8. @see RFC 8259 §8.1 */
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

/** Most combining marks in a row: ordering them takes quadratic time. @see UAX #15 §13, Stream-Safe Text Format */
const MARKS_MAX = 30;
/** All marks in a row, so that each is looked at once. */
const MARKS = /\p{M}+/gu;

/** True for text that every store takes and that is compared in linear time: no NUL, no half of a surrogate pair, few marks in a row. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && !hasTooManyMarks(text);
}

/** The text without the combining marks beyond the thirtieth in a row, for texts that cannot be refused. */
export function limitMarks(text: string): string {
  if (!hasTooManyMarks(text)) return text;
  return text.replace(MARKS, (marks) => {
    const kept = marks.slice(0, MARKS_MAX);
    return kept.isWellFormed() ? kept : kept.slice(0, -1);
  });
}

function hasTooManyMarks(text: string): boolean {
  for (const [marks] of text.matchAll(MARKS)) if (marks.length > MARKS_MAX) return true;
  return false;
}

/** A number with its noun: `1 group`, `1,200 groups`. */
export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
