import { InvalidArgumentError, Option } from 'commander';
import { PROFILES, PURPOSES } from '../domain/credential.ts';
import { CHOICES, MATCHES, RIGHTS } from '../domain/provider.ts';
import { CLIENTS, PROVIDERS, TOKENS, toScope, toState } from '../ops/lists/access.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { actCommand, type Given } from './act-command.ts';
import type { AddCommand, CliContext } from './context.ts';
import { providerExportCommands } from './exports.ts';
import { listCommand } from './listing.ts';
import { toMoments } from './table.ts';

/** The end of a text with a secret. */
const SHOWN_ONCE = '\nThis is the only time that it is shown.\n';

/** Creates the option `--provider`. */
export function providerOption(): Option {
  return new Option('--provider <name>', 'the provider that presents it; default when left out');
}

function profileOption(): Option {
  const help =
    'lenient, or strict: what the SCIM 2.0 Interoperability Profile has refused is refused';
  return new Option('--profile <profile>', help).choices(PROFILES).default('lenient');
}

/** Expiry and last use, as text. */
function toLifeText(
  life: Pick<OpsJson<'Token'>, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>,
): string {
  return toMoments(`${toState(life)}, ${toUsed(life)}`);
}

function toUsed({ lastUsedAt }: Pick<OpsJson<'Token'>, 'lastUsedAt'>): string {
  return lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
}

/** True where OPS_URL names a bridge, or one that this environment may ask runs on this machine. */
async function isRunning({ loadSettings, connect }: CliContext): Promise<boolean> {
  const { url, token, commandToken } = loadSettings().settings.ops;
  if (url !== undefined) return true;
  return (token ?? commandToken) !== undefined && connect().isAnswering();
}

const tokenCommands: readonly AddCommand[] = [
  actCommand('NewToken', {
    usage: 'token create <name>',
    about: 'make a token, also before the first start; it is printed once and kept nowhere',
    more: () => [
      new Option('--for <purpose>', 'what it lets in').choices(PURPOSES).default('scim'),
      new Option('--expires <duration>', 'how long it is valid, such as 90d, or never').default(
        '365d',
      ),
      profileOption(),
      providerOption(),
    ],
    /** Through the bridge, or in a store that no bridge on this machine has. */
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
  }),
  listCommand(TOKENS),
  actCommand('Token', {
    usage: 'token revoke <name-or-id>',
    about: 'end a token, everywhere within five seconds',
    question: ({ key }) => `End the token ${key}? Who presents it is refused from then on.`,
    path: '/tokens/{key}/revoke',
    toText: ({ id, name }) => `${name} (${id}) is revoked.\n`,
  }),
];

const SECRET_TERM = 'how long the secret is valid, from 365d to 1095d';

const clientCommands: readonly AddCommand[] = [
  actCommand('NewClient', {
    usage: 'client create <name>',
    about:
      'make a client: with a secret, which is printed once and kept nowhere, or with what its assertions have to say',
    more: (context) => [
      profileOption(),
      providerOption(),
      new Option('--expires <duration>', `${SECRET_TERM}; 730d when left out`),
      ...trustOptions(context),
    ],
    path: '/clients',
    toBody: toClientBody,
    toText: toMadeText,
  }),
  actCommand('NewClient', {
    usage: 'client rotate <name-or-id>',
    about: 'give a client a second secret; the first one stays valid until it is revoked',
    more: () => [new Option('--expires <duration>', SECRET_TERM).default('730d')],
    path: '/clients/{key}/rotate',
    toText: toMadeText,
  }),
  listCommand(CLIENTS),
  actCommand('Client', {
    usage: 'client revoke <name-or-id>',
    about: 'end a client, or one of its secrets, with every access token that it got',
    options: [['--secret <id>', 'end this secret alone']],
    question: (given) => `End ${toEnded(given)}, with every access token that it got?`,
    path: '/clients/{key}/revoke',
    toText: ({ id, name }, { options: { secret } }) =>
      `${secret === undefined ? '' : `${secret} of `}${name} (${id}) is revoked.\n`,
  }),
];

function toEnded({ key, options: { secret } }: Given): string {
  return secret === undefined ? `the client ${key}` : `${secret} of the client ${key}`;
}

function toMadeText({ secret, ...view }: OpsJson<'NewClient'>): string {
  const { id, name, trust, secrets, revokedAt } = view;
  const state = `${revokedAt === null ? '' : `revoked ${revokedAt}, `}${toUsed(view)}`;
  const lines = [
    `${id}  ${name}${toScope(view)}  ${state}\n`,
    ...(trust === null ? [] : toTrustLines(trust)),
    ...secrets.map((each) => `  ${each.id}  ${toLifeText(each)}\n`),
    `\nclient_id      ${id}\n`,
    ...(secret === null ? [] : [`client_secret  ${secret}\n${SHOWN_ONCE}`]),
  ];
  return lines.join('');
}

