import { z } from 'zod';
import { PROFILES, PURPOSES } from '../../domain/credential.ts';
import { bodyOf, type JsonOf, moment, word } from './kinds.ts';
import { trust, trustBody } from './trust.ts';

/** Ids begin like this, and a name must not look like one. */
const NAME = /^(?!(?:token|client|settings)-)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_ERROR =
  'name is 1 to 64 letters, digits, dots, hyphens and underscores, and does not begin like an id (token-, client-, settings-).';

const name = () =>
  z
    .string({ error: NAME_ERROR })
    .refine((text) => NAME.test(text), { error: NAME_ERROR })
    .describe('1 to 64 letters, digits, dots, hyphens and underscores.');

const profile = () =>
  z
    .enum(PROFILES, { error: `profile is one of: ${PROFILES.join(', ')}.` })
    .describe(
      'How requests are read: `lenient` repairs what providers send differently, `strict` refuses what the SCIM 2.0 Interoperability Profile has refused.',
    );

const provider = () =>
  z
    .string({ error: 'provider is the name of a provider.' })
    .describe('The provider that presents it; `default` when left out.');

const life = {
  createdAt: moment(),
  createdBy: z.string().describe('The id of the credential that made it, or `command`.'),
  lastUsedAt: moment().nullable().describe('To the minute; null: never.'),
  revokedAt: moment().nullable(),
};

/** A named token, without its text. */
export const token = z.strictObject({
  id: z.string(),
  name: z.string(),
  for: z.enum(PURPOSES),
  profile: profile(),
  provider: z
    .string()
    .nullable()
    .describe('The provider that presents it; null: it does not open SCIM.'),
  ...life,
  expiresAt: moment().nullable().describe('null: never.'),
});
/** A named token as an operator is shown it. */
export type TokenView = JsonOf<typeof token>;

/** A token that was made now. */
export const newToken = token.extend({ token: z.string().describe('What is to be presented.') });

/** A token that is to be made. */
export const tokenBody = bodyOf('{"name": "…", "for": "scim", "expires": "365d"}', {
  name: name(),
  for: z
    .enum(PURPOSES, { error: `for is one of: ${PURPOSES.join(', ')}.` })
    .optional()
    .describe('`scim` when left out.'),
  profile: profile().optional(),
  provider: provider().optional(),
  expires: z
    .string({ error: 'expires is a duration from 1m to 3650d, such as 365d.' })
    .optional()
    .describe('How long it is valid, such as `90d`, or `never`; `365d` when left out.'),
});

/** The body of a request for a token. */
export type TokenBody = z.output<typeof tokenBody>;

const expires = () =>
  z
    .string({ error: 'expires is a duration from 365d to 1095d, such as 730d.' })
    .optional()
    .describe('How long the secret is valid, from `365d` to `1095d`; `730d` when left out.');

/** An OAuth client with its secrets, without their texts. */
export const client = z.strictObject({
  id: z.string().describe('The `client_id` of OAuth.'),
  name: z.string(),
  profile: profile(),
  provider: z.string().describe('The provider whose client it is.'),
  ...life,
  trust: trust.nullable().describe('How its assertions prove it; null: it has secrets.'),
  secrets: z
    .array(z.strictObject({ id: z.string(), ...life, expiresAt: moment() }))
    .describe('The oldest first; at most two are valid at once.'),
});
/** An OAuth client as an operator is shown it. */
export type ClientView = JsonOf<typeof client>;

/** A client with the secret that was made now. */
export const newClientSecret = client.extend({
  secret: z.string().describe('The `client_secret` of OAuth.'),
});

/** A client that was made now. */
export const newClient = client.extend({
  secret: z
    .string()
    .nullable()
    .describe('The `client_secret` of OAuth; null: it proves itself by assertions.'),
});

/** A client that is to be made. */
export const clientBody = bodyOf('{"name": "…", "expires": "730d"}', {
  name: name(),
  profile: profile().optional(),
  provider: provider().optional(),
  expires: expires(),
  trust: trustBody.optional(),
});
/** A client that an operator asks for. */
export type ClientBody = JsonOf<typeof clientBody>;

/** A secret that is to be made. */
export const secretBody = bodyOf('{"expires": "730d"}', { expires: expires() });

/** The end of a client, or of one of its secrets. */
export const revokeBody = bodyOf('{"secret": "secret-…"}', {
  secret: z
    .string({ error: 'secret is the id of a secret.' })
    .optional()
    .describe('The id of a secret; the whole client when left out.'),
});

/** A sign-in to the console that is not over. */
export const session = z.strictObject({
  id: z.string(),
  name: z.string().describe('The name of the credential that was presented.'),
  for: word(['reader', 'operator']),
  createdAt: moment(),
  lastUsedAt: moment().describe('To the minute; a page that refreshes itself does not count.'),
  expiresAt: moment().describe('When it ends at the latest.'),
});
/** A sign-in to the console as an operator is shown it. */
export type SessionView = JsonOf<typeof session>;

/** A sign-in that was ended. */
export const sessionEnded = z.strictObject({ id: z.string() });
