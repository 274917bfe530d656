import { type Command, Option } from 'commander';
import { CENSUS_KINDS, type CensusKind } from '../domain/census.ts';
import type { HandoverOutcome, ImportOutcome } from '../domain/handover.ts';
import { toCount } from '../domain/text.ts';
import { toCsv } from '../ops/lists/csv.ts';
import type { Column } from '../ops/lists/list.ts';
import type { CensusAnswer, CensusFinding } from '../ops/schemas/census.ts';
import type {
  HandoverAnswer,
  HandoverItem,
  ImportAnswer,
  ImportItem,
} from '../ops/schemas/handover.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { parseAnswer, toJson } from './json.ts';
import { parseCount, toFirstOf } from './listing.ts';
import { readExport } from './read-export.ts';
import { toMoments } from './table.ts';

/** Options of every command that sends a provider's export. */
interface ExportOptions {
  readonly map?: readonly string[];
  readonly dryRun?: true;
  readonly limit: number;
  readonly json?: true;
}

function addExportOptions(
  command: Command,
  { dryRun }: { readonly dryRun?: string } = {},
): Command {
  command.option(
    '--map <column=attribute...>',
    'columns that are not known; <column>= leaves one out',
  );
  if (dryRun !== undefined) command.option('--dry-run', dryRun);
  command.option('--limit <number>', 'how many lines the table has at most', parseCount, 50);
  return command.option('--json', 'as one JSON object');
}

/** A large company takes a while, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** Request with an export. */
interface ExportRequest {
  readonly path: `/${string}`;
  /** Undefined: there is none. */
  readonly file: string | undefined;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly options: ExportOptions;
}

/** Sends a provider's export to the running bridge. @throws BridgeError as `readExport`, and whatever the bridge refuses */
async function sendExport<Answer>(
  context: CliContext,
  { path, file, query, options: { map = [], dryRun } }: ExportRequest,
): Promise<Answer> {
  const asked = { ...query, dryRun: dryRun && 'true', map: map.join(',') || undefined };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) parameters.set(name, value);
  }
  const bytes = file === undefined ? new Uint8Array() : await readExport(file);
  const answer = await context.connect(TIMEOUT_MS).sendFile(`${path}?${parameters}`, bytes);
  return parseAnswer<Answer>(answer);
}

/** Writes how often each outcome came, as `2 imported, 1 ambiguous`; empty: none came. */
function toSums(
  words: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, number>>,
): string {
  const sums = Object.entries(counts).map(([outcome, count]) => `${count} ${words[outcome]}`);
  return sums.join(', ');
}

interface Short<Item> {
  readonly columns: readonly Column<Item>[];
  readonly limit: number;
  readonly context: CliContext;
}

/** Writes the first entries as a table under an empty line; empty: there are none. */
function toShort<Item>(items: readonly Item[], { limit, ...parts }: Short<Item>): string {
  if (items.length === 0) return '';
  return `\n${toFirstOf(items.slice(0, limit), { ...parts, hasMore: items.length > limit })}`;
}

interface CensusOptions extends ExportOptions {
  readonly provider?: string;
  readonly kind?: readonly CensusKind[];
  readonly csv?: true;
}

/** `census`: compares a provider's own export with the bridge and the service. */
export const addCensusCommand: AddCommand = (program, context) => {
  const about = "compare a provider's own export of its people with the bridge and the service";
  const command = addCommand(program, 'census', about)
    .argument('<file>', 'CSV of Okta or Entra, or JSON of Okta, of Microsoft Graph or of SCIM')
    .option('--provider <name>', 'the provider whose export it is; default when left out')
    .addOption(
      new Option('--kind <kind...>', 'findings of these kinds alone').choices(CENSUS_KINDS),
    );
  addExportOptions(command)
    .option('--csv', 'as CSV, one line a finding')
    .addHelpText('after', CENSUS_HELP)
    .action(async (file: string, options: CensusOptions) => {
      const { provider, json, csv } = options;
      if (csv && json) command.error('error: --csv or --json, not both');
      const request = { path: '/census', file, query: { provider }, options } as const;
      const answer = toKinds(await sendExport<CensusAnswer>(context, request), options);
      if (json) context.write(toJson(answer));
      else if (csv) context.write(toCsv(answer.items, CENSUS_COLUMNS));
      else context.write(toCensusText(answer, options, context));
      if (answer.items.length > 0) context.exitWith(exitCodes.incomplete);
    });
};

