import type { Response } from 'express';

/** What the rest of a request is told of its credential. */
interface Presented {
  /** Stable, and never a secret: see `Credential`. */
  readonly id: string;
}

/** Keeps with the answer whose request it is. */
export function setCredential(res: Response, { id }: Presented): void {
  res.locals.credential = { id };
}

/** Whose request it is. Behind `authenticate` everybody is known; before it the id is empty. */
export function getCredential(res: Response): Presented {
  return parsePresented(res.locals.credential);
}

function parsePresented(value: unknown): Presented {
  return (value ?? { id: '' }) as Presented;
}
