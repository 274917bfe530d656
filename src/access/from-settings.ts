import { createTokenFinder } from '../domain/token-check.ts';
import type { Credential } from './credential.ts';

/** Tokens of identity providers that settings, or the first run, have given: `settings-1` is the first. */
export function createScimTokenFinder(
  tokens: readonly string[],
): (presented: string) => Credential | undefined {
  const findPlace = createTokenFinder(tokens);
  const credentials = tokens.map((_, place) => toCredential(place + 1));
  return (presented) => credentials[findPlace(presented)];
}

function toCredential(place: number): Credential {
  return { id: `settings-${place}`, name: `scim.tokens, ${place}`, purpose: 'scim' };
}
