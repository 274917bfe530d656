import { InvalidArgumentError, Option } from 'commander';
import { RIGHTS } from '../domain/provider.ts';
import type { ProviderView } from '../ops/schemas/providers.ts';
import { accessCommand, addList, addMaking, addRevoke } from './ask-access.ts';
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

interface LimitOptions {
  readonly domains?: string;
  readonly groupNames?: string;
  readonly may?: readonly string[];
}

function limitOptions(): Option[] {
  const groups = 'groups of these names alone, * stands for any text, with commas; any: of all';
  const may = new Option('--may <list>', `its rights, with commas: ${RIGHTS.join(', ')}; all`);
  return [
    new Option('--domains <list>', 'people of these mail domains alone, with commas; any: of all'),
    new Option('--group-names <list>', groups),
    may.argParser(parseRights),
  ];
}

function toPath(name: string, verb: 'change' | 'delete'): `/${string}` {
  return `/providers/${encodeURIComponent(name)}/${verb}`;
}

/** Limits as a request has them; those that the command leaves out stay. */
function toLimits({ domains, groupNames, may }: LimitOptions) {
  const toList = (text: string | undefined) => (text === 'any' ? null : text && parseWords(text));
  return { domains: toList(domains), groupNames: toList(groupNames), may };
}

/** @throws InvalidArgumentError for a right that there is not */
function parseRights(text: string): string[] {
  if (text === 'all') return [...RIGHTS];
  const known: readonly string[] = RIGHTS;
  const rights = parseWords(text);
  const unknown = rights.find((right) => !known.includes(right));
  if (unknown === undefined) return rights;
  throw new InvalidArgumentError(`${unknown} is none of them.`);
}

function parseWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const columns: readonly Column<ProviderView>[] = [
  { head: 'name', rank: 'whole', cell: ({ name }) => name },
  { head: 'mail domains', cell: ({ domains }) => toWords(domains) },
  { head: 'group names', cell: ({ groupNames }) => toWords(groupNames) },
  { head: 'may', cell: toRights },
];

function toText(provider: ProviderView): string {
  const { name, domains, groupNames } = provider;
  return `${name}\n  mail domains  ${toWords(domains)}\n  group names   ${toWords(groupNames)}\n  may           ${toRights(provider)}\n`;
}

function toWords(list: readonly string[] | null): string {
  return list === null ? 'any' : list.join(', ');
}

function toRights({ may }: ProviderView): string {
  if (may.length === RIGHTS.length) return 'all';
  return may.length === 0 ? 'nothing' : may.join(', ');
}
