import { acceptedEncodings } from './answer-body.ts';

/** Token of the service, which may be renewed while calls go on. */
export interface Bearer {
  readonly token: string;
  /** Names and values of the headers of every request in turn. */
  readonly headers: readonly string[];
  /** Presents another token from the next request on. @throws TypeError for a token that no header can carry */
  renew(token: string): void;
}

/** Creates a bearer. @throws TypeError for a token that no header can carry */
export function createBearer(first: string, userAgent: string): Bearer {
  const bearer = {
    token: first,
    headers: createHeaders(first, userAgent),
    renew(token: string) {
      bearer.headers = createHeaders(token, userAgent);
      bearer.token = token;
    },
  };
  return bearer;
}

/** Bearer credentials as in RFC 6750 §2.1, checked here so that no later error ever quotes them. */
function createHeaders(token: string, userAgent: string): string[] {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('the token must be visible ASCII characters without spaces');
  }
  return [
    ['authorization', `Bearer ${token}`],
    ['accept', 'application/json'],
    ['accept-encoding', acceptedEncodings],
    ['user-agent', userAgent],
  ].flat();
}

/** Headers that the client alone decides, because a call would break or lie with others. */
const OWN =
  /^(?:authorization|host|connection|transfer-encoding|accept-encoding|expect|te|upgrade|content-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Adds the headers of one call to those of every call: names and values in turn.
 * @throws TypeError for a header that cannot be set or written; the value is never in it.
 */
export function addHeaders(
  pairs: readonly string[],
  added: Readonly<Record<string, string>> | undefined,
): string[] {
  if (added === undefined) return [...pairs];
  const given = Object.entries(added).map(([name, value]) => checkHeader(name, value));
  const replaced = new Set(given.map(([name]) => name));
  const kept = pairs.filter((_, n) => !replaced.has(pairs[n - (n % 2)] ?? ''));
  return [...kept, ...given.flat()];
}

function checkHeader(written: string, value: unknown): [name: string, value: string] {
  const name = written.toLowerCase();
  if (!NAME.test(name)) throw new TypeError('headers: a name is no name of a header');
  if (OWN.test(name)) throw new TypeError(`headers.${name} is set by the client`);
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw new TypeError(`headers.${name} must be text that a header can hold`);
  }
  return [name, value];
}
