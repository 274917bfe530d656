import type { Tokens } from '../../access/tokens.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { TokenRow } from '../../store/credentials/tokens.ts';
import { InvalidRequest } from '../http/errors.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import { TOKENS } from '../lists/access.ts';
import type { TokenBody, TokenView } from '../schemas/access.ts';
import { type AccessNeeds, parseLifetime, readAccessList, toLifeView } from './credential.ts';
import { unknownProvider } from './providers.ts';

const LIFETIME = { min: '1m', max: '3650d', otherwise: '365d' } as const;

/** Requests about named tokens. */
export const tokenRoutes = [
  route({
    ...TOKENS,
    handle: async ({ access: { tokens } }: AccessNeeds, { query }) =>
      ok(await readAccessList(query, tokens.list, toTokenView)),
  }),
  route({
    method: 'post',
    path: '/tokens',
    tag: 'Credentials',
    summary: 'Makes a token. No other answer has its text.',
    body: 'TokenBody',
    answers: { 201: 'NewToken', 404: 'Problem', 409: 'Problem' },
    handle: ({ access: { tokens } }: AccessNeeds, { body, operator }) =>
      makeToken(tokens, body, operator.id),
  }),
  route({
    method: 'post',
    path: '/tokens/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends the token with this id or name, everywhere within five seconds.',
    answers: { 200: 'Token', 404: 'Problem' },
    async handle({ access: { tokens } }: AccessNeeds, { params }) {
      const row = await tokens.revoke(params.id);
      if (row === undefined) return problem(404, 'not-found', 'No token has this id or name.');
      const view = toTokenView(row);
      const before = { ...toState(view), revokedAt: null };
      return { ...ok(view), target: view.id, change: { before, after: toState(view) } };
    },
  }),
] as const;

/**
 * Makes a token as the body of `POST /tokens` asks for it. @param by id of the credential that asks
 * @throws InvalidRequest
 */
export async function makeToken(
  tokens: Pick<Tokens, 'make'>,
  { name, for: purpose = 'scim', profile = 'lenient', expires, provider }: TokenBody,
  by: string,
) {
  if (purpose !== 'scim' && provider !== undefined) throw new InvalidRequest(NO_PROVIDER);
  const validForMs = expires === 'never' ? null : parseLifetime(expires, LIFETIME);
  const owner = provider ?? DEFAULT_PROVIDER;
  const made = await tokens.make({ name, purpose, profile, provider: owner, validForMs, by });
  if (made.kind === 'unknown-provider') return unknownProvider();
  if (made.kind === 'made') {
    const view = toTokenView(made.row);
    const json = { ...view, token: made.text };
    return { status: 201, json, target: view.id, change: { after: toState(view) } } as const;
  }
  const message = 'Another token has this name: revoke it first, or take another name.';
  return problem(409, 'name-taken', message);
}

const NO_PROVIDER = 'provider is for tokens that open SCIM alone.';

/** The state of a token for the acts of operators. */
function toState({ name, for: purpose, profile, provider, expiresAt, revokedAt }: TokenView) {
  return { name, for: purpose, profile, provider, expiresAt, revokedAt };
}

function toTokenView(row: TokenRow): TokenView {
  return {
    id: `token-${row.id}`,
    name: row.name,
    for: row.purpose,
    profile: row.profile,
    provider: row.purpose === 'scim' ? row.provider : null,
    ...toLifeView(row),
    expiresAt: toMoment(row.expires_at),
  };
}
