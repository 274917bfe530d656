import { DEFAULT_PROVIDER, type Handling, RIGHTS } from '../../domain/provider.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { type ListOption, listOf } from './list.ts';

/** The part that lists of tokens and of clients have in common. */
export const ACCESS_FILTERS = { state: ['live', 'revoked'] } as const;

const COMMON = {
  method: 'get',
  tag: 'Credentials',
  filters: ACCESS_FILTERS,
  meanings: { state: 'Not revoked, or revoked.' },
} as const;

const OPTIONS: readonly ListOption[] = [
  {
    ...{ flags: '--all', filter: 'state', value: '', otherwise: 'live' },
    help: 'Those that are revoked as well.',
  },
];

/** Named tokens of providers and operators. */
export const TOKENS = listOf<OpsJson<'Token'>>()({
  ...COMMON,
  path: '/tokens',
  summary: 'Named tokens of providers and operators, the newest first; never their texts.',
  answers: { 200: 'TokenList' },
  columns: [
    { name: 'id', kind: 'id', place: 'whole', value: ({ id }) => id },
    { name: 'name', value: ({ name }) => name },
    { name: 'for', value: (token) => `${token.for}${toScope(token)}` },
    { name: 'state', value: toState },
    { name: 'last used', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  ],
  command: {
    name: 'token list',
    about: 'tokens that are not revoked, the newest first',
    options: OPTIONS,
    none: ['There is no token that is not revoked.'],
  },
});

/** OAuth clients, for providers that fetch access tokens. */
export const CLIENTS = listOf<OpsJson<'Client'>>()({
  ...COMMON,
  path: '/clients',
  summary: 'OAuth clients, the newest first, with their secrets; never the texts of these.',
  answers: { 200: 'ClientList' },
  columns: [
    { name: 'id', kind: 'id', place: 'whole', value: ({ id }) => id },
    { name: 'name', value: (client) => `${client.name}${toScope(client)}` },
    { name: 'proven by', isLong: true, value: toProof },
    { name: 'last used', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  ],
  command: {
    name: 'client list',
    about: 'clients that are not revoked, with their secrets, the newest first',
    options: OPTIONS,
    none: ['There is no client that is not revoked.'],
  },
});

/** Sign-ins to the console. */
export const SESSIONS = listOf<OpsJson<'Session'>>()({
  method: 'get',
  path: '/sessions',
  tag: 'Credentials',
  summary: 'Sign-ins to the console that are not over, the newest first.',
  filters: {},
  answers: { 200: 'SessionList' },
  columns: [
    { name: 'id', kind: 'id', place: 'whole', value: ({ id }) => id },
    { name: 'who', value: ({ name }) => name },
    { name: 'role', place: 'minor', value: (session) => session.for },
    { name: 'since', kind: 'time', place: 'minor', value: ({ createdAt }) => createdAt },
    { name: 'last used', kind: 'time', place: 'minor', value: ({ lastUsedAt }) => lastUsedAt },
    { name: 'ends', kind: 'time', value: ({ expiresAt }) => expiresAt },
  ],
  command: {
    name: 'session list',
    about: 'sign-ins that are not over, the newest first',
    options: [],
    none: ['Nobody is signed in to the console.'],
  },
});

/** Identity providers, each with its own people and groups. */
export const PROVIDERS = listOf<OpsJson<'Provider'>>()({
  method: 'get',
  path: '/providers',
  tag: 'Providers',
  summary: 'Identity providers with what each may do, the newest first and the default one last.',
  filters: {},
  answers: { 200: 'ProviderList' },
  columns: [
    { name: 'name', place: 'whole', value: ({ name }) => name },
    { name: 'mail domains', value: ({ domains }) => domains?.join(', ') ?? 'any' },
    { name: 'group names', value: ({ groupNames }) => groupNames?.join(', ') ?? 'any' },
    { name: 'may', value: toRights },
    { name: 'requests', isLong: true, value: (provider) => listChoices(provider).join(', ') },
  ],
  command: {
    name: 'provider list',
    about: 'providers and what each may do, the newest first',
    options: [],
    none: ['There is none.'],
  },
});

/** When a credential ends, or has ended. */
export function toState({
  expiresAt,
  revokedAt,
}: Pick<OpsJson<'Token'>, 'expiresAt' | 'revokedAt'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt === null ? 'never expires' : `expires ${expiresAt}`;
}

/** Words about the provider and the profile of a credential; nothing about the usual ones. */
export function toScope({
  provider,
  profile,
}: Pick<OpsJson<'Token'>, 'provider' | 'profile'>): string {
  const of = provider === null || provider === DEFAULT_PROVIDER ? '' : `, of ${provider}`;
  return `${of}${profile === 'lenient' ? '' : `, ${profile}`}`;
}

function toProof({ trust, secrets, revokedAt }: OpsJson<'Client'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (trust !== null) return `assertions of ${trust.issuer ?? 'its own'}`;
  return secrets.map((secret) => `${secret.id} ${toState(secret)}`).join('; ');
}

/** How requests of a provider are taken, in words. */
export function listChoices(handling: Handling): string[] {
  const { returning, unknownMembers, nestedGroups, match } = handling;
  const choices = { returning, unknownMembers, nestedGroups, match: match.join(' ') };
  return Object.entries(choices).map((choice) => choice.join(': '));
}

function toRights({ may }: OpsJson<'Provider'>): string {
  if (may.length === RIGHTS.length) return 'all';
  return may.length === 0 ? 'nothing' : may.join(', ');
}