const CENSUS_HELP = `
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
function toKinds(answer: CensusAnswer, { kind: wanted }: CensusOptions): CensusAnswer {
  if (wanted === undefined) return answer;
  const words: readonly string[] = wanted;
  const kinds = Object.entries(answer.kinds).filter(([kind]) => words.includes(kind));
  const items = answer.items.filter(({ kind }) => words.includes(kind));
  return { ...answer, items, kinds: Object.fromEntries(kinds) };
}

function toCensusText(answer: CensusAnswer, { limit }: CensusOptions, context: CliContext): string {
  const { provider, entries, people, accounts, agreeing, sweptAt, items } = answer;
  const seen = sweptAt === null ? 'when the bridge first met it' : `on ${toMoments(sweptAt)}`;
  const head = `File: ${toCount(entries, 'person', 'people')}. Bridge: ${people} of the provider ${provider}. Service: ${toCount(accounts, 'account')}, last read as a whole ${seen}.\n`;
  const agree = `All three agree about ${toCount(agreeing, 'person', 'people')} of the file.`;
  if (items.length === 0) return `${head}${agree} Nothing was found.\n`;
  const table = toShort(items, { columns: CENSUS_COLUMNS, limit, context });
  return `${head}${agree} Found: ${toSums(CENSUS_WORDS, answer.kinds)}.\n${table}`;
}

const CENSUS_WORDS: Readonly<Record<CensusKind, string>> = {
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

const CENSUS_COLUMNS: readonly Column<CensusFinding>[] = [
  {
    name: 'finding',
    place: 'shown',
    value: ({ kind }) => CENSUS_WORDS[kind],
    tone: () => 'waiting',
  },
  { name: 'finding', place: 'csv', value: ({ kind }) => kind },
  { name: 'name', value: toWho },
  { name: 'row', value: ({ entries }) => entries.map(({ row }) => row).join(', ') },
  {
    name: 'id',
    kind: 'id',
    place: 'minor',
    value: ({ people }) => people.map(({ id }) => id).join(', '),
  },
  { name: 'found by', place: 'minor', value: ({ by }) => by },
  { name: 'provider', place: 'minor', value: ({ provider }) => provider },
  { name: 'differs in', value: toDifferences },
];

function toWho({ entries, people }: CensusFinding): string {
  const names = [...entries, ...people].flatMap(({ name }) => name ?? []);
  return [...new Set(names)].join(', ');
}

function toDifferences({ differences }: CensusFinding): string {
  const lines = differences.map(({ attribute, provider, bridge, service }) => {
    const values = Object.entries({ provider, bridge, service });
    const shown = values.filter(([, value]) => value !== null);
    return `${attribute}: ${shown.map(([where, value]) => `${where} ${JSON.stringify(value)}`).join(', ')}`;
  });
  return lines.join('; ');
}

interface SwitchOptions extends ExportOptions {
  readonly file?: string;
}

/** `provider switch`: plans that people and groups go to another provider. */
export const addSwitchCommand: AddCommand = (program, context) => {
  const about = 'plan that people and groups of a provider go to another one';
  const command = addCommand(program, 'provider switch <from> <to>', about).option(
    '--file <file>',
    'people of the other provider: those alone go who are found in it',
  );
  addExportOptions(command, { dryRun: 'tell, and make no plan' })
    .addHelpText('after', SWITCH_HELP)
    .action(async (from: string, to: string, options: SwitchOptions) => {
      const path = `/providers/${encodeURIComponent(from)}/switch` as const;
      const request = { path, file: options.file, query: { to }, options };
      const answer = await sendExport<HandoverAnswer>(context, request);
      context.write(options.json ? toJson(answer) : toSwitchText(answer, options, context));
    });
};

const SWITCH_HELP = `
  handed over         goes to the other provider; SCIM ids, accounts and memberships stay as they are
  ambiguous           it is not sure which row of the file it is: stays
  only here           the file does not have it: stays
  only in the file    the other provider has it, and nobody here is it

