import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { CENSUS_KINDS, type CensusKind } from '../domain/census.ts';
import { BridgeError } from '../domain/errors.ts';
import type { HandoverOutcome, ImportOutcome } from '../domain/handover.ts';
import { isJsonObject } from '../domain/json.ts';
import { toCount } from '../domain/text.ts';
import { type Column, toCsv } from '../ops/lists/list.ts';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, parseAnswer, toJson } from './json.ts';
import { parseCount, toFirstOf } from './listing.ts';
import { toMoments } from './table.ts';

/** A large company takes a while, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** Options of every command that sends a provider's export; the others are parameters of the request. */
interface Options {
  readonly map?: readonly string[];
  readonly limit: number;
  readonly json?: true;
  readonly csv?: true;
  readonly kind?: readonly CensusKind[];
  readonly file?: string;
}

/** What prints the first of some entries as a table under an empty line. */
type Print = <Item>(items: readonly Item[], columns: readonly Column<Item>[]) => string;

/** A request with an export, and how its answer is printed. */
interface ExportCommand<Answer> {
  /** `<file>` among the arguments is the export; else it is an option. */
  readonly usage: string;
  readonly about: string;
  readonly help: string;
  readonly options: readonly Option[];
  /** Its path, with `{name}` for an argument. */
  readonly path: string;
  /** Leaves out of an answer what was not asked for. */
  readonly narrow?: (answer: Answer, options: Options) => Answer;
  readonly toText: (answer: Answer, print: Print, options: Options) => string;
  /** True: the command ends with the code of an incomplete outcome. */
  readonly isIncomplete?: (answer: Answer) => boolean;
}

/** @param _name schema of the answer */
function exportCommand<Name extends OpsSchemaName>(
  _name: Name,
  row: ExportCommand<OpsJson<Name>>,
): AddCommand {
  const { usage, about, help, options, narrow, isIncomplete } = row;
  return (program, context) => {
    const command = addCommand(program, usage, about);
    for (const option of options) command.addOption(option);
    command
      .option('--map <column=attribute...>', 'columns that are not known; <column>= leaves one out')
      .option('--limit <number>', 'how many lines the table has at most', parseCount, 50)
      .option('--json', 'as one JSON object')
      .addHelpText('after', help)
      .action(async () => {
        const options = command.opts<Options>();
        const { address, file } = toAddress(row.path, command);
        const bytes = file === undefined ? new Uint8Array() : await readExport(file);
        const sent = await context.connect(TIMEOUT_MS).sendFile(address, bytes);
        const whole = parseAnswer<OpsJson<Name>>(sent);
        const answer = narrow?.(whole, options) ?? whole;
        const text = () => row.toText(answer, createPrint(context, options.limit), options);
        context.write(options.json ? toJson(answer) : text());
        if (isIncomplete?.(answer)) context.exitWith(exitCodes.incomplete);
      });
  };
}

/** Options that are no parameters of the request. */
const OWN: ReadonlySet<string> = new Set(['limit', 'json', 'csv', 'kind', 'file', 'map']);

function toAddress(template: string, command: Command) {
  const { map = [], file, ...others } = command.opts<Options>();
  const typed = command.registeredArguments.map((one, place) => [one.name(), command.args[place]]);
  const values: Record<string, unknown> = { ...others, file, ...Object.fromEntries(typed) };
  const path = template.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(`${values[name]}`));
  const query = new URLSearchParams(map.length === 0 ? {} : { map: map.join(',') });
  for (const [name, value] of Object.entries(values)) {
    const isParameter = !OWN.has(name) && !template.includes(`{${name}}`);
    if (isParameter && value !== undefined) query.set(name, `${value}`);
  }
  const named = values.file === undefined ? undefined : `${values.file}`;
  return { address: `/${path}?${query}` as const, file: named };
}

function createPrint(context: CliContext, limit: number): Print {
  return (items, columns) => {
    if (items.length === 0) return '';
    const shown = { columns, context, hasMore: items.length > limit };
    return `\n${toFirstOf(items.slice(0, limit), shown)}`;
  };
}

