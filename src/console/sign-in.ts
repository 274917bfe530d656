import type { Request, Response } from 'express';
import { Router } from 'express';
import type * as OpenIdClient from 'openid-client';
import { z } from 'zod';
import type { Access } from '../access/access.ts';
import { createRarely, toSource } from '../access/attempts.ts';
import { toSessionCookie } from '../access/session-cookie.ts';
import type { Session } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import type { JsonObject } from '../domain/values.ts';
import type { OpenRecord } from '../store/store.ts';
import type { Events } from '../telemetry/events.ts';
import { getRequestContext, getRequestId } from '../telemetry/request-context.ts';

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
  const act = method === 'DELETE' ? 'sign out' : 'sign in';
  const who = { operator: by.name, credential: by.id };
  return { ...request, ...who, act, change: { after } };
}

/** How people sign in with the identity provider of their company. */
export interface OidcOptions {
  /** Address of the provider, whose description is read there. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly url: string;
  readonly scope: string;
  readonly groupsClaim: string;
  readonly operatorGroups: readonly string[];
  readonly readerGroups: readonly string[];
}

interface OidcDeps {
  readonly access: Pick<Access, 'sessions'>;
  readonly acts: SignInActs;
  readonly events: Pick<Events, 'requestFailed'>;
}

const PATH = '/console/oidc';
/** Keeps the secrets on the way to the provider and back. */
const COOKIE = 'scim_bridge_sign_in';
/** How long a person may take there, in milliseconds. */
const AWAY_MS = 600_000;

/** Secrets of one sign-in, which only the browser that began it has, and the page that the person came for. */
const checks = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
});

/** Signing in with an identity provider. */
export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

/**
 * Signing in by the authorisation code flow with PKCE, state and nonce. The provider is read at the first sign-in. @see
 * OpenID Connect Core 1.0 §3.1, RFC 7636
 */
export function createOidcSignIn(options: OidcOptions, deps: OidcDeps) {
  let reading: Promise<Found> | undefined;
  const find = () => {
    reading ??= discover(options).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const parts = { ...options, ...deps, find };
  /** Leads a person back to the page of signing in after a failure; the log has the reason. */
  const lead = (work: typeof begin) => async (_req: Request, res: Response) => {
    res.set('Cache-Control', 'no-store');
    await work(parts, res).catch((error: unknown) => {
      if (work === finish) deps.acts.refused(res, 401);
      deps.events.requestFailed({ requestId: getRequestId(res), error });
      res.redirect('/console/?refused=failed');
    });
  };
  const router: Router = Router().get('/oidc', lead(begin)).get('/oidc/callback', lead(finish));
  return {
    router,
    /** Address that ends the session at the provider too; undefined where it has none, or cannot be asked. */
    async findEnd(): Promise<string | undefined> {
      try {
        const { oidc, config } = await find();
        const back = { post_logout_redirect_uri: `${options.url}/console/` };
        return oidc.buildEndSessionUrl(config, back).href;
      } catch {
        return undefined; // The session of the bridge has ended all the same.
      }
    },
  };
}

interface OidcParts extends OidcOptions, OidcDeps {
  readonly find: () => Promise<Found>;
}

async function begin({ url, scope, find }: OidcParts, res: Response): Promise<void> {
  const { oidc, config } = await find();
  const to = toOwnPage(res.req.query.to, url);
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const verifier = oidc.randomPKCECodeVerifier();
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${url}${PATH}/callback`,
    scope,
    state,
    nonce,
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  });
  const text = Buffer.from(JSON.stringify({ state, nonce, verifier, to })).toString('base64url');
  setCookie(res, url, text);
  res.redirect(address.href);
}

/** @throws an error when this browser has not begun a sign-in within ten minutes, or the provider did not end it */
async function finish(parts: OidcParts, res: Response): Promise<void> {
  const { url, find, acts, access } = parts;
  const cookie = new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`).exec(`${res.req.headers.cookie}`);
  setCookie(res, url, '');
  const kept = Buffer.from(cookie?.[1] ?? '', 'base64url').toString('utf8');
  const { to, state, nonce, verifier } = checks.parse(JSON.parse(kept));
  const found = await find();
  const address = new URL(res.req.originalUrl, url);
  const tokens = await found.oidc.authorizationCodeGrant(found.config, address, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = await readClaims(found, tokens, parts);
  const person = toPerson(claims);
  const purpose = findRole(claims, parts);
  if (purpose === undefined) {
    acts.refused(res, 403, person);
    return res.redirect('/console/?refused=role');
  }
  const terms = { profile: 'lenient', provider: DEFAULT_PROVIDER } as const;
  const credential: Credential = { ...person, purpose, ...terms };
  const open = () => access.sessions.open(credential);
  await acts.open(res, credential, { open, isSecure: url.startsWith('https:') });
  res.redirect(toOwnPage(to, url));
}

/** @param text empty: the cookie ends */
function setCookie(res: Response, url: string, text: string): void {
  const [secure, maxAge] = [url.startsWith('https:'), text === '' ? 0 : AWAY_MS];
  res.cookie(COOKIE, text, { path: PATH, sameSite: 'lax', maxAge, httpOnly: true, secure });
}

type Found = Awaited<ReturnType<typeof discover>>;

async function discover({ issuer, clientId, clientSecret }: OidcOptions) {
  // Loaded only here: most bridges have no such sign-in, and none needs it to start.
  const oidc = await import('openid-client');
  const execute = [oidc.enableNonRepudiationChecks];
  // The settings allow this on loopback alone.
  if (issuer.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
  const options = { execute };
  const config = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
  return { oidc, config };
}

/** A page of this console, and no address of anybody else. */
function toOwnPage(asked: unknown, url: string): string {
  const home = '/console/';
  const page = typeof asked === 'string' ? URL.parse(asked, url) : null;
  const isOwn = page?.origin === new URL(url).origin && page.pathname.startsWith(home);
  return isOwn ? `${page.pathname}${page.search}` : home;
}

type Claims = Readonly<Record<string, unknown>>;

/** Claims of the ID token; where they lack the groups, those of the user info as well. */
async function readClaims(
  { oidc, config }: Found,
  tokens: Awaited<ReturnType<typeof OpenIdClient.authorizationCodeGrant>>,
  { groupsClaim }: OidcOptions,
): Promise<Claims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The identity provider sent no ID token.');
  const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
  if (claims[groupsClaim] !== undefined || !hasMore) return claims;
  return { ...claims, ...(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)) };
}

function findRole(claims: Claims, { groupsClaim, operatorGroups, readerGroups }: OidcOptions) {
  const groups = [claims[groupsClaim]].flat().map(String);
  if (operatorGroups.some((group) => groups.includes(group))) return 'operator';
  return readerGroups.some((group) => groups.includes(group)) ? 'reader' : undefined;
}

/** @see OpenID Connect Core 1.0 §2: at most 255 characters of ASCII */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const NAME_MAX = 100;

/** A person as the identity provider names them, in one line. @throws Error for an id that is none */
function toPerson(claims: Claims): Pick<Credential, 'id' | 'name'> {
  const sub = String(claims.sub);
  if (!SUBJECT.test(sub)) throw new Error('The identity provider sent an id that is none.');
  const name = String(claims.preferred_username ?? claims.email ?? sub);
  return { id: `oidc-${sub}`, name: name.slice(0, NAME_MAX).replaceAll(/[\p{C}\p{Z}]+/gu, ' ') };
}
