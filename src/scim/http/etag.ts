import { ScimError } from '../errors.ts';

/** ETag of a resource. Weak: one version is shown in many forms, by the attributes that a request asks for. @see RFC 7644 §3.14 */
export function toETag(version: string): string {
  return `W/"${version}"`;
}

/** Versions that a request is meant for, as its headers name them; undefined: any. */
export interface Preconditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Stops a request that was meant for another version, by `If-Match` or `If-None-Match`. @throws ScimError 412 @see RFC 7644 §3.14, RFC 9110 §13.1 */
export function assertPreconditions({ ifMatch, ifNoneMatch }: Preconditions, version: string) {
  if (ifMatch !== undefined && !matchesETag(ifMatch, version)) {
    throw new ScimError(412, 'The resource was changed since this version was read.');
  }
  if (!matchesETag(ifNoneMatch, version)) return;
  throw new ScimError(412, 'The resource has the version that If-None-Match excludes.');
}

/** True when a header names this version. @see RFC 9110 §13.1: the comparison is weak because our ETags are */
export function matchesETag(header: string | undefined, version: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const wanted = toETag(version).slice(2);
  return header.split(',').some((tag) => tag.trim().replace(/^W\//i, '') === wanted);
}
