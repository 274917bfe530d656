import { type Response, Router } from 'express';
import { assertNever } from '../../domain/errors.ts';
import type { Explanation } from './explanation.ts';

/** What fits a key: one resource with its explanation, or how many there are. */
export type Explained =
  | { readonly kind: 'found'; readonly explanation: Explanation }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly found: readonly FoundKey[] };

/** One of several resources that fit. */
export interface FoundKey {
  readonly type: 'user' | 'group';
  readonly id: string;
}

/** Explains resources by their id or name. */
export interface ExplainSource {
  readonly user: (key: string) => Promise<Explained>;
  readonly group: (key: string) => Promise<Explained>;
  /** Whichever of the two it is. */
  readonly any: (key: string) => Promise<Explained>;
}

/**
 * `GET /users/{key}/explain`, `GET /groups/{key}/explain` and, for either, `GET /explain/{key}`: why each field is as
 * it is. The key is a SCIM id, a userName, an address or a displayName. 404 when nothing fits, 409 when several do.
 */
export function createExplainRouter({ user, group, any }: ExplainSource): Router {
  const router = Router();
  router.get('/users/:key/explain', async (req, res) => {
    answer(res, await user(req.params.key));
  });
  router.get('/groups/:key/explain', async (req, res) => {
    answer(res, await group(req.params.key));
  });
  router.get('/explain/:key', async (req, res) => {
    answer(res, await any(req.params.key));
  });
  return router;
}

function answer(res: Response, explained: Explained): void {
  res.set('Cache-Control', 'no-store');
  switch (explained.kind) {
    case 'found':
      res.json(explained.explanation);
      return;
    case 'none':
      res.status(404).json({ code: 'not-found', message: 'Nothing has this id or name.' });
      return;
    case 'several': {
      const { found } = explained;
      const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
      const message = `Several have this name, ask for one by its id: ${list}.`;
      res.status(409).json({ code: 'ambiguous', message, found });
      return;
    }
    default:
      assertNever(explained);
  }
}
