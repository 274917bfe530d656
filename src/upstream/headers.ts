import { acceptedEncodings } from './exchange.ts';

/** Headers that the client alone decides, because a call would break or lie with others. */
const OWN =
  /^(?:authorization|host|connection|transfer-encoding|accept-encoding|expect|te|upgrade|content-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of one call, in lower case. @throws TypeError for one that cannot be set or written; the value is never in it. */
export function checkHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const checked = Object.entries(given).map(([written, value]: [string, unknown]) => {
    const name = written.toLowerCase();
    if (!NAME.test(name)) throw new TypeError('headers: a name is no name of a header');
    if (OWN.test(name)) throw new TypeError(`headers.${name} is set by the client`);
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw new TypeError(`headers.${name} must be text that a header can hold`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(checked);
}

/** Token of the service, with the headers of every request that presents it. */
export interface Bearer {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bearer credentials as in RFC 6750 §2.1, checked here so that no later error ever quotes them. @throws TypeError */
export function createBearer(token: string, userAgent: string): Bearer {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('the token must be visible ASCII characters without spaces');
  }
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'accept-encoding': acceptedEncodings,
    'user-agent': userAgent,
  };
  return { token, headers };
}

/** A text in which the token does not appear. */
export function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
}