/** Writes how often each outcome came, as `2 imported, 1 ambiguous`; empty: none came. */
function toSums(
  words: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, number>>,
): string {
  const sums = Object.entries(counts).map(([outcome, count]) => `${count} ${words[outcome]}`);
  return sums.join(', ');
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

const CENSUS_COLUMNS: readonly Column<OpsJson<'Finding'>>[] = [
  {
    name: 'finding',
    place: 'shown',
    value: ({ kind }) => CENSUS_WORDS[kind],
    tone: () => 'waiting',
  },
  { name: 'finding', place: 'csv', value: ({ kind }) => kind },
  { name: 'name', value: toNames },
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

function toNames({ entries, people }: OpsJson<'Finding'>): string {
  const names = [...entries, ...people].flatMap(({ name }) => name ?? []);
  return [...new Set(names)].join(', ');
}

function toDifferences({ differences }: OpsJson<'Finding'>): string {
  const lines = differences.map(({ attribute, ...values }) => {
    const shown = Object.entries(values).filter(([, value]) => value !== null);
    return `${attribute}: ${shown.map(([where, value]) => `${where} ${JSON.stringify(value)}`).join(', ')}`;
  });
  return lines.join('; ');
}

function toCensusText(answer: OpsJson<'Census'>, print: Print, { csv }: Options): string {
  const { provider, entries, people, accounts, agreeing, sweptAt, items } = answer;
  if (csv) return toCsv(items, CENSUS_COLUMNS);
  const seen = sweptAt === null ? 'when the bridge first met it' : `on ${toMoments(sweptAt)}`;
  const head = `File: ${toCount(entries, 'person', 'people')}. Bridge: ${people} of the provider ${provider}. Service: ${toCount(accounts, 'account')}, last read as a whole ${seen}.\n`;
  const agree = `All three agree about ${toCount(agreeing, 'person', 'people')} of the file.`;
  if (items.length === 0) return `${head}${agree} Nothing was found.\n`;
  const table = print(items, CENSUS_COLUMNS);
  return `${head}${agree} Found: ${toSums(CENSUS_WORDS, answer.kinds)}.\n${table}`;
}

/** `census`: compares a provider's own export with the bridge and the service. */
export const addCensusCommand = exportCommand('Census', {
  usage: 'census <file>',
  about: "compare a provider's own export of its people with the bridge and the service",
  help: `
The file is a CSV of Okta or Entra, or JSON of Okta, of Microsoft Graph or of SCIM.
Nothing is changed, and the service is not called: it is taken as it was last seen. "scim-bridge sweep" reads it anew.
Somebody without access need not be anywhere, so a leaver who is in one of the three alone is no finding.
--map takes externalId, userName, email, active, displayName, name.givenName, name.familyName, department and others:
docs/go-live.md.

Exit codes:
  0   nothing was found
  1   the file cannot be read or understood, or the bridge does not answer: the message says why
  2   something was found
  64  wrong usage`,
  options: [
    new Option('--provider <name>', 'the provider of the export; default when left out'),
    new Option('--kind <kind...>', 'findings of these kinds alone').choices(CENSUS_KINDS),
    new Option('--csv', 'as CSV, one line a finding').conflicts('json'),
  ],
  path: 'census',
  narrow(answer, { kind: wanted }) {
    const words: readonly string[] = wanted ?? CENSUS_KINDS;
    const kinds = Object.entries(answer.kinds).filter(([kind]) => words.includes(kind));
    const items = answer.items.filter(({ kind }) => words.includes(kind));
    return { ...answer, items, kinds: Object.fromEntries(kinds) };
  },
  toText: toCensusText,
  isIncomplete: ({ items }) => items.length > 0,
});

const SWITCH_WORDS: Readonly<Record<HandoverOutcome, string>> = {
  'handed-over': 'handed over',
  ambiguous: 'ambiguous',
  'only-here': 'only here',
  'only-file': 'only in the file',
};

const SWITCH_COLUMNS: readonly Column<OpsJson<'HandoverItem'>>[] = [
  { name: 'outcome', value: ({ outcome }) => SWITCH_WORDS[outcome] },
  { name: 'type', value: ({ type }) => type },
  { name: 'who', value: ({ name }) => name },
  { name: 'found by', value: ({ by }) => by },
  { name: 'row', value: ({ row }) => row },
  { name: 'new externalId', place: 'minor', value: ({ externalId }) => externalId },
  { name: 'id', kind: 'id', place: 'minor', value: ({ id }) => id },
];

const IMPORT_WORDS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported',
  known: 'known already',
  taken: "somebody else's id",
  ambiguous: 'fits several',
  'only-file': 'nobody here',
};

const IMPORT_COLUMNS: readonly Column<OpsJson<'ImportItem'>>[] = [
  { name: 'left out', value: ({ outcome }) => IMPORT_WORDS[outcome] },
  { name: 'row', value: ({ row }) => row },
  { name: 'who', value: ({ name }) => name },
  { name: 'earlier id', value: ({ formerId }) => formerId },
];

function isLeftOut({ outcome }: OpsJson<'ImportItem'>): boolean {
  return outcome !== 'imported' && outcome !== 'known';
}

/** Commands that send a file about the people of a provider. */
export const providerExportCommands: readonly AddCommand[] = [
  exportCommand('Handover', {
    usage: 'provider switch <from> <to>',
    about: 'plan that people and groups of a provider go to another one',
    help: `
  handed over         goes to the other provider; SCIM ids, accounts and memberships stay as they are
  ambiguous           it is not sure which row of the file it is: stays
  only here           the file does not have it: stays
  only in the file    the other provider has it, and nobody here is it

People are found by the externalId of the earlier provider (a column formerExternalId), then by userName, then by address.
Groups all go. Nothing is changed before the plan is approved, and nothing in the service.`,
    options: [
      new Option(
        '--file <file>',
        'people of the other provider: those alone go who are found in it',
      ),
      new Option('--dry-run', 'tell, and make no plan'),
    ],
    path: 'providers/{from}/switch',
    toText({ from, to, planId, hash, counts, items }, print) {
      const sums = toSums(SWITCH_WORDS, counts) || 'nothing belongs to it';
      const table = print(items, SWITCH_COLUMNS);
      const next =
        planId === null
          ? 'No plan was made.\n'
          : `scim-bridge plan approve ${planId} ${hash}   does exactly this, as far as it still holds\nscim-bridge plan discard ${planId}   does nothing of it\n`;
      return `${from} to ${to}: ${sums}.\n${table}\n${next}`;
    },
  }),
  exportCommand('IdImport', {
    usage: 'provider import-ids <provider> <file>',
    about: 'answer by the ids of an earlier SCIM server too',
    help: `
The file is the /Users or /Groups list of the earlier server, or a CSV with a column id and one of externalId, userName,
email and displayName. SCIM ids of the bridge stay; it answers by the others too, in addresses, bulk requests and members.

Exit codes:
  0   every row is imported, or was known
  1   there is no such provider, or the file cannot be understood: the message says which
  2   some rows are left out: nobody here is them, it is not sure who is, or somebody else has the id
  64  wrong usage`,
    options: [
      new Option('--type <type>', 'what the file lists').choices(['user', 'group']).default('user'),
      new Option('--dry-run', 'tell, and import nothing'),
    ],
    path: 'providers/{provider}/import-ids',
    toText({ dryRun, counts, items }, print) {
      const left = print(items.filter(isLeftOut), IMPORT_COLUMNS);
      const note = dryRun ? 'Nothing was imported.\n' : '';
      return `${toSums(IMPORT_WORDS, counts)}.\n${note}${left}`;
    },
    isIncomplete: ({ items }) => items.some(isLeftOut),
  }),
];

/**
 * Reads a provider's export. A list in one JSON document (SCIM, Microsoft Graph, Okta) becomes one object a line, which
 * the bridge takes; all else is left as it is.
 * @throws BridgeError `file-unreadable`; `file-incomplete` for the first pages of a list, which would show people as gone
 */
async function readExport(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new BridgeError('file-unreadable', `${path} cannot be read.`, { cause });
  });
  const list = findList(bytes);
  if (list === undefined) return bytes;
  const { items, isWhole } = list;
  if (!isWhole) {
    const message = `${path} is one page of a list, with ${toCount(items.length, 'entry', 'entries')}: put all pages into one file, one object a line.`;
    throw new BridgeError('file-incomplete', message);
  }
  return Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

/** The entries of one JSON document, and whether it has all of them; undefined: it is something else. */
function findList(bytes: Buffer) {
  // Behind the mark of UTF-8, which is above all letters.
  const first = bytes.find((byte) => byte > 0x20 && byte < 0x80) ?? 0;
  if (!'{['.includes(String.fromCharCode(first))) return undefined;
  try {
    return toList(JSON.parse(bytes.toString().replace(/^\uFEFF/, '')));
  } catch {
    return undefined; // One object a line, or no JSON: the bridge says which row it does not understand.
  }
}

/** A bare list has no place to say that more follow. @see RFC 7644 §3.4.2 (totalResults) */
function toList(value: unknown) {
  if (Array.isArray(value)) return { items: value, isWhole: true };
  if (!isJsonObject(value)) return undefined;
  const { Resources, value: graph, totalResults, '@odata.nextLink': next } = value;
  if (Array.isArray(Resources)) {
    const isWhole = !(typeof totalResults === 'number' && totalResults > Resources.length);
    return { items: Resources, isWhole };
  }
  return Array.isArray(graph) ? { items: graph, isWhole: next === undefined } : undefined;
}
