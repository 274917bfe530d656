import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { FindCredential } from '../access/access.ts';
import { type Attempts, createRarely, toSource } from '../access/attempts.ts';
import {
  findSessionText,
  isFromOwnPage,
  isOverHttps,
  toSessionCookie,
  toSessionUse,
} from '../access/session-cookie.ts';
import { isOfPerson, LINK_CREDENTIAL, type Session, type Sessions } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import type { JsonObject } from '../domain/values.ts';
import type { OpenRecord } from '../store/recorder.ts';
import { getRequestContext } from '../telemetry/request-context.ts';

/** Dependencies of signing in. */
export interface SignInDeps {
  readonly sessions: Sessions;
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly acts: SignInActs;
  readonly oidc: OidcSignIn | undefined;
}

interface OidcSignIn {
  readonly router: Router;
  readonly forget: (res: Response) => void;
  readonly findEnd: (req: Pick<Request, 'headers'>) => Promise<string | undefined>;
}

const body = z.strictObject({ token: z.string().min(1).max(500) });

/** Sign-in of the console: `POST`, `GET`, `DELETE /console/session`; `GET /console/link` once, with the first secret. */
export function createSignIn(deps: SignInDeps): Router {
  return Router()
    .get('/session', tellSession(deps))
    .post('/session', express.json({ limit: '4kb' }), signIn(deps))
    .delete('/session', signOut(deps))
    .get('/link', signInByLink(deps));
}

function tellSession({ sessions, oidc }: SignInDeps): RequestHandler {
  return async (req, res) => {
    const text = findSessionText(req);
    const session = text === undefined ? undefined : await sessions.find(text, toSessionUse(req));
    // Nobody signed in is an answer here and no failed attempt.
    send(res, 200, session ? toView(session) : { name: null, oidc: oidc !== undefined });
  };
}

function signIn({ sessions, findCredential, attempts, acts }: SignInDeps): RequestHandler {
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
    const { session } = await acts.open(res, credential, { open, isSecure: isOverHttps(req) });
    send(res, 201, toView(session));
  };
}

function signInByLink({ sessions, attempts, acts }: SignInDeps): RequestHandler {
  return async (req, res) => {
    const open = () => sessions.openByLink(String(req.query.once));
    if (await acts.open(res, LINK_CREDENTIAL, { open, isSecure: req.secure }))
      return res.set('Cache-Control', 'no-store').redirect('/console/');
    await attempts.failed(res, 'ops', 'something');
    acts.refused(res, 403);
    const message =
      'This link was used, or is none. A token for the console is made by scim-bridge token create my-name --for operator.';
    send(res, 403, { code: 'forbidden', message });
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

/** Keeps sign-ins and sign-outs. */
export type SignInActs = ReturnType<typeof createSignInActs>;

/** One failed sign-in of each address is kept in an hour, and ten of all: a stranger cannot push out what operators did. */
const FAILED_LIMITS = { eachMs: 3_600_000, allMax: 10 };

/** Creates the keeper of the sign-ins of one process. */
export function createSignInActs({
  openAct,
  clock,
}: {
  readonly openAct: (toAct: () => SignInAct) => OpenRecord<SignInAct>;
  readonly clock: { now(): number };
}) {
  const rarely = createRarely(FAILED_LIMITS);
  /** Runs what opens or ends a session, which is kept with it; undefined: none was. */
  async function keep<T extends { readonly session: Pick<Session, 'id'> } | undefined>(
    res: Response,
    by: Pick<Credential, 'id' | 'name' | 'purpose'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const isEnd = res.req.method === 'DELETE';
    const act = toAct(res, by, { role: isEnd ? null : by.purpose });
    const record = openAct(() => ({ ...act, status: undefined, target: undefined }));
    const done = await record.run(work);
    const target = done && `session-${done.session.id}`;
    record.end(done ? [{ ...act, status: isEnd ? 200 : 201, target }] : []);
    return done;
  }
  return {
    keep,
    /** Opens a session, and gives it to the browser as a cookie; undefined: none was opened. */
    async open<T extends { readonly session: Session; readonly text: string } | undefined>(
      res: Response,
      by: Pick<Credential, 'id' | 'name' | 'purpose'>,
      { open, isSecure }: { readonly open: () => Promise<T>; readonly isSecure: boolean },
    ): Promise<T> {
      const opened = await keep(res, by, open);
      if (opened === undefined) return opened;
      const ms = opened.session.expiresAt - clock.now();
      res.append('Set-Cookie', toSessionCookie(opened.text, { ms, isSecure }));
      return opened;
    },
    /** @param by the person, where the identity provider has named one who may not come in */
    refused(res: Response, status: number, by: Pick<Credential, 'id' | 'name'> = NOBODY): void {
      const { remoteAddress } = getRequestContext(res);
      const attempts = rarely.take(toSource(remoteAddress), clock.now());
      if (attempts === 0) return;
      const act = { ...toAct(res, by, { attempts }), status, target: undefined };
      openAct(() => act).end([act]);
    },
  };
}

type SignInAct = ReturnType<typeof toAct> & {
  readonly status: number | undefined;
  readonly target: string | undefined;
};

const NOBODY = { name: 'nobody', id: '' } as const;

/** A sign-in or a sign-out without its end; `after` is the role of who came in, or the attempts since the last. */
function toAct(res: Response, by: Pick<Credential, 'id' | 'name'>, after: JsonObject) {
  const { method, route } = res.req;
  const { requestId, remoteAddress } = getRequestContext(res);
  const request = { requestId, method, route: `/console${route.path}`, remoteAddress };
  return { ...request, operator: by.name, credential: by.id, change: { after } };
}
