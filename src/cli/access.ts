import { InvalidArgumentError, Option } from 'commander';
import { PURPOSES } from '../domain/credential.ts';
import { CHOICES, MATCHES, RIGHTS } from '../domain/provider.ts';
import { PROVIDERS, toScope, toState } from '../ops/lists/access.ts';
import type { ClientView, TokenView } from '../ops/schemas/access.ts';
import type { ProviderView } from '../ops/schemas/providers.ts';
import { actCommand } from './act-command.ts';
import type { CliContext } from './context.ts';
import { toMoments } from './table.ts';
import { toProof, toTrustLines, trustOptions } from './trust-options.ts';

/** The end of a text with a secret. */
const SHOWN_ONCE = '\nThis is the only time that it is shown.\n';

/** Creates the option `--provider`. */
export function providerOption(): Option {
  return new Option('--provider <name>', 'the provider that presents it; default when left out');
}

function profileOption(): Option {
  const help =
    'lenient, or strict: what the SCIM 2.0 Interoperability Profile has refused is refused';
  return new Option('--profile <profile>', help).choices(['lenient', 'strict']).default('lenient');
}

/** `token create`: makes a named token, through the bridge or in a store that no bridge on this machine has. */
export const addTokenCreate = actCommand<object, TokenView & { readonly token: string }>({
  usage: 'token create <name>',
  about: 'make a token, also before the first start; it is printed once and kept nowhere',
  more: () => [
    new Option('--for <purpose>', 'what it lets in').choices(PURPOSES).default('scim'),
    new Option('--expires <duration>', 'how long it is valid, such as 90d, or never').default(
      '365d',
    ),
    ...[profileOption(), providerOption()],
  ],
  async send(context, { key: name, options }) {
    const body = { name, ...options };
    if (await isRunning(context)) return context.connect().send('POST', '/tokens', body);
    // Loaded on demand: it opens a store.
    const { makeTokenInStore } = await import('../app/make-token.ts');
    return makeTokenInStore(context.loadSettings().settings, body);
  },
  toText: ({ token, ...view }) => {
    const what = `${view.id}  ${view.name}  for ${view.for}${toScope(view)}  ${toLifeText(view)}`;
    return `${what}\n\n${token}\n${SHOWN_ONCE}`;
  },
});

/** True where OPS_URL names a bridge, or one that this environment may ask runs on this machine. */
async function isRunning({ loadSettings, connect }: CliContext): Promise<boolean> {
  const { url, token, commandToken } = loadSettings().settings.ops;
  if (url !== undefined) return true;
  return (token ?? commandToken) !== undefined && connect().isAnswering();
}

/** `token revoke`. */
export const addTokenRevoke = actCommand<object, TokenView>({
  usage: 'token revoke <name-or-id>',
  about: 'end a token, everywhere within five seconds',
  question: ({ key }) => `End the token ${key}? Who presents it is refused from then on.`,
  send: ({ connect }, { key }) =>
    connect().send('POST', `/tokens/${encodeURIComponent(key)}/revoke`),
  toText: ({ id, name }) => `${name} (${id}) is revoked.\n`,
});

const SECRET_TERM = 'how long the secret is valid, from 365d to 1095d';

/** `client create`: an OAuth client, for a provider that fetches access tokens. */
export const addClientCreate = actCommand<object, NewClient>({
  usage: 'client create <name>',
  about:
    'make a client: with a secret, which is printed once and kept nowhere, or with what its assertions have to say',
  more: (context) => [
    ...[profileOption(), providerOption()],
    new Option('--expires <duration>', `${SECRET_TERM}; 730d when left out`),
    ...trustOptions(context),
  ],
  send: ({ connect }, { key: name, options }) =>
    connect().send('POST', '/clients', { name, ...toProof(options) }),
  toText: toMadeText,
});

/** `client rotate`. */
export const addClientRotate = actCommand<object, NewClient>({
  usage: 'client rotate <name-or-id>',
  about: 'give a client a second secret; the first one stays valid until it is revoked',
  more: () => [new Option('--expires <duration>', SECRET_TERM).default('730d')],
  send: ({ connect }, { key, options }) =>
    connect().send('POST', `/clients/${encodeURIComponent(key)}/rotate`, options),
  toText: toMadeText,
});

/** `client revoke`. */
export const addClientRevoke = actCommand<{ readonly secret?: string }, ClientView>({
  usage: 'client revoke <name-or-id>',
  about: 'end a client, or one of its secrets, with every access token that it got',
  options: [['--secret <id>', 'end this secret alone']],
  question({ key, options: { secret } }) {
    const what = secret === undefined ? `the client ${key}` : `${secret} of the client ${key}`;
    return `End ${what}, with every access token that it got?`;
  },
  send: ({ connect }, { key, options }) =>
    connect().send('POST', `/clients/${encodeURIComponent(key)}/revoke`, options),
  toText: ({ id, name }, { options: { secret } }) =>
    `${secret === undefined ? '' : `${secret} of `}${name} (${id}) is revoked.\n`,
});

