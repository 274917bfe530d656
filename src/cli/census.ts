import { Option } from 'commander';
import { CENSUS_KINDS, type CensusKind } from '../domain/census.ts';
import { toCount } from '../domain/text.ts';
import type { CensusAnswer, CensusFinding } from '../ops/schemas/census.ts';
import { askWithExport, type ExportOptions, MAP, toLimit, toShort } from './ask-export.ts';
import type { AddCommand, CliContext } from './context.ts';
import { toCsv } from './csv.ts';
import { exitCodes } from './exit-codes.ts';
import { toJson } from './json.ts';
import { toMoment } from './lists.ts';
import { type Column, toDim } from './table.ts';

interface Options extends Omit<ExportOptions, 'dryRun'> {
  readonly provider?: string;
  readonly kind?: readonly CensusKind[];
  readonly csv?: true;
}

/** `census`: compares a provider's own export with the bridge and the service. */
export const addCensusCommand: AddCommand = (program, context) => {
  const command = program
    .command('census')
    .description(
      "compare a provider's own export of its people with the bridge and the service (asks the running bridge)",
    )
    .argument('<file>', 'CSV of Okta or Entra, or JSON of Okta, of Microsoft Graph or of SCIM')
    .option('--provider <name>', 'the provider whose export it is; default when left out')
    .option(...MAP)
    .addOption(
      new Option('--kind <kind...>', 'findings of these kinds alone').choices(CENSUS_KINDS),
    )
    .option(...toLimit('findings'))
    .option('--json', 'as one JSON object')
    .option('--csv', 'as CSV, one line a finding')
    .addHelpText('after', HELP);
  command.action(async (file: string, options: Options) => {
    const { provider, json, csv } = options;
    if (csv && json) command.error('error: --csv or --json, not both');
    const request = {
      path: '/census',
      query: provider === undefined ? {} : { provider },
      options,
    } as const;
    const answer = toKinds(await askWithExport<CensusAnswer>(context, file, request), options);
    if (json) context.write(toJson(answer));
    else context.write(csv ? toCsv(answer.items, CSV) : toText(answer, options, context));
    if (answer.items.length > 0) context.exitWith(exitCodes.incomplete);
  });
};

const HELP = `
Nothing is changed, and the service is not called: it is taken as it was last seen. "scim-bridge sweep" reads it anew.
Somebody without access need not be anywhere, so a leaver who is in one of the three alone is no finding.
--map takes externalId, userName, email, active, displayName, name.givenName, name.familyName, department and others:
docs/go-live.md.

Exit codes:
  0   nothing was found
  1   the file cannot be read or understood, or the bridge does not answer: the message says why
  2   something was found
  64  wrong usage`;

/** A census with the findings of some kinds alone. */
function toKinds(answer: CensusAnswer, { kind: wanted }: Options): CensusAnswer {
  if (wanted === undefined) return answer;
  const words: readonly string[] = wanted;
  return {
    ...answer,
    items: answer.items.filter(({ kind }) => words.includes(kind)),
    kinds: Object.fromEntries(
      Object.entries(answer.kinds).filter(([kind]) => words.includes(kind)),
    ),
  };
}

function toText(answer: CensusAnswer, { limit }: Options, context: CliContext): string {
  const { provider, entries, people, accounts, agreeing, sweptAt, items } = answer;
  const seen = sweptAt === null ? 'when the bridge first met it' : `on ${toMoment(sweptAt)}`;
  const head = `File: ${toCount(entries, 'person', 'people')}. Bridge: ${people} of the provider ${provider}. Service: ${toCount(accounts, 'account')}, last read as a whole ${seen}.\n`;
  const agree = `All three agree about ${toCount(agreeing, 'person', 'people')} of the file.`;
  if (items.length === 0) return `${head}${agree} Nothing was found.\n`;
  const kinds = Object.entries(answer.kinds).map(([kind, count]) => `${count} ${toWords(kind)}`);
  const table = toShort(items, { columns: COLUMNS, limit, context });
  return `${head}${agree} Found: ${kinds.join(', ')}.\n${table}`;
}

const WORDS: Readonly<Record<CensusKind, string>> = {
  'only-provider': 'only at the provider',
  'only-bridge': 'only in the bridge',
  'only-service': 'only in the service',
  'not-provider': 'not at the provider',
  'not-bridge': 'not in the bridge',
  'not-service': 'not in the service',
  differs: 'differing',
  duplicate: 'duplicate',
  'of-other': 'of another provider',
};

function toWords(kind: string): string {
  return new Map<string, string>(Object.entries(WORDS)).get(kind) ?? kind;
}

const COLUMNS: readonly Column<CensusFinding>[] = [
  { head: 'finding', cell: ({ kind }) => ({ text: toWords(kind), colour: 'yellow' }) },
  { head: 'who', cell: toWho },
  { head: 'row', cell: toRows },
  { head: 'differs in', cell: toDifferences },
  { head: 'found by', rank: 'minor', cell: ({ by }) => by ?? '' },
  { head: 'of', rank: 'minor', cell: ({ provider }) => provider ?? '' },
  { head: 'id', rank: 'minor', cell: (found) => toDim(toIds(found)) },
];

const CSV: readonly Column<CensusFinding>[] = [
  { head: 'finding', cell: ({ kind }) => kind },
  { head: 'row', cell: toRows },
  { head: 'id', cell: toIds },
  { head: 'name', cell: toWho },
  { head: 'found by', cell: ({ by }) => by ?? '' },
  { head: 'provider', cell: ({ provider }) => provider ?? '' },
  { head: 'differs in', cell: toDifferences },
];

function toWho({ entries, people }: CensusFinding): string {
  const names = [...entries, ...people].flatMap(({ name }) => name ?? []);
  return [...new Set(names)].join(', ');
}

function toRows({ entries }: CensusFinding): string {
  return entries.map(({ row }) => row).join(', ');
}

function toIds({ people }: CensusFinding): string {
  return people.map(({ id }) => id).join(', ');
}

function toDifferences({ differences }: CensusFinding): string {
  return differences
    .map(({ attribute, provider, bridge, service }) => {
      const values = Object.entries({ provider, bridge, service });
      const shown = values.flatMap(([where, value]) =>
        value === null ? [] : `${where} ${JSON.stringify(value)}`,
      );
      return `${attribute}: ${shown.join(', ')}`;
    })
    .join('; ');
}
