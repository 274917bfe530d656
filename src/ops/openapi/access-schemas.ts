import { z } from 'zod';
import { PURPOSES } from '../../domain/credential.ts';
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
