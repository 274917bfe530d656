import { type Request, type RequestHandler, type Response, Router } from 'express';
import type * as OpenIdClient from 'openid-client';
import { z } from 'zod';
import { toSessionCookie } from '../access/session-cookie.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { getRequestId } from '../telemetry/request-context.ts';
import type { SignInActs } from './sign-in-acts.ts';

/** How people sign in with the identity provider of their company. */
export interface OidcOptions {
  /** Address of the provider, whose description is read there. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where operators reach the bridge, without a slash at the end. */
  readonly url: string;
  readonly scope: string;
  readonly groupsClaim: string;
  readonly operatorGroups: readonly string[];
  readonly readerGroups: readonly string[];
}

/** Dependencies of signing in with OpenID Connect. */
export interface OidcDeps {
  readonly sessions: Pick<Sessions, 'open'>;
  readonly clock: { now(): number };
  readonly acts: SignInActs;
  readonly failed: (fields: { requestId: string; error: unknown }) => void;
}

/** Signing in with OpenID Connect. */
export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

/** How long a person may take at the provider, in seconds. */
const AWAY_SECONDS = 600;
const PATH = '/console/oidc';
/** Browsers keep no larger cookie. */
const HINT_MAX = 3_900;

/** Secrets of one sign-in, which only the browser that began it has. */
const checks = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Page of the console that the person came for. */
  to: z.string(),
});

/**
 * Creates signing in by the authorisation code flow with PKCE, state and nonce. The description of the provider is read
 * at the first sign-in.
 * @see OpenID Connect Core 1.0 §3.1, RFC 7636
 */
export function createOidcSignIn(options: OidcOptions, deps: OidcDeps) {
  const find = createDiscovery(options);
  const refuse = (res: Response) => deps.acts.refused(res, 401);
  const router = Router();
  router.get('/oidc', leadBack(deps, begin(options, find)));
  router.get('/oidc/callback', leadBack(deps, end(options, find, deps), refuse));
  return {
    /** `GET /oidc` leads to the provider, which leads back to `GET /oidc/callback`. */
    router,
    /** Has the browser forget whom the provider named. */
    forget: (res: Response) => setCookie(res, options.url, ['scim_bridge_id_token', '', 0]),
    /** Address that ends the session at the provider too; undefined where it has none, or cannot be asked. */
    async findEnd(req: Pick<Request, 'headers'>): Promise<string | undefined> {
      try {
        const hint = findCookie(req, 'scim_bridge_id_token');
        const parameters = {
          post_logout_redirect_uri: `${options.url}/console/`,
          ...(hint && { id_token_hint: hint }),
        };
        const { oidc, config } = await find();
        return oidc.buildEndSessionUrl(config, parameters).href;
      } catch {
        return undefined; // The session of the bridge has ended all the same.
      }
    },
  };
}

/** The client of OpenID Connect, and what it knows of the provider. */
type Found = Awaited<ReturnType<typeof discover>>;
type Find = () => Promise<Found>;

/** A failed reading is tried again with the next sign-in. */
function createDiscovery(options: OidcOptions): Find {
  let reading: Promise<Found> | undefined;
  return () => {
    reading ??= discover(options).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcOptions) {
  // Loaded only here: most bridges have no such sign-in, and none needs it to start.
  const oidc = await import('openid-client');
  const execute = [oidc.enableNonRepudiationChecks];
  // The settings allow this on loopback alone.
  if (issuer.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
  const config = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute,
  });
  return { oidc, config };
}

function begin({ url, scope }: OidcOptions, find: Find): RequestHandler {
  return async (req, res) => {
    const { oidc, config } = await find();
    const to = toOwnPage(req.query.to, url);
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
    setCookie(res, url, ['scim_bridge_sign_in', text, AWAY_SECONDS]);
    res.redirect(address.href);
  };
}

