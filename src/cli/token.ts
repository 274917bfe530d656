import { Option } from 'commander';
import { PURPOSES } from '../domain/credential.ts';
import type { TokenView } from '../ops/schemas/access.ts';
import type { Settings } from '../settings/schema.ts';
import {
  accessCommand,
  addList,
  addMaking,
  addRevoke,
  expiresOption,
  profileOption,
  providerOption,
  SHOWN_ONCE,
  toLifeText,
  toProfileText,
  toProviderText,
  toState,
  toUse,
} from './ask-access.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer } from './json.ts';
import { type Column, toDim } from './table.ts';

/** Makes a token in a store that no bridge on this machine has. */
type MakeInStore = (settings: Settings, body: object) => Promise<TokenView & { token: string }>;

/** `token`: manages the named tokens of providers and operators. */
export function tokenCommand(makeInStore: MakeInStore): AddCommand {
  const command = { name: 'token', about: 'named tokens of providers and operators' };
  return accessCommand(command, (access) => {
    addMaking<TokenView & { token: string }>(access, {
      usage: 'create <name>',
      description: 'make a token, also before the first start; it is printed once and kept nowhere',
      options: [
        new Option('--for <purpose>', 'what it lets in').choices(PURPOSES).default('scim'),
        expiresOption('how long it is valid, such as 90d, or never', '365d'),
        profileOption(),
        providerOption(),
      ],
      toRequest: (name, wish) => ({ path: '/tokens', body: { name, ...wish } }),
      toText: ({ token, ...view }) => `${toLine(view)}\n${token}\n${SHOWN_ONCE}`,
      makeAlone: async (context, body) =>
        (await isRunning(context)) ? undefined : makeInStore(context.loadSettings().settings, body),
    });
    addList<TokenView>(access, {
      path: '/tokens',
      description: 'tokens that are not revoked, the newest first',
      none: 'There is no token that is not revoked.',
      revoked: 'hidden',
      columns,
    });
    addRevoke<object, TokenView>(access, {
      description: 'end a token, everywhere within five seconds',
      toQuestion: (key) => `End the token ${key}? Who presents it is refused from then on.`,
      end: async (client, key) =>
        parseAnswer(await client.send('POST', `/tokens/${encodeURIComponent(key)}/revoke`)),
      toText: ({ id, name }) => `${name} (${id}) is revoked.\n`,
    });
  });
}

/** True where OPS_URL names a bridge, or one that this environment may ask runs on this machine. */
async function isRunning({ loadSettings, connect }: CliContext): Promise<boolean> {
  const { url, token, commandToken } = loadSettings().settings.ops;
  if (url !== undefined) return true;
  return (token ?? commandToken) !== undefined && connect().isAnswering();
}

const columns: readonly Column<TokenView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'name', cell: ({ name }) => name },
  { head: 'for', cell: (view) => `${view.for}${toProviderText(view)}${toProfileText(view)}` },
  { head: 'state', cell: toState },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toUse(lastUsedAt) },
];

function toLine(view: TokenView): string {
  return `${view.id}  ${view.name}  for ${view.for}${toProviderText(view)}${toProfileText(view)}  ${toLifeText(view)}\n`;
}