/** Creates the options that say what the assertions of a client have to say. */
function trustOptions({ readFile }: CliContext): Option[] {
  const claim = '<name>=<value> that an assertion has; again for another claim, or another value';
  const audience = 'whom they are for; left out: the address for tokens';
  return [
    new Option('--issuer <issuer>', 'who signs its assertions; left out: the client itself'),
    new Option('--audience <audience>', `${audience}; again for another one`).argParser(
      (text, before: readonly string[] = []) => [...before, text],
    ),
    new Option('--claim <claim>', claim).argParser(addClaim),
    new Option('--jwks-uri <url>', 'where the keys are; left out: the issuer says it'),
    new Option(
      '--jwks-file <file>',
      'the keys themselves, as JSON; public parts alone are kept',
    ).argParser((path) => parseJsonFile(path, readFile)),
    new Option('--lifetime <duration>', 'longest validity of an assertion; 5m when left out'),
    new Option('--once <claim>', 'claim by which each is taken once, jti; never: again and again'),
  ];
}

/** A request for a client; `trust` is there with any option of it. */
function toClientBody({ key: name, options }: Given): object {
  const { issuer, audience, claim, jwksUri, jwksFile, lifetime, once, ...rest } = options;
  const trust = {
    issuer,
    audiences: audience,
    claims: claim,
    jwksUri,
    jwks: jwksFile,
    lifetime,
    once: once === 'never' ? null : once,
  };
  const isAsked = Object.values(trust).some((value) => value !== undefined);
  return { name, ...rest, ...(isAsked && { trust }) };
}

/** Lines about the assertions of a client. */
function toTrustLines(trust: OpsJson<'Trust'>): string[] {
  const { issuer, audiences, claims, keysFrom, jwksUri, keyIds, lifetimeSeconds, once } = trust;
  const given = keyIds.map((id) => id ?? 'one without an id').join(', ');
  const keys = { issuer: 'as the issuer says', address: jwksUri, given: `given: ${given}` };
  return [
    `  issuer    ${issuer ?? 'the client itself'}\n`,
    `  audience  ${audiences.join(', or ') || 'the address for tokens, or that of the bridge'}\n`,
    ...claims.map(({ name, values }) => `  ${name}  ${values.join(', or ')}\n`),
    `  keys      ${keys[keysFrom]}\n`,
    `  valid     ${lifetimeSeconds} s at most, ${once === null ? 'again and again' : `each once, by ${once}`}\n`,
  ];
}

type Claims = Readonly<Record<string, readonly string[]>>;

/** @throws InvalidArgumentError */
function addClaim(text: string, before: Claims = {}): Claims {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It is name=value.');
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

/** Read while options are parsed, so that a wrong file is a wrong option. @throws InvalidArgumentError */
function parseJsonFile(path: string, readFile: CliContext['readFile']): unknown {
  try {
    return JSON.parse(readFile(path));
  } catch {
    throw new InvalidArgumentError('It cannot be read, or is no JSON.');
  }
}

const providerCommands: readonly AddCommand[] = [
  actCommand('Provider', {
    usage: 'provider create <name>',
    about: 'add a provider',
    more: limitOptions,
    path: '/providers',
    toBody: ({ key: name, options }) => ({ name, ...toLimits(options) }),
    toText: toProviderText,
  }),
  listCommand(PROVIDERS),
  actCommand('Provider', {
    usage: 'provider change <name>',
    about: 'change what a provider may do; what is left out stays as it is',
    more: limitOptions,
    path: '/providers/{key}/change',
    toBody: ({ options }) => toLimits(options),
    toText: toProviderText,
  }),
  ...providerExportCommands,
  actCommand('Provider', {
    usage: 'provider delete <name>',
    about: 'delete a provider that has no credential, no person and no group any more',
    question: ({ key }) => `Delete the provider ${key}?`,
    path: '/providers/{key}/delete',
    toText: ({ name }) => `${name} is deleted.\n`,
  }),
];

/** Limits and choices; those that are left out stay. */
function limitOptions(): Option[] {
  const list = 'separated by commas';
  const [domains, names, may, match] = [
    `only people of these mail domains, ${list}; any: all domains`,
    `only groups with these names (* is any text), ${list}; any: all names`,
    `what it may do, ${list}: ${RIGHTS.join(', ')}; or all`,
    `what matches a new person to an account: ${MATCHES.join(', ')}`,
  ];
  const ways = [
    [
      'returning',
      'when a POST names an inactive person: answer 409, or activate that person again',
    ],
    ['unknownMembers', 'when a member is unknown: answer 400, or leave it out'],
    [
      'nestedGroups',
      'when a group is a member: answer 400, leave it out, or take its people as members',
    ],
  ] as const;
  return [
    new Option('--domains <list>', domains),
    new Option('--group-names <list>', names),
    new Option('--may <list>', may).argParser(toList(RIGHTS)),
    ...ways.map(([name, help]) => {
      const flag = name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
      return new Option(`--${flag} <way>`, help).choices(CHOICES[name]);
    }),
    new Option('--match <list>', match).argParser(toList(MATCHES)),
  ];
}

/** A request with limits and choices: `any` is null. */
function toLimits({ domains, groupNames, ...others }: Given['options']): object {
  const toAny = (text: unknown) => (text === 'any' ? null : text && parseWords(String(text)));
  return { ...others, domains: toAny(domains), groupNames: toAny(groupNames) };
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

function toProviderText(provider: OpsJson<'Provider'>): string {
  const [, ...others] = PROVIDERS.columns;
  const lines = others.map((column) => `  ${column.name.padEnd(12)}  ${column.value(provider)}\n`);
  return `${provider.name}\n${lines.join('')}`;
}

/** Commands about providers and their credentials. */
export const accessCommands: readonly AddCommand[] = [
  ...clientCommands,
  ...providerCommands,
  ...tokenCommands,
];
