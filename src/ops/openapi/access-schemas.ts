import { z } from 'zod';
import { PURPOSES } from '../../domain/credential.ts';
import type { ClientView } from '../access/clients-router.ts';
import type { TokenView } from '../access/tokens-router.ts';
import { moment } from './kinds.ts';

const name = () => z.string().describe('1 to 64 letters, digits, dots, hyphens and underscores.');

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
  ...life,
  expiresAt: moment().nullable().describe('null: never.'),
}) satisfies z.ZodType<TokenView>;

/** A token that was made now. */
export const newToken = token.extend({ token: z.string().describe('What is to be presented.') });

/** A token that is to be made. */
export const tokenBody = z.strictObject({
  name: name(),
  for: z.enum(PURPOSES).optional().describe('`scim` when left out.'),
  expires: z
    .string()
    .optional()
    .describe('How long it is valid, such as `90d`, or `never`; `365d` when left out.'),
});

const expires = () =>
  z
    .string()
    .optional()
    .describe('How long the secret is valid, from `365d` to `1095d`; `730d` when left out.');

/** An OAuth client with its secrets, without their texts. */
export const client = z.strictObject({
  id: z.string().describe('The `client_id` of OAuth.'),
  name: z.string(),
  ...life,
  secrets: z
    .array(z.strictObject({ id: z.string(), ...life, expiresAt: moment() }))
    .describe('The oldest first; at most two are valid at once.'),
}) satisfies z.ZodType<ClientView>;

/** A client with the secret that was made now. */
export const newClientSecret = client.extend({
  secret: z.string().describe('The `client_secret` of OAuth.'),
});

/** A client that is to be made. */
export const clientBody = z.strictObject({ name: name(), expires: expires() });

/** A secret that is to be made. */
export const secretBody = z.strictObject({ expires: expires() });

/** What of a client is to end. */
export const revokeBody = z.strictObject({
  secret: z.string().optional().describe('The id of a secret; the whole client when left out.'),
});
