import { CONSOLE_PATH } from '../console/pages.ts';
import type { Settings } from '../settings/schema.ts';
import { SCIM_PATH } from './http.ts';

/** Facts that the start prints for a person. */
export interface BannerFacts {
  readonly publicUrl: string;
  /** Where operators are answered. */
  readonly opsUrl: string;
  readonly settings: Settings;
  /** Token of providers; undefined: the store alone has credentials, or nobody has one yet. */
  readonly token: string | undefined;
  /** Token of operators that the first run made, where a person at a terminal reads it. */
  readonly operator: string | undefined;
}

/** Text for the person who starts the bridge. It is no line of the log, and the only place that shows these tokens. */
export function toBanner(facts: BannerFacts): string {
  const { publicUrl, opsUrl, settings, token, operator } = facts;
  const base = `${publicUrl}${SCIM_PATH}`;
  const console = `${settings.console.url ?? opsUrl}${CONSOLE_PATH}`;
  const address = `SCIM base URL  ${base}\nReady when     ${opsUrl}/readyz says so\nConsole        ${console}`;
  if (settings.scim.tokens.length > 0) return `\n${address}\n\n`;
  if (token === undefined) return `\n${address}\nCredentials    scim-bridge token list\n\n`;
  const ops = operator === undefined ? '' : `Operator token ${operator}\n`;
  return `
scim-bridge is serving the embedded sandbox (set UPSTREAM_URL for a real service)

${address}
SCIM token     ${token}
${ops}
Try it:
${toTrials(facts, { base, token })}
`;
}

const ADA =
  '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"ada@example.com","name":{"givenName":"Ada","familyName":"Lovelace"},"emails":[{"value":"ada@example.com","type":"work","primary":true}],"active":true}';

/** Commands that work when they are pasted. */
function toTrials(
  { opsUrl, operator }: BannerFacts,
  { base, token }: { readonly base: string; readonly token: string },
): string {
  const ask = `curl -s -H 'Authorization: Bearer ${token}'`;
  const create = `  ${ask} -H 'Content-Type: application/scim+json' -d '${ADA}' '${base}/Users'\n`;
  if (operator === undefined) return `  ${ask} '${base}/Users'\n${create}`;
  return `  export OPS_URL=${opsUrl} OPS_COMMAND_TOKEN=${operator}   # in another terminal, for the second and third
1. a provider creates a person
${create}2. how the bridge is
  npx scim-bridge status
3. somebody makes a group in the service, and the bridge finds it
  npx scim-bridge sandbox do createGroup name=Pilots && npx scim-bridge sweep && npx scim-bridge unmanaged
`;
}
