import { Router } from 'express';
import type { Access } from '../../access/access.ts';
import { answerErrors } from '../answer-errors.ts';
import { createClientsRouter } from './clients-router.ts';
import { createTokensRouter } from './tokens-router.ts';

/** What operators keep of those who may ask. */
export type AccessSource = Pick<Access, 'tokens' | 'clients'>;

/** What is served of it below `/ops`, and where. */
export function listAccessRouters({
  tokens,
  clients,
}: AccessSource): readonly (readonly [path: string, router: Router])[] {
  return [
    ['/tokens', createTokensRouter(tokens)],
    ['/clients', createClientsRouter(clients)],
  ];
}

/** The same for a process that serves nothing else, and whose caller tells what failed. */
export function createAccessRouter(source: AccessSource): Router {
  const router = Router();
  for (const [path, served] of listAccessRouters(source)) router.use(path, served);
  return router.use(answerErrors(() => undefined));
}