function end(
  options: OidcOptions,
  find: Find,
  { sessions, clock, acts }: OidcDeps,
): RequestHandler {
  const { url } = options;
  return async (req, res) => {
    setCookie(res, url, ['scim_bridge_sign_in', '', 0]);
    const { state, nonce, verifier, to } = parseAway(req);
    const { oidc, config } = await find();
    const tokens = await oidc.authorizationCodeGrant(config, new URL(req.originalUrl, url), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = await readClaims({ oidc, config }, tokens, options);
    const credential = toCredential(claims, options);
    if (credential === undefined) {
      acts.refused(res, 403, toPerson(claims));
      return res.redirect('/console/?refused=role');
    }
    const open = () => sessions.open(credential, undefined);
    const { text, session } = await acts.keep(res, credential, open);
    const isSecure = url.startsWith('https:');
    const ms = session.expiresAt - clock.now();
    res.append('Set-Cookie', toSessionCookie(text, { ms, isSecure }));
    const { id_token: hint = '' } = tokens;
    // Without it the provider asks the person at the end.
    if (hint.length <= HINT_MAX)
      setCookie(res, url, ['scim_bridge_id_token', hint, Math.floor(ms / 1_000)]);
    res.redirect(toOwnPage(to, url));
  };
}

/** A page of this console, and no address of anybody else. */
function toOwnPage(asked: unknown, url: string): string {
  const home = '/console/';
  if (typeof asked !== 'string' || !URL.canParse(asked, url)) return home;
  const { origin, pathname, search } = new URL(asked, url);
  const isOwn = origin === new URL(url).origin && pathname.startsWith(home);
  return isOwn ? `${pathname}${search}` : home;
}

/**
 * Cookies with their scope: the secrets between the way to the provider and the way back, which is cross-site, and the ID
 * token, which the provider wants back at the end and signing out alone is sent.
 */
const COOKIES = {
  scim_bridge_sign_in: `Path=${PATH}; SameSite=Lax`,
  scim_bridge_id_token: 'Path=/console/session; SameSite=Strict',
} as const;
type CookieName = keyof typeof COOKIES;

/** Sets a cookie for so many seconds. */
function setCookie(
  res: Response,
  url: string,
  [name, text, seconds]: readonly [CookieName, string, number],
): void {
  const secure = url.startsWith('https:') ? '; Secure' : '';
  const scope = `${COOKIES[name]}; Max-Age=${seconds}; HttpOnly${secure}`;
  res.append('Set-Cookie', `${name}=${text}; ${scope}`);
}

function findCookie({ headers }: Pick<Request, 'headers'>, name: CookieName): string | undefined {
  return new RegExp(`(?:^|; *)${name}=([\\w.-]+)`).exec(headers.cookie ?? '')?.[1];
}

/** @throws an error when this browser has not begun a sign-in within ten minutes */
function parseAway(req: Pick<Request, 'headers'>): z.output<typeof checks> {
  const text = findCookie(req, 'scim_bridge_sign_in') ?? '';
  return checks.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
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

/** Role of a person by their groups; undefined: none of the groups has one. */
function toCredential(claims: Claims, options: OidcOptions): Credential | undefined {
  const groups = [claims[options.groupsClaim]].flat().map(String);
  const isIn = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  const { operatorGroups, readerGroups } = options;
  if (!isIn(operatorGroups) && !isIn(readerGroups)) return undefined;
  return {
    ...toPerson(claims),
    purpose: isIn(operatorGroups) ? 'operator' : 'reader',
    profile: 'lenient',
    provider: DEFAULT_PROVIDER,
  };
}

/** A person as the identity provider names them, in one line. @throws Error for an id that is none */
function toPerson(claims: Claims): { readonly id: string; readonly name: string } {
  const sub = String(claims.sub);
  if (!SUBJECT.test(sub)) throw new Error('The identity provider sent an id that is none.');
  const name = String(claims.preferred_username ?? claims.email ?? sub);
  return { id: `oidc-${sub}`, name: name.slice(0, NAME_MAX).replaceAll(/[\p{C}\p{Z}]+/gu, ' ') };
}

/** @see OpenID Connect Core 1.0 §2: at most 255 characters of ASCII */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const NAME_MAX = 100;

/** Leads a person back to the page of signing in; the log has the reason. */
function leadBack(
  { failed }: OidcDeps,
  handle: RequestHandler,
  refused?: (res: Response) => void,
): RequestHandler {
  return async (req, res, next) => {
    res.set('Cache-Control', 'no-store');
    try {
      await handle(req, res, next);
    } catch (error) {
      failed({ requestId: getRequestId(res), error });
      refused?.(res);
      res.redirect('/console/?refused=failed');
    }
  };
}
