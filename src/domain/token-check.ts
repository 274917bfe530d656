import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Finds the place of a presented token among `tokens`, from 0; -1: none. Digests of equal length are compared in
 * constant time, all of them each time, so that the time taken says nothing of the tokens.
 */
export function createTokenFinder(tokens: readonly string[]): (presented: string) => number {
  const digests = tokens.map(digest);
  return (presented) => {
    const candidate = digest(presented);
    let found = -1;
    for (const [index, expected] of digests.entries())
      if (timingSafeEqual(expected, candidate)) found = index;
    return found;
  };
}

/** Checks whether a presented token is one of `tokens`, in the same way. */
export function createTokenCheck(tokens: readonly string[]): (presented: string) => boolean {
  const find = createTokenFinder(tokens);
  return (presented) => find(presented) >= 0;
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
