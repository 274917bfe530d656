import { z } from 'zod';
import { isNetwork } from '../../access/networks.ts';
import { PROFILES, PURPOSES } from '../../domain/credential.ts';
import { CHOICES, MATCHES, RIGHTS } from '../../domain/provider.ts';
import { t } from './kinds.ts';

/** Ids begin like this, and a name must not look like one. */
const NAME = /^(?!(?:token|client|settings)-)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.)*[\p{L}\p{N}-]{1,63}$/u;
const ENTRIES_MAX = 100;

const name = t.checked(
  '1 to 64 letters, digits, dots, hyphens and underscores; not token-, client- or settings- first.',
  (given) => NAME.test(given),
);
const profile = t.word(
  PROFILES,
  '`strict` refuses what the SCIM 2.0 Interoperability Profile refuses.',
);
const provider = t.text('The provider that presents it; `default` when left out.');
const networks = some('Networks that it comes from, as `203.0.113.0/24`; null: any.', isNetwork);
const digest = z.hash('sha256', { error: 'has to be 64 hex digits' }).toLowerCase();
const secretTerm = t.optionalText('Life of the secret, `365d` to `1095d`; `730d` when left out.');

const life = {
  createdAt: t.moment(),
  createdBy: t.text('The id of the credential that made it, or `command`.'),
  lastUsedAt: t.momentOrNull('To the minute; null: never.'),
  revokedAt: t.momentOrNull(),
};

export const Token = t.object({
  id: t.text(),
  name: t.text(),
  for: t.word(PURPOSES),
  profile,
  provider: t.textOrNull('The provider that presents it; null: it does not open SCIM.'),
  networks,
  ...life,
  expiresAt: t.momentOrNull('null: never.'),
});

export const Trust = t.object({
  issuer: t.textOrNull('`iss`; null: the id of the client, as `sub` is then.'),
  audiences: t.list(t.text(), '`aud` is one of them; none: the address for tokens, or the bridge.'),
  claims: t.parts('Claims that an assertion has, each with one of these values.', {
    name: t.text(),
    values: t.list(t.text(), 'May name a person.'),
  }),
  keysFrom: t.word(['issuer', 'address', 'given']),
  jwksUri: t.textOrNull('Where the keys are read; null: elsewhere.'),
  keyIds: t.list(t.textOrNull(), 'Those of the keys that were given.'),
  lifetimeSeconds: t.whole('The longest validity of an assertion.'),
  once: t.textOrNull('Claim by which each is taken once; null: again.'),
});

const long = () => z.string().min(1).max(1_024);
const claims = z.record(long(), t.list(long()).min(1).max(20));
const keys = z.looseObject({ keys: t.list(z.looseObject({})) });
const claim = t.orNull(z.string().min(1).max(64));
export const TrustBody = t.object({
  issuer: t.optional(long(), '`iss`, exactly; else the client signs for itself.'),
  audiences: t.optional(t.list(long()).max(10), '`aud` is one of them; needed with an issuer.'),
  claims: t.optional(claims, 'Claims and their values; with an issuer at least one.'),
  jwksUri: t.optional(long(), 'Where the keys are; else the issuer says it.'),
  jwks: t.optional(keys, 'The keys themselves; only public parts are kept.'),
  lifetime: t.optionalText('Longest life of an assertion, `10s` to `24h`; `5m` when left out.'),
  once: t.optional(claim, 'A claim; `jti` when left out; null: again and again.'),
});

export const ClientSecret = t.object({ id: t.text(), ...life, expiresAt: t.moment() });

export const Client = t.object({
  id: t.text('The `client_id` of OAuth.'),
  name: t.text(),
  profile,
  provider: t.text('The provider that the client is.'),
  networks,
  ...life,
  trust: t.orNull(Trust, 'How its assertions prove it; null: it has secrets.'),
  secrets: t.list(ClientSecret, 'At most two are valid at once.'),
});

export const Session = t.object({
  id: t.text(),
  name: t.text('The name of the credential that was presented.'),
  for: t.word(['reader', 'operator']),
  createdAt: t.moment(),
  lastUsedAt: t.moment('To the minute; a page that refreshes itself does not count.'),
  expiresAt: t.moment('When it ends at the latest.'),
});

