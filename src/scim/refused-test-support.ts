import { expect } from 'vitest';

/** Matches the error of a request that is answered with 400 and this type, in these words where they are given. */
export function refused(scimType: string, message?: string): Error {
  const words = message === undefined ? {} : { message };
  return expect.objectContaining({ status: 400, scimType, ...words });
}
