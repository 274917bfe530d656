import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Says whether a presented token is one of `tokens`. Digests of equal length are compared in constant
 * time, all of them each time, so that the time taken says nothing of the tokens.
 */
export function createTokenCheck(tokens: readonly string[]): (presented: string) => boolean {
  const digests = tokens.map(digest);
  return (presented) => {
    const candidate = digest(presented);
    let known = false;
    for (const expected of digests) if (timingSafeEqual(expected, candidate)) known = true;
    return known;
  };
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