People are found by the externalId of the earlier provider (a column formerExternalId), then by userName, then by address.
Groups all go. Nothing is changed before the plan is approved, and nothing in the service.`;

const SWITCH_WORDS: Readonly<Record<HandoverOutcome, string>> = {
  'handed-over': 'handed over',
  ambiguous: 'ambiguous',
  'only-here': 'only here',
  'only-file': 'only in the file',
};

function toSwitchText(
  { from, to, planId, hash, counts, items }: HandoverAnswer,
  { limit }: ExportOptions,
  context: CliContext,
): string {
  const sums = toSums(SWITCH_WORDS, counts) || 'nothing belongs to it';
  const table = toShort(items, { columns: SWITCH_COLUMNS, limit, context });
  const next =
    planId === null
      ? 'No plan was made.\n'
      : `scim-bridge plan approve ${planId} ${hash}   does exactly this, as far as it still holds\nscim-bridge plan discard ${planId}   does nothing of it\n`;
  return `${from} to ${to}: ${sums}.\n${table}\n${next}`;
}

const SWITCH_COLUMNS: readonly Column<HandoverItem>[] = [
  { name: 'outcome', value: ({ outcome }) => SWITCH_WORDS[outcome] },
  { name: 'type', value: ({ type }) => type },
  { name: 'who', value: ({ name }) => name },
  { name: 'found by', value: ({ by }) => by },
  { name: 'row', value: ({ row }) => row },
  { name: 'new externalId', place: 'minor', value: ({ externalId }) => externalId },
  { name: 'id', kind: 'id', place: 'minor', value: ({ id }) => id },
];

interface ImportOptions extends ExportOptions {
  readonly type: 'user' | 'group';
}

/** `provider import-ids`: takes the ids by which an earlier SCIM server knew people or groups. */
export const addImportIdsCommand: AddCommand = (program, context) => {
  const about = 'answer by the ids of an earlier SCIM server too';
  const command = addCommand(program, 'provider import-ids <provider> <file>', about).addOption(
    new Option('--type <type>', 'what the file lists').choices(['user', 'group']).default('user'),
  );
  addExportOptions(command, { dryRun: 'tell, and import nothing' })
    .addHelpText('after', IMPORT_HELP)
    .action(async (provider: string, file: string, options: ImportOptions) => {
      const path = `/providers/${encodeURIComponent(provider)}/import-ids` as const;
      const request = { path, file, query: { type: options.type }, options };
      const answer = await sendExport<ImportAnswer>(context, request);
      context.write(options.json ? toJson(answer) : toImportText(answer, options, context));
      if (answer.items.some(isLeftOut)) context.exitWith(exitCodes.incomplete);
    });
};

const IMPORT_HELP = `
The file is the /Users or /Groups list of the earlier server, or a CSV with a column id and one of externalId, userName,
email and displayName. SCIM ids of the bridge stay; it answers by the others too, in addresses, bulk requests and members.

Exit codes:
  0   every row is imported, or was known
  1   there is no such provider, or the file cannot be understood: the message says which
  2   some rows are left out: nobody here is them, it is not sure who is, or somebody else has the id
  64  wrong usage`;

function isLeftOut({ outcome }: ImportItem): boolean {
  return outcome !== 'imported' && outcome !== 'known';
}

const IMPORT_WORDS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported',
  known: 'known already',
  taken: "somebody else's id",
  ambiguous: 'not sure whose',
  'only-file': 'nobody here',
};

function toImportText(
  { dryRun, counts, items }: ImportAnswer,
  { limit }: ExportOptions,
  context: CliContext,
): string {
  const left = toShort(items.filter(isLeftOut), { columns: IMPORT_COLUMNS, limit, context });
  return `${toSums(IMPORT_WORDS, counts)}.\n${dryRun ? 'Nothing was imported.\n' : ''}${left}`;
}

const IMPORT_COLUMNS: readonly Column<ImportItem>[] = [
  { name: 'left out', value: ({ outcome }) => IMPORT_WORDS[outcome] },
  { name: 'row', value: ({ row }) => row },
  { name: 'who', value: ({ name }) => name },
  { name: 'earlier id', value: ({ formerId }) => formerId },
];
