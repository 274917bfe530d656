import { isUtf8 } from 'node:buffer';

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
  const isDeclared = encoding === undefined || encoding === null || encoding === 'utf-8';
  if (isDeclared && !isUtf8(bytes)) throw new NotUtf8();
}

/** True when every store takes the text: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
