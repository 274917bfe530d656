import type { Response } from 'express';
import { assertNever } from '../domain/errors.ts';

/** What fits a key: one resource with what is told of it, or how many there are. */
export type Keyed<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly found: readonly FoundKey[] };

/** One of several resources that fit. */
export interface FoundKey {
  readonly type: 'user' | 'group';
  readonly id: string;
}

/** One resource that fits, read when it is the only one. */
export interface Candidate<T> extends FoundKey {
  readonly read: () => Promise<T>;
}

/** Reads the only one that fits. */
export async function toKeyed<T>(candidates: readonly Candidate<T>[]): Promise<Keyed<T>> {
  const [only] = candidates;
  if (only === undefined) return { kind: 'none' };
  if (candidates.length === 1) return { kind: 'found', value: await only.read() };
  return { kind: 'several', found: candidates.map(({ type, id }) => ({ type, id })) };
}

/** Answers with it; 404 when nothing fits, 409 when several do. */
export function answerKeyed<T>(res: Response, keyed: Keyed<T>): void {
  res.set('Cache-Control', 'no-store');
  switch (keyed.kind) {
    case 'found':
      res.json(keyed.value);
      return;
    case 'none':
      res.status(404).json({ code: 'not-found', message: 'Nothing has this id or name.' });
      return;
    case 'several': {
      const { found } = keyed;
      const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
      const message = `Several have this name, ask for one by its id: ${list}.`;
      res.status(409).json({ code: 'ambiguous', message, found });
      return;
    }
    default:
      assertNever(keyed);
  }
}
