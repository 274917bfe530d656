import { parseKeys } from '../../access/assertion/issuer-keys.ts';
import type { ClientWish, ClientWithSecrets } from '../../access/credentials.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { ExpectedClaim, KeySource, Trust } from '../../domain/trust.ts';
import { parseTrust as parseStoredTrust } from '../../store/credentials.ts';
import { InvalidRequest } from '../http/body.ts';
import { listRoute, ok, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { CLIENT_CREATE, CLIENT_REVOKE, CLIENT_ROTATE, CLIENTS } from '../lists/access.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { parseLifetime } from './tokens.ts';

const SECRET_TERMS = { min: '365d', max: '1095d', otherwise: '730d' } as const;

/** Requests about OAuth clients. */
export const clientRoutes = [
  listRoute(
    CLIENTS,
    async ({ access: { clients } }: OpsSources, { state }, part) => {
      const found = await clients.list({ state, ...part });
      return found.map((one) => ({ ...one, seq: one.client.seq }));
    },
    (found) => toClientView(found),
  ),
  route({
    ...CLIENT_CREATE,
    async handle({ access: { clients } }: OpsSources, { body, operator }) {
      const { name, profile = 'lenient', provider = DEFAULT_PROVIDER } = body;
      const proof = parseProof(body);
      return toMade(await clients.make({ name, profile, provider, by: operator.id, proof }));
    },
  }),
  route({
    ...CLIENT_ROTATE,
    async handle({ access: { clients } }: OpsSources, { params, body: { expires }, operator }) {
      const validForMs = parseLifetime(expires, SECRET_TERMS);
      return toMade(await clients.rotate(params.id, { validForMs, by: operator.id }));
    },
  }),
  route({
    ...CLIENT_REVOKE,
    async handle({ access: { clients } }: OpsSources, { params, body }) {
      const view = toClientView(await clients.revoke(params.id, body.secret));
      return { ...ok(view), target: view.id, change: { after: toState(view) } };
    },
  }),
] as const;

/** A secret with a lifetime, or a trust. @throws InvalidRequest */
function parseProof({ expires, trust }: OpsJson<'ClientBody'>): ClientWish['proof'] {
  if (trust === undefined) return { validForMs: parseLifetime(expires, SECRET_TERMS) };
  if (expires === undefined) return { trust: parseTrust(trust) };
  throw new InvalidRequest('expires is for secrets, and a client with trust has none.');
}

function toMade<Text extends string | null>(made: ClientWithSecrets & { readonly text: Text }) {
  const view = toClientView(made);
  const change = { after: toState(view) };
  return { json: { ...view, secret: made.text }, target: view.id, change } as const;
}

/** The state of a client for the acts of operators. */
function toState({ name, profile, provider, trust, ...others }: OpsJson<'Client'>): object {
  const { secrets, revokedAt } = others;
  const valid = secrets.filter((secret) => secret.revokedAt === null).map(({ id }) => id);
  return { name, profile, provider, ...(trust && { trust }), secrets: valid, revokedAt };
}

function toClientView({ client, secrets }: ClientWithSecrets): OpsJson<'Client'> {
  const trust = parseStoredTrust(client);
  return toView('Client', client, {
    id: `client-${client.id}`,
    trust: trust === undefined ? null : toTrustView(trust),
    secrets: secrets.map((row) => {
      const expiresAt = toMoment(row.expires_at ?? 0);
      return toView('ClientSecret', row, { id: `secret-${row.id}`, expiresAt });
    }),
  });
}

const ASSERTION_TERMS = { min: '10s', max: '24h', otherwise: '5m' } as const;
/** Claim that is unique by its definition. @see RFC 7519 §4.1.7 */
const ONCE = 'jti';
const CLAIMS_MAX = 20;
const KEYS_TEXT_MAX = 65_536;
/** Claims that are compared anyway. */
const OWN_CLAIMS = ['iss', 'aud', 'exp', 'nbf', 'iat'];

/** Reads what the assertions of a new client have to say. @throws InvalidRequest */
function parseTrust(body: OpsJson<'TrustBody'>): Trust {
  const { issuer = null, audiences = [], lifetime, once = ONCE } = body;
  const claims = parseClaims(body);
  if (issuer !== null && audiences.length === 0) {
    throw new InvalidRequest('An issuer signs for many: audiences says which tokens are for you.');
  }
  if (issuer !== null && claims.length === 0) {
    throw new InvalidRequest('An issuer signs for many: claims says who of them it is.');
  }
  const lifetimeMs = parseLifetime(lifetime, ASSERTION_TERMS, 'lifetime');
  return { issuer, audiences, claims, keys: parseSource(body), lifetimeMs, once };
}

function parseClaims({ claims = {} }: OpsJson<'TrustBody'>): ExpectedClaim[] {
  const expected = Object.entries(claims).map(([name, values]) => ({ name, values }));
  const own = expected.find(({ name }) => OWN_CLAIMS.includes(name));
  if (own !== undefined) throw new InvalidRequest(`${own.name} is compared in any case.`);
  if (expected.length > CLAIMS_MAX) throw new InvalidRequest(`claims has at most ${CLAIMS_MAX}.`);
  return expected;
}

function parseSource({ issuer, jwksUri, jwks }: OpsJson<'TrustBody'>): KeySource {
  if (jwksUri !== undefined && jwks !== undefined) {
    throw new InvalidRequest('Keys are at jwksUri, or given as jwks: one of both.');
  }
  if (jwks !== undefined) return { kind: 'given', keys: parseGiven(jwks) };
  if (jwksUri !== undefined) return { kind: 'address', url: parseAddress('jwksUri', jwksUri) };
  if (issuer === undefined) {
    throw new InvalidRequest('A client that signs for itself needs its keys: jwksUri, or jwks.');
  }
  parseAddress('issuer', issuer);
  return { kind: 'issuer' };
}

function parseGiven(jwks: NonNullable<OpsJson<'TrustBody'>['jwks']>) {
  if (JSON.stringify(jwks).length > KEYS_TEXT_MAX) throw new InvalidRequest('jwks is too large.');
  try {
    return parseKeys(jwks);
  } catch {
    throw new InvalidRequest('jwks is {"keys": […]} with public keys: RSA, EC or OKP.');
  }
}

function parseAddress(name: string, text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.hash === '' && url.username === '' && url.password === '') return text;
  throw new InvalidRequest(`${name} is an https:// address without credentials.`);
}

function toTrustView({ lifetimeMs, keys, claims, audiences, ...rest }: Trust): OpsJson<'Trust'> {
  return {
    ...rest,
    audiences: [...audiences],
    claims: claims.map(({ name, values }) => ({ name, values: [...values] })),
    keysFrom: keys.kind,
    jwksUri: keys.kind === 'address' ? keys.url : null,
    keyIds: keys.kind === 'given' ? keys.keys.map(({ kid }) => kid ?? null) : [],
    lifetimeSeconds: lifetimeMs / 1_000,
  };
}