/** How the requests of a provider are taken. */
export const Handling = t.object({
  returning: t.word(CHOICES.returning, 'A POST of an inactive user: 409, or active again.'),
  unknownMembers: t.word(CHOICES.unknownMembers, 'Members of unknown id: 400, or left out.'),
  nestedGroups: t.word(CHOICES.nestedGroups, 'Groups as members: 400, left out, or their people.'),
  outside: t.word(CHOICES.outside, 'Outside its domains and group names: 403, or kept apart.'),
  invite: t.word(CHOICES.invite, 'Who has no account: gets one once active, or waits for one.'),
  mode: t.word(CHOICES.mode, 'Its changes: made, held in a plan later, or made later.'),
  match: t
    .list(z.enum(MATCHES))
    .min(1)
    .describe('By what a person is recognised who is new to the bridge.'),
  graceDays: z.int().min(0).max(365).describe('Days until the deleted leave their groups.'),
  requestsPerSecond: t.orNull(
    z.int().min(1).max(10_000),
    'Requests a second of each of its credentials; null: as of all others.',
  ),
});

function some(about: string, isFine: (entry: string) => boolean) {
  const error = ({ input }: { input?: unknown }) =>
    `${JSON.stringify(input)} does not fit: ${about}`;
  return t.orNull(t.list(t.text().refine(isFine, { error })).min(1).max(ENTRIES_MAX), about);
}

const settings = {
  domains: some(
    'Mail domains whose people it may create or take over; null: any.',
    (entry) => entry.length <= 253 && DOMAIN.test(entry),
  ),
  groupNames: some(
    'Names that its groups may have, `*` stands for any text; null: any.',
    (entry) => entry.trim() !== '' && entry.length <= 256,
  ),
  may: t.list(z.enum(RIGHTS), 'Its rights; `create` is also to take over.'),
  ...Handling.shape,
};
export const Provider = t.object({
  name: t.text(),
  ...settings,
  tracedUntil: t.momentOrNull('Until then its requests are kept with masked values.'),
  createdAt: t.momentOrNull('null: the default one was always there.'),
  createdBy: t.textOrNull('The id of the credential that made it, or `command`; null: nobody did.'),
});
export const LimitsBody = t.object(settings).partial();
export const TraceBody = t.object({
  minutes: t.optional(z.int().min(0).max(60), 'How long, `10` when left out; `0` ends it.'),
});

export const TokenList = t.listOf(Token);
export const NewToken = Token.extend({ token: t.textOrNull('What to present; null: your own.') });
export const TokenBody = t.object({
  name,
  for: t.optional(t.word(PURPOSES), '`scim` when left out.'),
  profile: t.optional(profile),
  provider: t.optional(provider),
  networks: t.optional(networks),
  expires: t.optionalText('How long, such as `90d`, or `never`; `365d` when left out.'),
  digest: t.optional(digest, 'SHA-256 of a secret of your own, in hex; else it gets one.'),
});
export const ClientList = t.listOf(Client);
export const NewClient = Client.extend({
  secret: t.textOrNull('The `client_secret` of OAuth; null: it proves itself by assertions.'),
});
export const NewSecret = Client.extend({ secret: t.text('The `client_secret` of OAuth.') });
export const ClientBody = t.object({
  name,
  profile: t.optional(profile),
  provider: t.optional(provider),
  networks: t.optional(networks),
  expires: secretTerm,
  trust: t.optional(TrustBody, 'For a client that proves itself by assertions, without a secret.'),
});
export const NetworksBody = t.object({ networks });
export const SecretBody = t.object({ expires: secretTerm });
export const RevokeBody = t.object({
  secret: t.optionalText('The id of a secret; the whole client when left out.'),
});
export const SessionList = t.listOf(Session);
export const SessionEnded = t.object({ id: t.text() });
export const ProviderList = t.listOf(Provider);
export const ProviderBody = LimitsBody.extend({
  name: t.checked('1 to 64 letters, digits, dots, hyphens and underscores.', (given) =>
    PROVIDER_NAME.test(given),
  ),
});
