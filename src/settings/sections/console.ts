import { z } from 'zod';
import { httpsUrl, httpUrl, secret, text, textList } from '../kinds.ts';

/** The console for operators. */
export const consoleSchema = z.strictObject({
  url: httpUrl()
    .optional()
    .describe(
      'Address of the console without its path. `oidc.issuer` needs it to lead operators back to `/console/oidc/callback`.',
    ),
});

/** The identity provider of the company, for operators. */
export const oidcSchema = z.strictObject({
  issuer: httpsUrl()
    .optional()
    .describe(
      'Identity provider for sign-in to the console (OpenID Connect): its issuer address. If not set, the console asks for tokens only.',
    ),
  clientId: text('what the identity provider has given')
    .optional()
    .describe('Client id of the console at that provider.'),
  clientSecret: secret({ charactersMin: 8 }).optional().describe('Its secret.'),
  scope: text('scopes with spaces between them')
    .prefault('openid profile email')
    .describe('Scopes of the sign-in. Some providers send groups only with the scope `groups`.'),
  groupsClaim: text('the name of a claim')
    .prefault('groups')
    .describe('The claim with the groups of a person, in the ID token or the user info.'),
  operatorGroups: textList('names or ids of groups, separated by commas')
    .prefault([])
    .describe('Members of these groups are operators.'),
  readerGroups: textList('names or ids of groups, separated by commas')
    .prefault([])
    .describe('Members of these groups are readers. Everybody else is refused.'),
});
