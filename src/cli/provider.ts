import { InvalidArgumentError, Option } from 'commander';
import { CHOICES, MATCHES, RIGHTS } from '../domain/provider.ts';
import type { ProviderView } from '../ops/schemas/providers.ts';
import { accessCommand, addList, addMaking, addRevoke } from './ask-access.ts';
import { toChoices } from './explain-text.ts';
import { addImportIds } from './import-ids.ts';
import { parseAnswer } from './json.ts';
import { addSwitch } from './switch-provider.ts';
import type { Column } from './table.ts';

/** `provider`: manages identity providers, each with its own people and groups. */
export const addProviderCommand = accessCommand(
  { name: 'provider', about: 'identity providers and what each may do' },
  (access) => {
    addMaking<ProviderView>(access, {
      usage: 'create <name>',
      description: 'add a provider',
      options: limitOptions(),
      toRequest: (name, limits) => ({ path: '/providers', body: { name, ...toLimits(limits) } }),
      toText,
    });
    addList<ProviderView>(access, {
      path: '/providers',
      description: 'providers and what each may do, the newest first',
      none: 'There is none.',
      revoked: 'gone',
      columns,
    });
    addMaking<ProviderView>(access, {
      usage: 'change <name>',
      description: 'change what a provider may do; what is left out stays as it is',
      options: limitOptions(),
      toRequest: (name, limits) => ({ path: toPath(name, 'change'), body: toLimits(limits) }),
      toText,
    });
    addSwitch(access);
    addImportIds(access);
    addRevoke<object, ProviderView>(access, {
      usage: 'delete <name>',
      description: 'delete a provider that has no credential, no person and no group any more',
      toQuestion: (name) => `Delete the provider ${name}?`,
      end: async (client, name) => parseAnswer(await client.send('POST', toPath(name, 'delete'))),
      toText: ({ name }) => `${name} is deleted.\n`,
    });
  },
);

interface LimitOptions extends Partial<Record<keyof typeof CHOICES, string>> {
  readonly match?: readonly string[];
  readonly domains?: string;
  readonly groupNames?: string;
  readonly may?: readonly string[];
}

function limitOptions(): Option[] {
  const groups =
    'only groups with these names (* is any text), separated by commas; any: all names';
  const may = new Option(
    '--may <list>',
    `what it may do, separated by commas: ${RIGHTS.join(', ')}; or all`,
  );
  return [
    new Option(
      '--domains <list>',
      'only people of these mail domains, separated by commas; any: all domains',
    ),
    new Option('--group-names <list>', groups),
    may.argParser(toList(RIGHTS)),
    new Option(
      '--returning <way>',
      'when a POST names an inactive person: answer 409, or activate that person again',
    ).choices(CHOICES.returning),
    new Option(
      '--unknown-members <way>',
      'when a member is unknown: answer 400, or leave it out',
    ).choices(CHOICES.unknownMembers),
    new Option(
      '--nested-groups <way>',
      'when a group is a member: answer 400, or leave it out',
    ).choices(CHOICES.nestedGroups),
    new Option(
      '--match <list>',
      `what matches a new person to an account: ${MATCHES.join(', ')}`,
    ).argParser(toList(MATCHES)),
  ];
}

function toPath(name: string, verb: 'change' | 'delete'): `/${string}` {
  return `/providers/${encodeURIComponent(name)}/${verb}`;
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
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const columns: readonly (Column<ProviderView> & { cell(provider: ProviderView): string })[] = [
  { head: 'name', rank: 'whole', cell: ({ name }) => name },
  { head: 'mail domains', cell: ({ domains }) => toWords(domains) },
  { head: 'group names', cell: ({ groupNames }) => toWords(groupNames) },
  { head: 'may', cell: toRights },
  { head: 'requests', cell: (provider) => toChoices(provider).join(', ') },
];

function toText(provider: ProviderView): string {
  const [name, ...others] = columns.map(({ head, cell }) => ({ head, text: cell(provider) }));
  const lines = others.map(({ head, text }) => `  ${head.padEnd(12)}  ${text}\n`);
  return `${name?.text}\n${lines.join('')}`;
}

function toWords(list: readonly string[] | null): string {
  return list === null ? 'any' : list.join(', ');
}

function toRights({ may }: ProviderView): string {
  if (may.length === RIGHTS.length) return 'all';
  return may.length === 0 ? 'nothing' : may.join(', ');
}
