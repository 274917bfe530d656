import { type RequestHandler, type Response, Router } from 'express';
import type { Clients, ClientWithSecrets } from '../../access/clients.ts';
import type { SecretRow } from '../../store/clients.ts';
import { jsonBody, parseBody } from '../body.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { type PartQuery, readPage } from '../list-query.ts';
import { getOperator } from '../operator.ts';
import { noteTarget } from '../operator-acts.ts';
import { type LifeView, toLifeView } from './life-view.ts';
import { parseAccessQuery } from './query.ts';
import { parseName, parseValidFor } from './wish.ts';

/** A secret of a client as an operator is shown it; the text itself nobody sees twice. */
export interface SecretView extends LifeView {
  /** `secret-…` */
  readonly id: string;
  readonly expiresAt: string;
}

/** An OAuth client as an operator is shown it. */
export interface ClientView extends LifeView {
  /** `client-…`: the `client_id` of OAuth. */
  readonly id: string;
  readonly name: string;
  /** The oldest first. */
  readonly secrets: readonly SecretView[];
}

const VALID = { min: '365d', max: '1095d', otherwise: '730d' } as const;

/**
 * `GET /` lists clients, the newest first; `POST /` `{ name, expires }` makes one and `POST /{id}/rotate` gives it a second
 * secret, whose texts are in these answers alone; `POST /{id}/revoke` ends one, or with `{ secret }` one of its secrets.
 */
export function createClientsRouter(clients: Clients): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    const { beforeSeq, limit, ...query } = parseAccessQuery(req.query);
    const list = async (part: PartQuery) => {
      const some = await clients.list({ ...query, beforeSeq: part.from, limit: part.limit });
      return some.map((one) => ({ ...one, seq: one.client.seq }));
    };
    const page = { from: beforeSeq, limit };
    const answer = await readPage(page, list, (rows) => rows.map(toClientView));
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.post('/', jsonBody, makeClient(clients));
  router.post('/:id/rotate', jsonBody, rotateSecret(clients));
  router.post('/:id/revoke', jsonBody, async (req, res) => {
    const found = await clients.revoke(req.params.id, parseSecret(req.body));
    res.set('Cache-Control', 'no-store');
    if (found === undefined) return answerNone(res);
    noteTarget(res, `client-${found.client.id}`);
    res.json(toClientView(found));
  });
  return router;
}

function makeClient({ make }: Clients): RequestHandler {
  return async (req, res) => {
    const allowed = '{"name": "…", "expires": "730d"}';
    const { name, expires } = parseBody(req.body, ['name', 'expires'], allowed);
    const wish = { validForMs: parseValidFor(expires, VALID), by: getOperator(res).id };
    const made = await make(parseName(name), wish);
    res.set('Cache-Control', 'no-store');
    if (made.kind === 'made') return answerMade(res, made);
    const message = 'Another client has this name: revoke it first, or take another name.';
    res.status(409).json({ code: 'name-taken', message });
  };
}

function rotateSecret({ rotate }: Clients): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { expires } = parseBody(req.body, ['expires'], '{"expires": "730d"}');
    const wish = { validForMs: parseValidFor(expires, VALID), by: getOperator(res).id };
    const made = await rotate(req.params.id, wish);
    res.set('Cache-Control', 'no-store');
    if (made.kind === 'made') return answerMade(res, made);
    if (made.kind === 'unknown') return answerNone(res);
    const message = 'Two secrets of this client are valid: revoke one of them first.';
    res.status(409).json({ code: 'two-secrets', message });
  };
}

function answerMade(res: Response, made: ClientWithSecrets & { readonly text: string }): void {
  noteTarget(res, `client-${made.client.id}`);
  res.status(201).json({ ...toClientView(made), secret: made.text });
}

function answerNone(res: Response): void {
  const message = 'No client has this id or name, or no such secret.';
  res.status(404).json({ code: 'not-found', message });
}

/** @throws InvalidRequest */
function parseSecret(body: unknown): string | undefined {
  const { secret } = parseBody(body, ['secret'], '{"secret": "secret-…"}');
  if (secret === undefined || typeof secret === 'string') return secret;
  throw new InvalidRequest('secret is the id of a secret.');
}

function toClientView({ client, secrets }: ClientWithSecrets): ClientView {
  return {
    id: `client-${client.id}`,
    name: client.name,
    ...toLifeView(client),
    secrets: secrets.map(toSecretView),
  };
}

function toSecretView(row: SecretRow): SecretView {
  const expiresAt = new Date(row.expires_at).toISOString();
  return { id: `secret-${row.id}`, ...toLifeView(row), expiresAt };
}
