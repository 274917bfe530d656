import type { RequestHandler } from 'express';
import { ScimError } from '../errors.ts';

/** The end of a route: another method answers 405 and says which are allowed. @see RFC 9110 §15.5.6 */
export function allowOnly(...methods: readonly string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return (_req, res) => {
    res.setHeader('Allow', allowed.join(', '));
    throw new ScimError(405, `Only ${methods.join(', ')} are possible here.`);
  };
}
