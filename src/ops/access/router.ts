import type { Router } from 'express';
import { answerErrors } from '../http/errors.ts';
import { createRouteRouter, type OpsRoute } from '../http/route.ts';
import { clientRoutes } from './clients.ts';
import type { AccessNeeds, AccessSource } from './credential.ts';
import { providerRoutes } from './providers.ts';
import { sessionRoutes } from './sessions.ts';
import { tokenRoutes } from './tokens.ts';

/** Requests about providers and credentials. */
export const accessRoutes: readonly OpsRoute<AccessNeeds>[] = [
  ...providerRoutes,
  ...tokenRoutes,
  ...clientRoutes,
  ...sessionRoutes,
];

/** Serves them in a process that serves nothing else, and whose caller tells what failed. */
export function createAccessRouter(access: AccessSource): Router {
  return createRouteRouter(accessRoutes, { access }).use(answerErrors(() => undefined));
}
