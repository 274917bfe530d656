import { type Command, InvalidArgumentError, Option } from 'commander';
import { RIGHTS } from '../domain/provider.ts';
import type { ProviderView } from '../ops/schemas/providers.ts';
import { type AccessCommand, accessCommand, addList, type WithOwnAccess } from './ask-access.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand } from './context.ts';
import { addImportIds } from './import-ids.ts';
import { parseAnswer, toJson } from './json.ts';
import { addSwitch } from './switch-provider.ts';
import type { Column } from './table.ts';

/** `provider`: manages identity providers, each with its own people and groups. */
export function providerCommand(withOwnAccess: WithOwnAccess): AddCommand {
  const command = { name: 'provider', about: 'identity providers and what each may do' };
  return accessCommand(withOwnAccess, command, (access) => {
    addCreate(access);
    addList<ProviderView>(access, {
      path: '/providers',
      description: 'providers and what each may do, the newest first',
      none: 'There is none.',
      revoked: 'gone',
      columns,
    });
    addChange(access);
    addSwitch(access);
    addImportIds(access);
    addDelete(access);
  });
}

interface LimitOptions {
  readonly domains?: string;
  readonly groupNames?: string;
  readonly may?: readonly string[];
  readonly json?: true;
}

function addLimitOptions(command: Command): Command {
  const may = new Option('--may <list>', `its rights, with commas: ${RIGHTS.join(', ')}; all`);
  return command
    .option('--domains <list>', 'people of these mail domains alone, with commas; any: of all')
    .option(
      '--group-names <list>',
      'groups of these names alone, * stands for any text, with commas; any: of all',
    )
    .addOption(may.argParser(parseRights))
    .option('--json', 'as one JSON object');
}

/** Limits as a request has them; those that the command leaves out stay. */
function toLimits({ domains, groupNames, may }: Omit<LimitOptions, 'json'>) {
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

function addCreate({ parent, context: { write }, ask }: AccessCommand): void {
  const command = parent.command('create <name>').description('add a provider');
  addLimitOptions(command).action(async (name: string, { json, ...limits }: LimitOptions) => {
    await ask(async (client) => {
      const body = { name, ...toLimits(limits) };
      const made = parseAnswer<ProviderView>(await client.send('POST', '/providers', body));
      write(json ? toJson(made) : toText(made));
    });
  });
}

const columns: readonly Column<ProviderView>[] = [
  { head: 'name', rank: 'whole', cell: ({ name }) => name },
  { head: 'mail domains', cell: ({ domains }) => toWords(domains) },
  { head: 'group names', cell: ({ groupNames }) => toWords(groupNames) },
  { head: 'may', cell: toRights },
];

function addChange({ parent, context: { write }, ask }: AccessCommand): void {
  const command = parent.command('change <name>');
  command.description('change what a provider may do; what is left out stays as it is');
  addLimitOptions(command).action(async (name: string, { json, ...limits }: LimitOptions) => {
    await ask(async (client) => {
      const path = `/providers/${encodeURIComponent(name)}/change` as const;
      const changed = parseAnswer<ProviderView>(await client.send('POST', path, toLimits(limits)));
      write(json ? toJson(changed) : toText(changed));
    });
  });
}

function addDelete({ parent, context, ask }: AccessCommand): void {
  const { write } = context;
  const command = parent.command('delete <name>');
  command
    .description('delete a provider that has no credential, no person and no group any more')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .action(async (name: string, { yes, json }: { yes?: true; json?: true }) => {
      const question = `Delete the provider ${name}?`;
      if (!(await confirm(command, context, { yes, question }))) return;
      await ask(async (client) => {
        const path = `/providers/${encodeURIComponent(name)}/delete` as const;
        const deleted = parseAnswer<ProviderView>(await client.send('POST', path));
        write(json ? toJson(deleted) : `${deleted.name} is deleted.\n`);
      });
    });
}

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