type NewClient = ClientView & { readonly secret: string | null };

function toMadeText({ secret, ...view }: NewClient): string {
  const { id, name, trust, secrets, revokedAt, lastUsedAt } = view;
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  const state = revokedAt === null ? used : `revoked ${revokedAt}, ${used}`;
  const lines = [
    `${id}  ${name}${toScope(view)}  ${state}\n`,
    ...(trust === null ? [] : toTrustLines(trust)),
    ...secrets.map((each) => `  ${each.id}  ${toLifeText(each)}\n`),
    `\nclient_id      ${id}\n`,
    ...(secret === null ? [] : [`client_secret  ${secret}\n${SHOWN_ONCE}`]),
  ];
  return lines.join('');
}

/** Expiry and last use, as text. */
function toLifeText(life: Pick<TokenView, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>): string {
  const used = life.lastUsedAt === null ? 'never used' : `last used ${life.lastUsedAt}`;
  return toMoments(`${toState(life)}, ${used}`);
}

/** `provider create`: adds an identity provider with people and groups of its own. */
export const addProviderCreate = actCommand<LimitOptions, ProviderView>({
  usage: 'provider create <name>',
  about: 'add a provider',
  more: limitOptions,
  send: ({ connect }, { key: name, options }) =>
    connect().send('POST', '/providers', { name, ...toLimits(options) }),
  toText: toProviderText,
});

/** `provider change`. */
export const addProviderChange = actCommand<LimitOptions, ProviderView>({
  usage: 'provider change <name>',
  about: 'change what a provider may do; what is left out stays as it is',
  more: limitOptions,
  send: ({ connect }, { key, options }) =>
    connect().send('POST', `/providers/${encodeURIComponent(key)}/change`, toLimits(options)),
  toText: toProviderText,
});

/** `provider delete`. */
export const addProviderDelete = actCommand<object, ProviderView>({
  usage: 'provider delete <name>',
  about: 'delete a provider that has no credential, no person and no group any more',
  question: ({ key }) => `Delete the provider ${key}?`,
  send: ({ connect }, { key }) =>
    connect().send('POST', `/providers/${encodeURIComponent(key)}/delete`),
  toText: ({ name }) => `${name} is deleted.\n`,
});

interface LimitOptions {
  readonly domains?: string;
  readonly groupNames?: string;
}

const LIST = 'separated by commas';

function limitOptions(): Option[] {
  const { returning, unknownMembers, nestedGroups } = CHOICES;
  return [
    new Option('--domains <list>', `only people of these mail domains, ${LIST}; any: all domains`),
    new Option(
      '--group-names <list>',
      `only groups with these names (* is any text), ${LIST}; any: all names`,
    ),
    new Option('--may <list>', `what it may do, ${LIST}: ${RIGHTS.join(', ')}; or all`).argParser(
      toList(RIGHTS),
    ),
    new Option(
      '--returning <way>',
      'when a POST names an inactive person: answer 409, or activate that person again',
    ).choices(returning),
    new Option(
      '--unknown-members <way>',
      'when a member is unknown: answer 400, or leave it out',
    ).choices(unknownMembers),
    new Option(
      '--nested-groups <way>',
      'when a group is a member: answer 400, leave it out, or take its people as members',
    ).choices(nestedGroups),
    new Option(
      '--match <list>',
      `what matches a new person to an account: ${MATCHES.join(', ')}`,
    ).argParser(toList(MATCHES)),
  ];
}

/** Limits and choices as a request has them; those that the command leaves out stay. */
function toLimits({ domains, groupNames, ...same }: LimitOptions) {
  const toAny = (text: string | undefined) => (text === 'any' ? null : text && parseWords(text));
  return { domains: toAny(domains), groupNames: toAny(groupNames), ...same };
}

/** Reads a list of these words. @throws InvalidArgumentError, out of the reader, for one that is none of them */
function toList(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const words = text === 'all' ? [...known] : parseWords(text);
    const unknown = words.find((word) => !known.includes(word));
    if (unknown === undefined) return words;
    throw new InvalidArgumentError(`${unknown} is none of them.`);
  };
}

function parseWords(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '');
}

function toProviderText(provider: ProviderView): string {
  const [, ...others] = PROVIDERS.columns;
  const lines = others.map((column) => `  ${column.name.padEnd(12)}  ${column.value(provider)}\n`);
  return `${provider.name}\n${lines.join('')}`;
}
