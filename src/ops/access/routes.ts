import { toTrust } from '../../access/assertion/trust.ts';
import type { ClientWithSecrets, Tokens } from '../../access/credentials.ts';
import type { Provider, ProviderWish } from '../../access/providers.ts';
import { DEFAULT_PROVIDER, RIGHTS } from '../../domain/provider.ts';
import { foldCase } from '../../domain/values.ts';
import { duration } from '../../settings/kinds.ts';
import type { CredentialRow } from '../../store/credentials.ts';
import { parseTrust } from '../../store/credentials.ts';
import { InvalidRequest, missing } from '../http/body.ts';
import { listRoute, ok, route } from '../http/route.ts';
import { access as rows } from '../lists/access.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';

const TRACE_MINUTES = 10;
const TOKEN_TERMS = { min: '1m', max: '3650d', otherwise: '365d' } as const;
const SECRET_TERMS = { min: '365d', max: '1095d', otherwise: '730d' } as const;
const ASSERTION_TERMS = { min: '10s', max: '24h', otherwise: '5m' } as const;

/** Requests about identity providers, and about the credentials of providers and operators. */
export const accessRoutes = [
  listRoute(rows.PROVIDERS, ({ access }, _, part) => access.providers.list(part), toProviderView),
  route(rows.PROVIDER_CREATE, async ({ access: { providers } }, { body, operator }) => {
    const { name, ...limits } = body;
    const json = toProviderView(await providers.create(name, toWish(limits), operator.id));
    return { json, target: name, change: { after: json } };
  }),
  route(rows.PROVIDER_CHANGE, async ({ access, drifts }, { params: { id }, body, operator }) => {
    const wish = toWish(body);
    const { providers } = access;
    const { before, provider } = await providers.change(id, wish, operator.id, drifts.followTerms);
    const json = toProviderView(provider);
    return { json, change: { before: toProviderView(before), after: json } };
  }),
  route(rows.PROVIDER_TRACE, async ({ access, clock }, { params: { id }, body, operator }) => {
    const { minutes = TRACE_MINUTES } = body;
    const tracedUntil = minutes === 0 ? null : clock.now() + minutes * 60_000;
    const { before, provider } = await access.providers.change(id, { tracedUntil }, operator.id);
    const json = toProviderView(provider);
    return { json, change: { before: toProviderView(before), after: json } };
  }),
  route(rows.PROVIDER_DELETE, async ({ access: { providers } }, { params: { id } }) => {
    const json = toProviderView(await providers.delete(id));
    return { json, change: { before: json } };
  }),
  listRoute(
    rows.TOKENS,
    ({ access: { tokens } }, { state }, part) => tokens.list({ state, ...part }),
    toTokenView,
  ),
  route(rows.TOKEN_CREATE, ({ access: { tokens } }, { body, operator }) =>
    makeToken(tokens, body, operator.id),
  ),
  route(rows.TOKEN_CHANGE, async ({ access: { tokens } }, { params, body }) => {
    const { before, after } = await tokens.changeNetworks(params.id, body.networks);
    const json = toTokenView(after);
    return { json, target: json.id, change: { before: toTokenView(before), after: json } };
  }),
  route(rows.TOKEN_REVOKE, async ({ access: { tokens } }, { params }) => {
    const json = toTokenView(await tokens.revoke(params.id));
    const change = { before: { ...json, revokedAt: null }, after: json };
    return { json, target: json.id, change };
  }),
  listRoute(
    rows.CLIENTS,
    async ({ access: { clients } }, { state }, part) => {
      const found = await clients.list({ state, ...part });
      return found.map((one) => ({ ...one, seq: one.client.seq }));
    },
    (found) => toClientView(found),
  ),
  route(rows.CLIENT_CREATE, async ({ access: { clients } }, { body, operator }) => {
    const { profile = 'lenient', provider = DEFAULT_PROVIDER, networks = null } = body;
    const { name, expires, trust } = body;
    if (trust !== undefined && expires !== undefined)
      throw new InvalidRequest('`expires` is for secrets, and a client with trust has none.');
    const proof =
      trust === undefined
        ? { validForMs: parseLifetime(expires, SECRET_TERMS) }
        : { trust: toTrust(trust, parseLifetime(trust.lifetime, ASSERTION_TERMS, 'lifetime')) };
    const wish = { name, profile, provider, networks, by: operator.id, proof };
    return toMade(await clients.make(wish));
  }),
  route(rows.CLIENT_CHANGE, async ({ access: { clients } }, { params, body }) => {
    const { before, after, secrets } = await clients.changeNetworks(params.id, body.networks);
    const json = toClientView({ client: after, secrets });
    const change = { before: toClientView({ client: before, secrets }), after: json };
    return { json, target: json.id, change };
  }),
  route(rows.CLIENT_ROTATE, async ({ access }, { params, body: { expires }, operator }) => {
    const validForMs = parseLifetime(expires, SECRET_TERMS);
    return toMade(await access.clients.rotate(params.id, { validForMs, by: operator.id }));
  }),
  route(rows.CLIENT_REVOKE, async ({ access: { clients } }, { params, body }) => {
    const json = toClientView(await clients.revoke(params.id, body.secret));
    return { json, target: json.id, change: { after: json } };
  }),
  listRoute(
    rows.SESSIONS,
    ({ access: { sessions } }, _filters, part) => sessions.list(part),
    (row) =>
      toView('Session', row, {
        id: `session-${row.id}`,
        for: row.purpose === 'operator' ? 'operator' : 'reader',
        lastUsedAt: row.last_used_at ?? row.created_at,
        expiresAt: row.expires_at ?? 0,
      }),
  ),
  route(rows.SESSION_REVOKE, async ({ access: { sessions } }, { params: { id } }) => {
    const [ended] = await sessions.end(id.replace(/^session-/, ''));
    return ended ? ok({ id }) : missing('No session has this id.');
  }),
] as const;

