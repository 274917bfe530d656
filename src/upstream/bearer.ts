import { acceptedEncodings } from './decode-body.ts';

/** Token of the service, which may be renewed while calls go on. */
export interface Bearer {
  readonly token: () => string;
  /** Names and values of the headers of every request in turn. */
  readonly headers: () => readonly string[];
  /** Presents another token from the next request on. @throws TypeError for a token that no header can carry */
  renew(token: string): void;
}

/** Creates a bearer. @throws TypeError for a token that no header can carry */
export function createBearer(first: string, userAgent: string): Bearer {
  let current = { token: first, headers: createHeaders(first, userAgent) };
  return {
    token: () => current.token,
    headers: () => current.headers,
    renew(token) {
      current = { token, headers: createHeaders(token, userAgent) };
    },
  };
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
