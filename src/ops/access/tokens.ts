import type { Tokens } from '../../access/credentials.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { duration } from '../../settings/kinds.ts';
import type { CredentialRow } from '../../store/credentials.ts';
import { InvalidRequest } from '../http/body.ts';
import { listRoute, ok, Problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { SESSION_REVOKE, SESSIONS, TOKEN_CREATE, TOKEN_REVOKE, TOKENS } from '../lists/access.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

const TOKEN_TERMS = { min: '1m', max: '3650d', otherwise: '365d' } as const;

/** Requests about named tokens. */
export const tokenRoutes = [
  listRoute(
    TOKENS,
    ({ access: { tokens } }: OpsSources, { state }, part) => tokens.list({ state, ...part }),
    toTokenView,
  ),
  route({
    ...TOKEN_CREATE,
    handle: ({ access: { tokens } }: OpsSources, { body, operator }) =>
      makeToken(tokens, body, operator.id),
  }),
  route({
    ...TOKEN_REVOKE,
    async handle({ access: { tokens } }: OpsSources, { params }) {
      const view = toTokenView(await tokens.revoke(params.id));
      const before = { ...toState(view), revokedAt: null };
      return { ...ok(view), target: view.id, change: { before, after: toState(view) } };
    },
  }),
] as const;

/**
 * Makes a token as the body of `POST /tokens` asks for it. @param by id of the credential that asks
 * @throws InvalidRequest, Refusal
 */
export async function makeToken(
  tokens: Pick<Tokens, 'make'>,
  { name, for: purpose = 'scim', profile = 'lenient', expires, provider }: OpsJson<'TokenBody'>,
  by: string,
) {
  if (purpose !== 'scim' && provider !== undefined) throw new InvalidRequest(NO_PROVIDER);
  const validForMs = expires === 'never' ? null : parseLifetime(expires, TOKEN_TERMS);
  const wish = { name, purpose, profile, provider: provider ?? DEFAULT_PROVIDER, validForMs, by };
  const { row, text } = await tokens.make(wish);
  const view = toTokenView(row);
  const json = { ...view, token: text };
  return { json, target: view.id, change: { after: toState(view) } } as const;
}

const NO_PROVIDER = 'provider is for tokens that open SCIM alone.';

/** The state of a token for the acts of operators. */
function toState(token: OpsJson<'Token'>) {
  const { id: _, createdAt: __, createdBy: ___, lastUsedAt: ____, ...state } = token;
  return state;
}

function toTokenView(row: CredentialRow): OpsJson<'Token'> {
  return toView('Token', row, {
    id: `token-${row.id}`,
    for: row.purpose,
    provider: row.purpose === 'scim' ? row.provider : null,
  });
}

/** Requests about sign-ins to the console. */
export const sessionRoutes = [
  listRoute(
    SESSIONS,
    ({ access: { sessions } }: OpsSources, _filters, part) => sessions.list(part),
    (row) =>
      toView('Session', row, {
        id: `session-${row.id}`,
        for: row.purpose === 'operator' ? 'operator' : 'reader',
        lastUsedAt: toMoment(row.last_used_at ?? row.created_at),
        expiresAt: toMoment(row.expires_at ?? 0),
      }),
  ),
  route({
    ...SESSION_REVOKE,
    async handle({ access: { sessions } }: OpsSources, { params: { id } }) {
      const [ended] = await sessions.end(id.replace(/^session-/, ''));
      if (ended) return ok({ id });
      throw new Problem(404, 'not-found', 'No session has this id.');
    },
  }),
] as const;

/** The lifetime of a credential or an assertion, in milliseconds; the limits are durations. @throws InvalidRequest */
export function parseLifetime(
  expires: string | undefined,
  limits: Readonly<Record<'min' | 'max' | 'otherwise', string>>,
  name = 'expires',
): number {
  const { min, max, otherwise } = limits;
  const parsed = duration({ min, max }).safeParse(expires ?? otherwise);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`${name} is a duration from ${min} to ${max}, such as ${otherwise}.`);
}
