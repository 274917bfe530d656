import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import express, { Router } from 'express';
import { z } from 'zod';
import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import { Refusal } from '../access/refusal.ts';
import { isFromOwnPage, isOverHttps, toSessionCookie } from '../access/session-cookie.ts';
import type { Session } from '../access/sessions.ts';
import { isOfPerson, LINK_CREDENTIAL } from '../access/sessions.ts';
import type { OidcSignIn, SignInActs } from './sign-in.ts';

/** Path of the console on the operators' listener. */
export const CONSOLE_PATH = '/console';

interface ConsoleDeps {
  readonly access: Pick<Access, 'find' | 'sessions'>;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly acts: SignInActs;
  readonly oidc: OidcSignIn | undefined;
}

/**
 * Serves the console: its pages, and signing in by `POST`, `GET` and `DELETE /console/session`, and by `GET
 * /console/link` once, with the first secret. Everything else that they show comes from `/ops`.
 */
export function createConsole(deps: ConsoleDeps): Router {
  const router = Router()
    .get('/session', (_req, res) => tellSession(deps, res))
    .post('/session', express.json({ limit: '4kb' }), (_req, res) => signIn(deps, res))
    .delete('/session', (_req, res) => signOut(deps, res))
    .get('/link', (_req, res) => signInByLink(deps, res));
  if (deps.oidc !== undefined) router.use(deps.oidc.router);
  return router.get('/assets/:name', sendAsset).get('/{*page}', sendPage);
}

const body = z.strictObject({ token: z.string().min(1).max(500) });

async function tellSession({ access, oidc }: ConsoleDeps, res: Response) {
  const session = await access.sessions.find(res);
  // Nobody signed in is an answer here and no failed attempt.
  send(res, 200, session ? toView(session) : { name: null, oidc: oidc !== undefined });
}

async function signIn({ access, attempts, acts }: ConsoleDeps, res: Response) {
  const { req } = res;
  assertOwnPage(req);
  const parsed = body.safeParse(req.body);
  if (!parsed.success) throw new Refusal(400, 'invalid', 'The body has to be {"token": "…"}.');
  const { token } = parsed.data;
  const credential = await access.find(token, res);
  if (credential?.purpose !== 'operator' && credential?.purpose !== 'reader') {
    const isTooMany = (await attempts.failed(res, 'ops', 'something')) !== undefined;
    const status = isTooMany ? 429 : 401;
    acts.refused(res, status);
    throw new Refusal(status, 'unauthorized', 'No operator or reader has this token.');
  }
  const open = () => access.sessions.open(credential, token);
  const { session } = await acts.open(res, credential, { open, isSecure: isOverHttps(req) });
  send(res, 201, toView(session));
}

async function signInByLink({ access, attempts, acts }: ConsoleDeps, res: Response) {
  const open = () => access.sessions.openByLink(String(res.req.query.once));
  if (await acts.open(res, LINK_CREDENTIAL, { open, isSecure: res.req.secure }))
    return res.set('Cache-Control', 'no-store').redirect('/console/');
  await attempts.failed(res, 'ops', 'something');
  acts.refused(res, 403);
  const message =
    'This link was used, or is none. A token for the console is made by scim-bridge token create my-name --for operator.';
  throw new Refusal(403, 'forbidden', message);
}

async function signOut({ access: { sessions }, acts, oidc }: ConsoleDeps, res: Response) {
  const { req } = res;
  assertOwnPage(req);
  const session = await sessions.find(res, 'refresh');
  if (session !== undefined) {
    const end = async () => ((await sessions.end(session.id))[0] ? { session } : undefined);
    await acts.keep(res, session.credential, end);
  }
  res.append('Set-Cookie', toSessionCookie('', { ms: 0, isSecure: isOverHttps(req) }));
  const isPerson = session !== undefined && isOfPerson(session.credential.id);
  const endAt = isPerson ? await oidc?.findEnd() : undefined;
  send(res, 200, { name: null, endAt: endAt ?? null });
}

function toView({ credential: { name, purpose }, expiresAt }: Session): object {
  return { name, role: purpose, expiresAt: new Date(expiresAt).toISOString() };
}

function assertOwnPage(req: Request): void {
  if (!isFromOwnPage(req))
    throw new Refusal(403, 'forbidden', 'Only a page of the console may ask for this.');
}

function send(res: Response, status: number, json: object): void {
  res.status(status).set('Cache-Control', 'no-store').json(json);
}

/** Folder of the built pages; the same from the sources and from the built program. */
const FOLDER = join(import.meta.dirname, '../../dist/console/ui');
/** Sends the one page of the console, at every address that is no asset: it reads the address itself. */
const sendPage: RequestHandler = async (_req, res) => {
  const page = await readFile(join(FOLDER, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) {
    const message = 'The console is not built: run npm run build.';
    return void res.status(503).type('text/plain').send(message);
  }
  const nonce = randomBytes(16).toString('base64');
  protect(res, nonce);
  res.set('Cache-Control', 'no-store').type('text/html').send(page.replaceAll('__NONCE__', nonce));
};

const ENCODINGS = { br: '.br', gzip: '.gz' };

/** Assets have the hash of their content in their names, so that they may be kept for ever. */
const sendAsset: RequestHandler<{ name: string }> = (req, res) => {
  const { name } = req.params;
  const known = Object.entries(ENCODINGS);
  const [encoding, end = ''] = known.find(([one]) => req.acceptsEncodings(one) === one) ?? [];
  res.type(extname(name)).vary('Accept-Encoding');
  if (encoding !== undefined) res.set('Content-Encoding', encoding);
  const options = { root: join(FOLDER, 'assets'), immutable: true, maxAge: '1y' };
  res.sendFile(`${name}${end}`, options, (error?: Error) => {
    if (error === undefined || res.headersSent) return;
    res.removeHeader('Content-Encoding');
    res.status(404).type('text/plain').send('There is no such file: load the page again.');
  });
};

/** Only our own files run, nothing leaves the origin, and no other page may frame this one. */
function protect(res: Response, nonce: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  res.set({
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  });
}
