import { duration } from '../../settings/kinds.ts';
import { InvalidRequest } from '../invalid-request.ts';

/** Ids begin like this, and a name must not look like one. */
const NAME = /^(?!(?:token|client|settings)-)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that a credential is to have. @throws InvalidRequest */
export function parseName(name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new InvalidRequest(
    'name is 1 to 64 letters, digits, dots, hyphens and underscores, and does not begin like an id (token-, client-, settings-).',
  );
}

/** How long something is valid for. */
export interface ValidFor {
  readonly min: string;
  readonly max: string;
  readonly otherwise: string;
}

/** How long a credential is to be valid, in milliseconds. @throws InvalidRequest */
export function parseValidFor(expires: unknown, { min, max, otherwise }: ValidFor): number {
  const parsed = duration({ min, max }).safeParse(expires ?? otherwise);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`expires is a duration from ${min} to ${max}, such as ${otherwise}.`);
}
