import type { Request } from 'express';

/** Name of the cookie that holds a session of the console. */
const COOKIE = 'scim_bridge_session';
/** Its beginning over HTTPS: no other host of the domain can set such a cookie. @see RFC 6265bis §4.1.3.2 */
const HOST = '__Host-';
/** Header that every change by a session needs: no form and no foreign page can send it. */
const CHANGE_HEADER = 'x-scim-bridge-console';
/** Header of a page that refreshes itself without a person: it does not keep a session alive. */
const REFRESH_HEADER = 'x-scim-bridge-refresh';

/** The text of the session that a request presents as a cookie. */
export function findSessionText(req: Pick<Request, 'headers'>): string | undefined {
  const cookies = (req.headers.cookie ?? '').split(';').map((part) => part.trim().split('=', 2));
  const find = (wanted: string) => cookies.find(([name, value]) => name === wanted && value)?.[1];
  return find(HOST + COOKIE) ?? find(COOKIE);
}

/** True when a request that changes something comes from a page of this origin. @see OWASP, custom request headers */
export function isFromOwnPage({ headers }: Pick<Request, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  return headers[CHANGE_HEADER] !== undefined && (site === undefined || site === 'same-origin');
}

/** How a request uses its session: for a person, or for a page that refreshes itself, which does not keep it alive. */
export function toSessionUse({ headers }: Pick<Request, 'headers'>): 'person' | 'refresh' {
  return headers[REFRESH_HEADER] === undefined ? 'person' : 'refresh';
}

/** True if the person's connection is encrypted: browsers name the origin of every request that changes something. */
export function isOverHttps({ headers }: Pick<Request, 'headers'>): boolean {
  return /^https:/i.test(headers.origin ?? '');
}

/** The `Set-Cookie` of a session for so many milliseconds, or of its end where `text` is empty. */
export function toSessionCookie(
  text: string,
  { ms, isSecure }: { readonly ms: number; readonly isSecure: boolean },
): string {
  const age = Math.floor(ms / 1_000);
  const [host, secure] = isSecure ? [HOST, '; Secure'] : ['', ''];
  return `${host}${COOKIE}=${text}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