/** The terms that a body names, as they are stored. */
export function toWish(body: OpsJson<'LimitsBody'>): ProviderWish {
  const { domains, may } = body;
  return {
    ...body,
    ...(domains && { domains: [...new Set(domains.map(foldCase))] }),
    ...(may && { may: RIGHTS.filter((right) => may.includes(right)) }),
  };
}

function toProviderView(provider: Provider): OpsJson<'Provider'> {
  return toView('Provider', provider, {});
}

type TokenBody = OpsJson<'TokenBody'>;

/** Makes a token as `POST /tokens` asks for it. @param by id of the credential that asks @throws InvalidRequest, Refusal */
export async function makeToken(tokens: Pick<Tokens, 'make'>, body: TokenBody, by: string) {
  const { row, text } = await tokens.make({ ...toTokenWish(body), by });
  const after = toTokenView(row);
  return { json: { ...after, token: text }, target: after.id, change: { after } } as const;
}

/** The token that a body asks for, with the default of what it leaves out. @throws InvalidRequest */
export function toTokenWish(body: TokenBody) {
  const { for: purpose = 'scim', profile = 'lenient', provider = DEFAULT_PROVIDER } = body;
  const { name, networks = null, expires, digest } = body;
  if (purpose !== 'scim' && body.provider !== undefined)
    throw new InvalidRequest('`provider` is for tokens that open SCIM alone.');
  const validForMs = expires === 'never' ? null : parseLifetime(expires, TOKEN_TERMS);
  return { name, purpose, profile, provider, networks, validForMs, digest };
}

/** A stored token as `GET /tokens` has it. */
export function toTokenView(row: CredentialRow): OpsJson<'Token'> {
  return toView('Token', row, {
    id: `token-${row.id}`,
    for: row.purpose,
    provider: row.purpose === 'scim' ? row.provider : null,
  });
}

function toMade<Text extends string | null>(made: ClientWithSecrets & { readonly text: Text }) {
  const after = toClientView(made);
  return { json: { ...after, secret: made.text }, target: after.id, change: { after } } as const;
}

function toClientView({ client, secrets }: ClientWithSecrets): OpsJson<'Client'> {
  const trust = parseTrust(client);
  return toView('Client', client, {
    id: `client-${client.id}`,
    trust:
      trust === undefined
        ? null
        : {
            ...trust,
            keysFrom: trust.keys.kind,
            jwksUri: trust.keys.kind === 'address' ? trust.keys.url : null,
            keyIds:
              trust.keys.kind === 'given' ? trust.keys.keys.map(({ kid }) => kid ?? null) : [],
            lifetimeSeconds: trust.lifetimeMs / 1_000,
          },
    secrets: secrets.map((row) =>
      toView('ClientSecret', row, { id: `secret-${row.id}`, expiresAt: row.expires_at ?? 0 }),
    ),
  });
}

/** The lifetime of a credential or an assertion, in milliseconds; the limits are durations. @throws InvalidRequest */
function parseLifetime(
  expires: string | undefined,
  { min, max, otherwise }: Readonly<Record<'min' | 'max' | 'otherwise', string>>,
  name = 'expires',
): number {
  const parsed = duration({ min, max }).safeParse(expires ?? otherwise);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`\`${name}\` is a duration, ${min} to ${max}, such as ${otherwise}.`);
}
