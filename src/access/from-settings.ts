import type { Credential } from '../domain/credential.ts';
import { createTokenFinder } from '../domain/token-check.ts';

/** The tokens of the settings, which need no store. */
export interface GivenTokens {
  /** Tokens of identity providers: those of `scim.tokens`, or the one of the first run. */
  readonly scim: readonly string[];
  /** setting: ops.token */
  readonly operator: string | undefined;
  /** setting: ops.readerToken */
  readonly reader: string | undefined;
}

/** Creates a finder of the settings' tokens: `settings-1` is the first of `scim.tokens`. */
export function createGivenTokenFinder({
  scim,
  operator,
  reader,
}: GivenTokens): (presented: string) => Credential | undefined {
  const all = [
    ...scim.map((token, place) => ({ token, credential: toScimCredential(place + 1) })),
    ...(operator === undefined ? [] : [{ token: operator, credential: OPERATOR }]),
    ...(reader === undefined ? [] : [{ token: reader, credential: READER }]),
  ];
  const findPlace = createTokenFinder(all.map(({ token }) => token));
  return (presented) => all[findPlace(presented)]?.credential;
}

const OPERATOR: Credential = { id: 'settings-operator', name: 'ops.token', purpose: 'operator' };
const READER: Credential = { id: 'settings-reader', name: 'ops.readerToken', purpose: 'reader' };

function toScimCredential(place: number): Credential {
  return { id: `settings-${place}`, name: `scim.tokens ${place}`, purpose: 'scim' };
}
