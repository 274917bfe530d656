import { Router } from 'express';
import type { Tokens } from '../../access/tokens.ts';
import { PURPOSES, type Purpose } from '../../domain/credential.ts';
import type { TokenRow } from '../../store/tokens.ts';
import { jsonBody, parseBody } from '../body.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { readPage } from '../list-query.ts';
import { getOperator } from '../operator.ts';
import { noteTarget } from '../operator-acts.ts';
import { type LifeView, toLifeView, toMoment } from './life-view.ts';
import { parseAccessQuery } from './query.ts';
import { parseName, parseValidFor } from './wish.ts';

/** A token as an operator is shown it; the text itself nobody sees twice. */
export interface TokenView extends LifeView {
  /** `token-…` */
  readonly id: string;
  readonly name: string;
  readonly for: Purpose;
  /** null: never. */
  readonly expiresAt: string | null;
}

const VALID = { min: '1m', max: '3650d', otherwise: '365d' } as const;

/**
 * `GET /` lists tokens, the newest first; `POST /` `{ name, for, expires }` makes one and is the only answer that has its
 * text; `POST /{id}/revoke` ends one, by its id or its name.
 */
export function createTokensRouter({ make, list, revoke }: Tokens): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    const { beforeSeq, limit, ...query } = parseAccessQuery(req.query);
    const answer = await readPage(
      { from: beforeSeq, limit },
      (part) => list({ ...query, beforeSeq: part.from, limit: part.limit }),
      (rows) => rows.map(toTokenView),
    );
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.post('/', jsonBody, async (req, res) => {
    const made = await make({ ...parseWish(req.body), by: getOperator(res).id });
    res.set('Cache-Control', 'no-store');
    if (made.kind === 'made') {
      noteTarget(res, toTokenView(made.row).id);
      res.status(201).json({ ...toTokenView(made.row), token: made.text });
      return;
    }
    const message = 'Another token has this name: revoke it first, or take another name.';
    res.status(409).json({ code: 'name-taken', message });
  });
  router.post('/:id/revoke', async (req, res) => {
    const row = await revoke(req.params.id);
    res.set('Cache-Control', 'no-store');
    if (row !== undefined) {
      const view = toTokenView(row);
      noteTarget(res, view.id);
      return void res.json(view);
    }
    res.status(404).json({ code: 'not-found', message: 'No token has this id or name.' });
  });
  return router;
}

function toTokenView(row: TokenRow): TokenView {
  return {
    id: `token-${row.id}`,
    name: row.name,
    for: row.purpose,
    ...toLifeView(row),
    expiresAt: toMoment(row.expires_at),
  };
}

/** @throws InvalidRequest */
function parseWish(body: unknown) {
  const allowed = '{"name": "…", "for": "scim", "expires": "365d"}';
  const {
    name,
    for: purpose = 'scim',
    expires,
  } = parseBody(body, ['name', 'for', 'expires'], allowed);
  return {
    name: parseName(name),
    purpose: parsePurpose(purpose),
    validForMs: expires === 'never' ? null : parseValidFor(expires, VALID),
  };
}

/** @throws InvalidRequest */
function parsePurpose(text: unknown): Purpose {
  const purpose = PURPOSES.find((one) => one === text);
  if (purpose !== undefined) return purpose;
  throw new InvalidRequest(`for is one of: ${PURPOSES.join(', ')}.`);
}
