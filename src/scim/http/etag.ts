import type { Request } from 'express';
import { ScimError } from '../errors.ts';

/** ETag of a resource. Weak, because the names of other resources that it shows may change without it. @see RFC 7644 §3.14 */
export function toETag(version: number): string {
  return `W/"${version}"`;
}

/**
 * True when the reader already has this version (`If-None-Match`), so that 304 is the whole answer.
 * @see RFC 9110 §13.1.2: weak comparison
 */
export function isNotModified(req: Request, version: number): boolean {
  const header = req.headers['if-none-match'];
  return header !== undefined && matchesETag(header, version);
}

/**
 * Stops a write that was meant for another version (`If-Match`).
 * @throws ScimError 412. @see RFC 7644 §3.14; the comparison is weak because our ETags are
 */
export function assertVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || matchesETag(ifMatch, version)) return;
  throw new ScimError(412, 'The resource was changed since this version was read.');
}

function matchesETag(header: string, version: number): boolean {
  if (header.trim() === '*') return true;
  const wanted = toETag(version).slice(2);
  return header.split(',').some((tag) => tag.trim().replace(/^W\//i, '') === wanted);
}
