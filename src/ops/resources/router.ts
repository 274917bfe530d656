import { type Response, Router } from 'express';
import type { Adoption } from '../../domain/adoption.ts';
import { assertNever } from '../../domain/errors.ts';
import { jsonBody, parseBody } from '../body.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { type FilterWords, parseListQuery, parseSeq } from '../list-query.ts';
import type { ResourceSource } from './source.ts';

const YES_OR_NO = ['true', 'false'] as const;

/** The filters of a list of people or groups. */
export const RESOURCE_FILTERS = {
  managed: YES_OR_NO,
  due: YES_OR_NO,
  stuck: YES_OR_NO,
  disputed: YES_OR_NO,
  drifted: YES_OR_NO,
  deleted: YES_OR_NO,
  q: 'text',
} as const satisfies Readonly<Record<string, FilterWords>>;

/**
 * `GET /` lists people or groups in order of creation, those that are deleted only with `deleted=true`. `GET /{id}`
 * shows one. `POST /{id}/adopt` takes one over that the bridge only observes; one that is privileged only with
 * `{ "privileged": true }`.
 */
export function createResourceRouter<Item>({ list, find, adopt }: ResourceSource<Item>): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    const { limit, cursor, filters } = parseListQuery(req.query, RESOURCE_FILTERS);
    const { managed, due, stuck, disputed, drifted, deleted, q } = filters;
    const part = {
      managed: toFlag(managed),
      due: toFlag(due),
      stuck: toFlag(stuck),
      disputed: toFlag(disputed),
      drifted: toFlag(drifted),
      deleted: deleted === 'true',
      text: q,
    };
    const answer = await list({ ...part, limit, afterSeq: parseSeq(cursor, 0) });
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.get('/:id', async (req, res) => {
    const item = await find(req.params.id);
    if (item === undefined) return answerUnknown(res);
    res.set('Cache-Control', 'no-store').json(item);
  });
  router.post('/:id/adopt', jsonBody, async (req, res) => {
    const { id } = req.params;
    const adoption = await adopt({ id, privileged: parsePrivileged(req.body) });
    if (adoption.kind !== 'adopted') return answerRefused(res, adoption);
    res.json(await find(id));
  });
  return router;
}

function toFlag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

/** @throws InvalidRequest */
function parsePrivileged(body: unknown): 'refuse' | 'adopt' {
  const allowed = '{"privileged": true}';
  const { privileged = false } = parseBody(body, ['privileged'], allowed);
  if (typeof privileged === 'boolean') return privileged ? 'adopt' : 'refuse';
  throw new InvalidRequest(`The body may be ${allowed}, and nothing else.`);
}

function answerUnknown(res: Response): void {
  res.status(404).json({ code: 'not-found', message: 'Nothing has this id.' });
}

function answerRefused(res: Response, adoption: Exclude<Adoption, { kind: 'adopted' }>): void {
  switch (adoption.kind) {
    case 'unknown':
      answerUnknown(res);
      return;
    case 'managed':
      res.status(409).json({ code: 'managed', message: 'It is managed by the bridge already.' });
      return;
    case 'taken': {
      const message = 'Somebody else, whom a provider has sent, has its name.';
      res.status(409).json({ code: 'name-taken', message });
      return;
    }
    case 'privileged': {
      const message = `${adoption.reason} {"privileged": true} takes it over all the same.`;
      res.status(403).json({ code: 'privileged', message });
      return;
    }
    case 'could-not-look':
      res.status(503).json({ code: 'could-not-look', message: adoption.reason });
      return;
    default:
      assertNever(adoption);
  }
}
