/**
 * Refuses a body that is not UTF-8, before decoding replaces what is wrong. @throws Error with the status that a parser
 * of bodies answers. @see RFC 8259 §8.1
 */
export function assertUtf8(
  _req: unknown,
  _res: unknown,
  bytes: Buffer,
  encoding?: string | null,
): void {
  // Not imported: the console takes words from here, and a browser has no such module.
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  if (!/^(?:utf-?8)?$/.test(encoding ?? '') || isUtf8(bytes)) return;
  throw Object.assign(new Error('The body is not UTF-8.'), { status: 400 });
}

/** Most combining marks in a row: ordering them takes quadratic time. @see UAX #15 §13, Stream-Safe Text Format */
const MARKS_MAX = 30;
/** All marks in a row, so that each is looked at once. */
const MARKS = /\p{M}+/gu;

/** True for text that every store takes and that is compared in linear time: no NUL, no half of a surrogate pair, few marks in a row. */
export const isStorable = (text: string) =>
  text.isWellFormed() && !text.includes('\0') && !hasTooManyMarks(text);

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
export const toCount = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
