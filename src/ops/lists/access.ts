import { DEFAULT_PROVIDER, RIGHTS } from '../../domain/provider.ts';
import { parseFields } from '../../domain/values.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { opsSchemas } from '../schemas/schemas.ts';
import { HANDOVER, ID_IMPORT, LEAVING } from './exports.ts';
import type { Column } from './list.ts';
import { actOf, listOf, toCellText } from './list.ts';

const COMMON = {
  filters: { state: ['live', 'revoked'] },
  meanings: { state: 'Not revoked, or revoked.' },
  defaults: { state: 'live' },
} as const;

const NETWORKS = {
  body: 'NetworksBody',
  nulls: { networks: 'any' },
  say: ({ name, networks }: OpsJson<'Token'> | OpsJson<'Client'>) =>
    `${name} may come from ${networks?.join(', ') ?? 'everywhere'}.`,
} as const;

const LIMITS = {
  nulls: { domains: 'any', groupNames: 'any', requestsPerSecond: 'any' },
  say: toProviderText,
} as const;

/** Lists of providers and credentials, and what operators do about them, in the order of `--help`. */
export const access = {
  CLIENT_CREATE: actOf('NewClient')({
    status: 201,
    path: '/clients',
    summary: 'Make an OAuth client, with a secret that is shown once or with a trust in an issuer.',
    body: 'ClientBody',
    command: 'client create <name>',
    flags: {
      audiences: '--audience <audience>',
      claims: '--claim <name=value>',
      jwks: '--jwks-file <file>',
    },
    nulls: { once: 'never', networks: 'any' },
    say: toMadeText,
  }),
  CLIENT_CHANGE: actOf('Client')({
    ...NETWORKS,
    path: '/clients/{id}/change',
    summary: 'Change the networks of a client, by its id or name.',
    command: 'client change <id>',
  }),
  CLIENT_ROTATE: actOf('NewSecret')({
    status: 201,
    path: '/clients/{id}/rotate',
    summary: 'Give a client, by its id or name, a second secret; a third is refused.',
    body: 'SecretBody',
    command: 'client rotate <id>',
    say: toMadeText,
  }),
  CLIENTS: listOf('ClientList', [
    { name: 'id', kind: 'id', place: 'whole' },
    { name: 'name', value: (client) => `${client.name}${toScope(client)}` },
    { name: 'proven by', isLong: true, value: toProof },
    { name: 'last used', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  ])({
    ...COMMON,
    path: '/clients',
    summary: 'List OAuth clients with their secrets, the newest first; never the texts of secrets.',
    command: 'client list',
  }),
  CLIENT_REVOKE: actOf('Client')({
    path: '/clients/{id}/revoke',
    summary: 'Revoke a client, or one of its secrets, with every access token that it got.',
    body: 'RevokeBody',
    command: 'client revoke <id>',
    question: 'Revoke the client {id}, or its named secret, with each access token that it got?',
    say: ({ id, name }, { secret }) =>
      `${secret === undefined ? '' : `${secret} of `}${name} (${id}) is revoked.`,
  }),
  PROVIDER_CREATE: actOf('Provider')({
    status: 201,
    path: '/providers',
    summary: 'Add a provider; a limit that is left out is none.',
    body: 'ProviderBody',
    command: 'provider create <name>',
    ...LIMITS,
  }),
  PROVIDERS: listOf('ProviderList', [
    { name: 'name', place: 'whole' },
    { name: 'mail domains', value: ({ domains }) => domains?.join(', ') ?? 'any' },
    { name: 'group names', value: ({ groupNames }) => groupNames?.join(', ') ?? 'any' },
    {
      name: 'may',
      value: ({ may }) => (may.length === RIGHTS.length ? 'all' : may.join(', ') || 'nothing'),
    },
    { name: 'terms', isLong: true, value: (provider) => listChoices(provider).join(', ') },
    { name: 'traced until', kind: 'time', place: 'minor', value: (one) => one.tracedUntil },
  ])({
    path: '/providers',
    summary:
      'List identity providers and what each may do; the newest first and the default one last.',
    filters: {},
    command: 'provider list',
  }),
  PROVIDER_CHANGE: actOf('Provider')({
    path: '/providers/{id}/change',
    summary:
      'Change what a provider may do and how its requests are taken; what is left out stays as it is.',
    body: 'LimitsBody',
    command: 'provider change <name>',
    ...LIMITS,
  }),
  PROVIDER_TRACE: actOf('Provider')({
    path: '/providers/{id}/trace',
    summary: 'Keep all requests of a provider and their answers for a time, with values masked.',
    body: 'TraceBody',
    command: 'trace <name>',
    say: ({ name, tracedUntil }) =>
      tracedUntil === null
        ? `Requests of ${name} are no longer kept.`
        : `Requests of ${name} are kept until ${tracedUntil}: scim-bridge requests --traced`,
  }),
  PROVIDER_SWITCH: HANDOVER,
  PROVIDER_LEAVE: LEAVING,
  PROVIDER_IMPORT: ID_IMPORT,
  PROVIDER_DELETE: actOf('Provider')({
    path: '/providers/{id}/delete',
    summary: 'Delete a provider that has no credential, no person and no group any more.',
    command: 'provider delete <name>',
    question: 'Delete the provider {name}?',
    say: ({ name }) => `${name} is deleted.`,
  }),
  TOKEN_CREATE: actOf('NewToken')({
    status: 201,
    path: '/tokens',
    summary: 'Make a token; its text is shown once.',
    body: 'TokenBody',
    command: 'token create <name>',
    nulls: NETWORKS.nulls,
    say: toTokenText,
  }),
  TOKENS: listOf('TokenList', [
    { name: 'id', kind: 'id', place: 'whole' },
    { name: 'name' },
    { name: 'for', value: (token) => `${token.for}${toScope(token)}` },
    { name: 'state', value: toState },
    { name: 'last used', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  ])({
    ...COMMON,
    path: '/tokens',
    summary: 'List named tokens of providers and operators, the newest first; never their texts.',
    command: 'token list',
  }),
  TOKEN_CHANGE: actOf('Token')({
    ...NETWORKS,
    path: '/tokens/{id}/change',
    summary: 'Change the networks of a token, by its id or name.',
    command: 'token change <id>',
  }),
  TOKEN_REVOKE: actOf('Token')({
    path: '/tokens/{id}/revoke',
    summary: 'Revoke a token, by its id or name, everywhere at once.',
    command: 'token revoke <id>',
    question: 'End the token {id}? Who presents it is refused from then on.',
    say: ({ id, name }) => `${name} (${id}) is revoked.`,
  }),
  SESSIONS: listOf('SessionList', [
    { name: 'id', kind: 'id', place: 'whole' },
    { name: 'who', value: ({ name }) => name },
    { name: 'role', place: 'minor', value: (session) => session.for },
    { name: 'since', kind: 'time', place: 'minor', value: ({ createdAt }) => createdAt },
    { name: 'last used', kind: 'time', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt },
    { name: 'ends', kind: 'time', value: ({ expiresAt }) => expiresAt },
  ])({
    path: '/sessions',
    summary: 'List sign-ins to the console that are not over, the newest first.',
    filters: {},
    command: 'session list',
  }),
  SESSION_REVOKE: actOf('SessionEnded')({
    path: '/sessions/{id}/revoke',
    summary: 'End a sign-in to the console, everywhere at once.',
    command: 'session revoke <id>',
    question: 'End the sign-in {id}? Who has it has to sign in again.',
    say: ({ id }) => `${id} is signed out.`,
  }),
};

const SHOWN_ONCE = '\nThis is the only time that it is shown.';

function toTokenText(made: OpsJson<'NewToken'>): string {
  const secret = made.token === null ? '' : `\n\n${made.token}\n${SHOWN_ONCE}`;
  return `${toItemText(access.TOKENS.columns, made)}${secret}`;
}

function toMadeText(made: OpsJson<'NewClient'>): string {
  const { id, secret } = made;
  const lines = secret === null ? [] : [`client_secret  ${secret}`, SHOWN_ONCE];
  return [toItemText(access.CLIENTS.columns, made), `\nclient_id      ${id}`, ...lines].join('\n');
}

function toProviderText(provider: OpsJson<'Provider'>): string {
  return toItemText(access.PROVIDERS.columns, provider);
}

/** One entry of a list in lines, one for each column that has a value. */
function toItemText<Item>([first, ...columns]: readonly Column<Item>[], item: Item): string {
  const others = columns.filter((one) => toCellText(one, item) !== '');
  const width = Math.max(...others.map(({ name }) => name.length));
  const lines = others.map((one) => `  ${one.name.padEnd(width)}  ${toCellText(one, item)}`);
  return [first && toCellText(first, item), ...lines].join('\n');
}

type Life<Part extends keyof OpsJson<'Token'>> = Pick<OpsJson<'Token'>, Part>;

function toState({ expiresAt, revokedAt }: Life<'expiresAt' | 'revokedAt'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt === null ? 'never expires' : `expires ${expiresAt}`;
}

function toScope(one: Life<'provider' | 'profile' | 'networks'>): string {
  const { provider, profile, networks } = one;
  const of = provider === null || provider === DEFAULT_PROVIDER ? '' : `, of ${provider}`;
  const from = networks === null ? '' : `, from ${networks.join(' ')}`;
  return `${of}${profile === 'lenient' ? '' : `, ${profile}`}${from}`;
}

function toProof({ trust, secrets, revokedAt }: OpsJson<'Client'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (trust !== null) return `assertions of ${trust.issuer ?? 'its own'}`;
  return secrets.map((secret) => `${secret.id} ${toState(secret)}`).join('; ');
}

/** How requests of a provider are taken, in words. */
export function listChoices(handling: OpsJson<'Handling'>): string[] {
  const names = parseFields<keyof OpsJson<'Handling'>>(opsSchemas.Handling.shape);
  return names.map((name) => `${name}: ${[handling[name] ?? 'any'].flat().join(' ')}`);
}
