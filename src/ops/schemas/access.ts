import { z } from 'zod';
import { PROFILES, PURPOSES } from '../../domain/credential.ts';
import { CHOICES, MATCHES, RIGHTS } from '../../domain/provider.ts';
import {
  list,
  listOf,
  moment,
  momentOrNull,
  object,
  optional,
  optionalText,
  orNull,
  text,
  textOrNull,
  whole,
  word,
} from './kinds.ts';

/** Ids begin like this, and a name must not look like one. */
const NAME = /^(?!(?:token|client|settings)-)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.)*[\p{L}\p{N}-]{1,63}$/u;
/** Entries of one list. */
const ENTRIES_MAX = 100;

const name = z
  .string()
  .refine((given) => NAME.test(given))
  .describe(
    '1 to 64 letters, digits, dots, hyphens and underscores, which do not begin like an id (token-, client-, settings-).',
  );
const profile = word(
  PROFILES,
  'How requests are read: `lenient` repairs what providers send differently, `strict` refuses what the SCIM 2.0 Interoperability Profile has refused.',
);
const provider = text('The provider that presents it; `default` when left out.');
const secretTerm = optionalText(
  'How long the secret is valid, from `365d` to `1095d`; `730d` when left out.',
);

const life = {
  createdAt: moment(),
  createdBy: text('The id of the credential that made it, or `command`.'),
  lastUsedAt: momentOrNull('To the minute; null: never.'),
  revokedAt: momentOrNull(),
};

const token = object({
  id: text(),
  name: text(),
  for: word(PURPOSES),
  profile,
  provider: textOrNull('The provider that presents it; null: it does not open SCIM.'),
  ...life,
  expiresAt: momentOrNull('null: never.'),
});

const trust = object(
  {
    issuer: textOrNull('`iss`; null: the id of the client, as `sub` is then.'),
    audiences: list(
      text(),
      '`aud` is one of them; none: the address for tokens, or that of the bridge.',
    ),
    claims: list(
      object({ name: text(), values: list(text(), 'May name somebody.') }),
      'Claims that an assertion has, each with one of these values.',
    ),
    keysFrom: word(['issuer', 'address', 'given']),
    jwksUri: textOrNull('Where the keys are read; null: elsewhere.'),
    keyIds: list(textOrNull(), 'Those of the keys that were given.'),
    lifetimeSeconds: whole('The longest validity of an assertion.'),
    once: textOrNull(
      'The claim that tells assertions apart, so that each is taken once; null: again.',
    ),
  },
  'What the assertions of a client have to say, and whose keys sign them.',
);

const long = () => z.string().min(1).max(1_024);
const trustBody = object(
  {
    issuer: optional(long(), '`iss`, exactly; when left out, the client signs for itself.'),
    audiences: optional(
      list(long()).max(10),
      '`aud` is one of them, exactly; with an issuer at least one.',
    ),
    claims: optional(
      z.record(long(), list(long()).min(1).max(20)),
      'Claims with the values that each may have; with an issuer at least one.',
    ),
    jwksUri: optional(
      long(),
      'Where the keys are; when left out, the description of the issuer says it.',
    ),
    jwks: optional(
      z.looseObject({ keys: list(z.looseObject({})) }),
      'The keys themselves; of private ones the public part alone is kept.',
    ),
    lifetime: optionalText(
      'The longest validity of an assertion, from `10s` to `24h`; `5m` when left out.',
    ),
    once: optional(
      orNull(z.string().min(1).max(64)),
      'A claim; `jti` when left out. null: an assertion may be presented again.',
    ),
  },
  'For a client that proves itself by assertions and has no secret.',
);

const client = object({
  id: text('The `client_id` of OAuth.'),
  name: text(),
  profile,
  provider: text('The provider that the client is.'),
  ...life,
  trust: orNull(trust, 'How its assertions prove it; null: it has secrets.'),
  secrets: list(
    object({ id: text(), ...life, expiresAt: moment() }),
    'The oldest first; at most two are valid at once.',
  ),
});

const session = object({
  id: text(),
  name: text('The name of the credential that was presented.'),
  for: word(['reader', 'operator']),
  createdAt: moment(),
  lastUsedAt: moment('To the minute; a page that refreshes itself does not count.'),
  expiresAt: moment('When it ends at the latest.'),
});

/** How the requests of a provider are taken. */
export const handling = object({
  returning: word(
    CHOICES.returning,
    'A POST of somebody who is inactive: 409, or the same user active again with what the POST says.',
  ),
  unknownMembers: word(
    CHOICES.unknownMembers,
    'Members that nobody has the id of: 400, or left out and counted.',
  ),
  nestedGroups: word(
    CHOICES.nestedGroups,
    'Groups among members: 400, left out and counted, or their people are members.',
  ),
  match: list(z.enum(MATCHES))
    .min(1)
    .describe('By what a person is recognised who is new to the bridge.'),
});

const some = (isFine: (entry: string) => boolean) =>
  list(text())
    .min(1)
    .max(ENTRIES_MAX)
    .refine((all) => all.every(isFine));
const settings = {
  domains: orNull(
    some((entry) => entry.length <= 253 && DOMAIN.test(entry)),
    'Mail domains whose people it may create or take over; null: any.',
  ),
  groupNames: orNull(
    some((entry) => entry.trim() !== '' && entry.length <= 256),
    'Names that its groups may have, `*` stands for any text; null: any.',
  ),
  may: list(
    z.enum(RIGHTS),
    'Its rights over its own people and groups; `create` is also to take over.',
  ),
  ...handling.shape,
};
const providerOf = object({
  name: text(),
  ...settings,
  createdAt: momentOrNull('null: the default one was always there.'),
  createdBy: textOrNull('The id of the credential that made it, or `command`; null: nobody did.'),
});
const wish = object(settings).partial();

/** Credentials, and the providers that present them. */
export const accessSchemas = {
  Token: token,
  TokenList: listOf(token),
  NewToken: token.extend({ token: text('What is to be presented.') }),
  TokenBody: object({
    name,
    for: optional(word(PURPOSES), '`scim` when left out.'),
    profile: optional(profile),
    provider: optional(provider),
    expires: optionalText('How long it is valid, such as `90d`, or `never`; `365d` when left out.'),
  }),
  Trust: trust,
  TrustBody: trustBody,
  Client: client,
  ClientList: listOf(client),
  NewClient: client.extend({
    secret: textOrNull('The `client_secret` of OAuth; null: it proves itself by assertions.'),
  }),
  NewSecret: client.extend({ secret: text('The `client_secret` of OAuth.') }),
  ClientBody: object({
    name,
    profile: optional(profile),
    provider: optional(provider),
    expires: secretTerm,
    trust: optional(trustBody),
  }),
  SecretBody: object({ expires: secretTerm }),
  RevokeBody: object({
    secret: optionalText('The id of a secret; the whole client when left out.'),
  }),
  Session: session,
  SessionList: listOf(session),
  SessionEnded: object({ id: text() }),
  Provider: providerOf,
  ProviderList: listOf(providerOf),
  ProviderBody: wish.extend({
    name: z
      .string()
      .refine((given) => PROVIDER_NAME.test(given))
      .describe('1 to 64 letters, digits, dots, hyphens and underscores.'),
  }),
  LimitsBody: wish,
};
