import { Router } from 'express';
import { createPages } from './pages.ts';
import { createSignIn, type SignInDeps } from './sign-in.ts';

/** Path of the console on the operators' listener. */
export const CONSOLE_PATH = '/console';

/** Serves the console: signing in, and its pages. Everything else that they show comes from `/ops`. */
export function createConsole(deps: SignInDeps): Router {
  const router = Router().use(createSignIn(deps));
  if (deps.oidc !== undefined) router.use(deps.oidc.router);
  return router.use(createPages(deps.sessions));
}
