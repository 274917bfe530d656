import express, { type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { FindCredential } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import {
  findSessionText,
  isFromOwnPage,
  isOverHttps,
  toSessionCookie,
  toSessionUse,
} from '../access/session-cookie.ts';
import { isOfPerson, LINK_CREDENTIAL, type Session, type Sessions } from '../access/sessions.ts';
import type { OidcSignIn } from './oidc.ts';
import type { SignInActs } from './sign-in-acts.ts';

/** Dependencies of signing in. */
export interface SignInDeps {
  readonly sessions: Sessions;
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly clock: { now(): number };
  readonly acts: SignInActs;
  /** Signing in with the identity provider of the company; undefined where none is set. */
  readonly oidc: OidcSignIn | undefined;
}

const body = z.strictObject({ token: z.string().min(1).max(500) });

/**
 * `POST /console/session` with `{"token": "…"}` signs in, `GET` tells who is signed in, and `DELETE` signs out. The
 * session is a cookie, which opens `/ops` as the token does. `GET /console/link` with the secret of the first start does so once.
 */
export function createSignIn(deps: SignInDeps): Router {
  const router = Router();
  router.get('/session', tellSession(deps));
  router.post('/session', express.json({ limit: '4kb' }), signIn(deps));
  router.delete('/session', signOut(deps));
  router.get('/link', signInByLink(deps));
  return router;
}

function tellSession({ sessions, oidc }: SignInDeps): RequestHandler {
  return async (req, res) => {
    const text = findSessionText(req);
    const session = text === undefined ? undefined : await sessions.find(text, toSessionUse(req));
    // Nobody signed in is an answer here and no failed attempt.
    send(res, 200, session ? toView(session) : { name: null, oidc: oidc !== undefined });
  };
}

function signIn(deps: SignInDeps): RequestHandler {
  const { sessions, findCredential, attempts, clock, acts } = deps;
  return async (req, res) => {
    if (!isFromOwnPage(req)) return answerForeign(res);
    const parsed = body.safeParse(req.body);
    if (!parsed.success) {
      return send(res, 400, { code: 'invalid', message: 'The body has to be {"token": "…"}.' });
    }
    const { token } = parsed.data;
    const credential = await findCredential(token);
    if (credential?.purpose !== 'operator' && credential?.purpose !== 'reader') {
      const isTooMany = (await attempts.failed(res, 'ops', 'something')) !== undefined;
      const message = 'No operator or reader has this token.';
      const status = isTooMany ? 429 : 401;
      acts.refused(res, status);
      return send(res, status, { code: 'unauthorized', message });
    }
    const open = () => sessions.open(credential, token);
    const { text, session } = await acts.keep(res, credential, open);
    const ms = session.expiresAt - clock.now();
    res.set('Set-Cookie', toSessionCookie(text, { ms, isSecure: isOverHttps(req) }));
    send(res, 201, toView(session));
  };
}

function signInByLink({ sessions, attempts, clock, acts }: SignInDeps): RequestHandler {
  return async (req, res) => {
    const open = () => sessions.openByLink(String(req.query.once));
    const opened = await acts.keep(res, LINK_CREDENTIAL, open);
    if (opened === undefined) {
      await attempts.failed(res, 'ops', 'something');
      acts.refused(res, 403);
      const message =
        'This link was used, or is none. A token for the console is made by scim-bridge token create my-name --for operator.';
      return send(res, 403, { code: 'forbidden', message });
    }
    const ms = opened.session.expiresAt - clock.now();
    res.set('Set-Cookie', toSessionCookie(opened.text, { ms, isSecure: req.secure }));
    res.set('Cache-Control', 'no-store').redirect('/console/');
  };
}

function signOut({ sessions, acts, oidc }: SignInDeps): RequestHandler {
  return async (req, res) => {
    if (!isFromOwnPage(req)) return answerForeign(res);
    const text = findSessionText(req);
    const session = text === undefined ? undefined : await sessions.find(text, 'refresh');
    if (session !== undefined) {
      const end = async () => ((await sessions.end(session.id))[0] ? { session } : undefined);
      await acts.keep(res, session.credential, end);
    }
    res.append('Set-Cookie', toSessionCookie('', { ms: 0, isSecure: isOverHttps(req) }));
    const isPerson = session !== undefined && isOfPerson(session.credential.id);
    const endAt = isPerson ? await oidc?.findEnd(req) : undefined;
    oidc?.forget(res);
    send(res, 200, { name: null, endAt: endAt ?? null });
  };
}

function toView({ credential: { name, purpose }, expiresAt }: Session): object {
  return { name, role: purpose, expiresAt: new Date(expiresAt).toISOString() };
}

function answerForeign(res: Response): void {
  const message = 'Only a page of the console may ask for this.';
  send(res, 403, { code: 'forbidden', message });
}

function send(res: Response, status: number, json: object): void {
  res.status(status).set('Cache-Control', 'no-store').json(json);
}
