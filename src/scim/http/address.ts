import type { Request, RequestHandler } from 'express';
import { findPart } from '../dialect/parse-json.ts';
import type { Repairs } from '../repairs.ts';

/** Reads an address as it is meant: one slash where two addresses were joined (`//Users`), and plus signs that are no spaces. */
export const readAddress: RequestHandler = (req, _res, next) => {
  const [path = ''] = req.url.split('?', 1);
  const query = req.url.slice(path.length);
  if (path.includes('//') || query.includes('+')) {
    req.url = `${path.replace(/\/{2,}/g, '/')}${keepPlusSigns(query)}`;
  }
  next();
};

/** A text of a filter with its quotes, of which those inside are escaped. One that does not end is looked through once. */
const TEXT = /("|%22)(.*?)(?:(?<!\\|%5c)\1|$)/gi;
/** A character that a form would encode, or a space that a form writes in another way. */
const NO_FORM = /%20|[^\w*.%+-]/;

/** Encodes plus signs that are no spaces (RFC 3986 §2.2), as some programs leave them in an address. */
function keepPlusSigns(query: string): string {
  if (query.replace(TEXT, '').includes('+')) return query;
  return query.replace(TEXT, (quoted, _quote, text: string) =>
    NO_FORM.test(text) ? quoted.replaceAll('+', '%2B') : quoted,
  );
}

/** True for a request that changes nothing. */
export function isRead({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return method === 'GET' || method === 'HEAD' || path.endsWith('/.search');
}

/** The parameters of a list, a search or an answer, as texts of a query or values of a search body. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Names of parameters. @see RFC 7644 §3.4.2, §3.4.3, §3.9; RFC 9865 §2 */
const NAMES = 'filter sortBy sortOrder startIndex count cursor attributes excludedAttributes'.split(
  ' ',
);

/** The parameters that are known here, by their names in any case: a filter that is overlooked would find everybody. */
export function toParameters(given: QueryParameters, repairs: Repairs): QueryParameters {
  const parameters: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = findPart(given, name, repairs);
    if (value !== undefined) parameters[name] = value;
  }
  return parameters;
}
