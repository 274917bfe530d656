import { z } from 'zod';
import { duration, httpsUrl, httpUrl, secret, text, textList } from '../kinds.ts';

/** The console for operators. */
export const consoleSchema = z.strictObject({
  sessionIdle: duration({ min: '1m', max: '7d' })
    .prefault('30m')
    .describe(
      'How long a sign-in to the console lasts without a request of its person; a page that refreshes itself does not count. See [command-line.md](command-line.md#console).',
    ),
  sessionMax: duration({ min: '5m', max: '30d' })
    .prefault('12h')
    .describe('How long a sign-in to the console lasts at most.'),
  url: httpUrl()
    .optional()
    .describe(
      'Where operators reach the console, without its path; for `oidc.issuer`, which leads them back to `/console/oidc/callback` there.',
    ),
});

/** The identity provider of the company, for operators. */
export const oidcSchema = z.strictObject({
  issuer: httpsUrl()
    .optional()
    .describe(
      'The identity provider that operators may sign in with (OpenID Connect), by its address as it names itself. When not set, the console asks for tokens alone.',
    ),
  clientId: text('what the identity provider has given')
    .optional()
    .describe('The client that the console is to the identity provider.'),
  clientSecret: secret({ charactersMin: 8 }).optional().describe('Its secret.'),
  scope: text('scopes with spaces between them')
    .prefault('openid profile email')
    .describe('What is asked for; some providers tell groups only with a scope `groups`.'),
  groupsClaim: text('the name of a claim')
    .prefault('groups')
    .describe('The claim that names the groups of a person, in the ID token or the user info.'),
  operatorGroups: textList('names or ids of groups, separated by commas')
    .prefault([])
    .describe('Whoever is in one of these groups acts as an operator.'),
  readerGroups: textList('names or ids of groups, separated by commas')
    .prefault([])
    .describe('Whoever is in one of these groups may read. Who is in none does not come in.'),
});
