import { Option } from 'commander';
import type { ImportOutcome } from '../domain/handover.ts';
import type { ImportAnswer, ImportItem } from '../ops/schemas/handover.ts';
import type { AccessCommand } from './ask-access.ts';
import { askWithExport, type ExportOptions, MAP, toLimit, toShort, toSums } from './ask-export.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { toJson } from './json.ts';
import type { Column } from './table.ts';

interface Options extends ExportOptions {
  readonly type: 'user' | 'group';
}

/** Adds `provider import-ids`: takes the ids by which an earlier SCIM server knew people or groups. */
export function addImportIds({ parent, context }: Pick<AccessCommand, 'parent' | 'context'>): void {
  parent
    .command('import-ids <provider> <file>')
    .description('answer by the ids of an earlier SCIM server too (a running bridge)')
    .addOption(
      new Option('--type <type>', 'what the file lists').choices(['user', 'group']).default('user'),
    )
    .option(...MAP)
    .option('--dry-run', 'tell, and import nothing')
    .option(...toLimit('lines'))
    .option('--json', 'as one JSON object')
    .addHelpText('after', HELP)
    .action(async (provider: string, file: string, options: Options) => {
      const { type, json } = options;
      const path = `/providers/${encodeURIComponent(provider)}/import-ids` as const;
      const request = { path, query: { type }, options };
      const answer = await askWithExport<ImportAnswer>(context, file, request);
      context.write(json ? toJson(answer) : toText(answer, options, context));
      if (answer.items.some(isLeftOut)) context.exitWith(exitCodes.incomplete);
    });
}

const HELP = `
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

const WORDS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported',
  known: 'known already',
  taken: "somebody else's id",
  ambiguous: 'not sure whose',
  'only-file': 'nobody here',
};

function toText(
  { dryRun, counts, items }: ImportAnswer,
  { limit }: Options,
  context: CliContext,
): string {
  const left = toShort(items.filter(isLeftOut), { columns: COLUMNS, limit, context });
  const none = dryRun ? 'Nothing was imported.\n' : '';
  return `${toSums(WORDS, counts)}.\n${none}${left}`;
}

const COLUMNS: readonly Column<ImportItem>[] = [
  { head: 'left out', cell: ({ outcome }) => WORDS[outcome] },
  { head: 'row', cell: ({ row }) => `${row}` },
  { head: 'who', cell: ({ name }) => name ?? '' },
  { head: 'earlier id', cell: ({ formerId }) => formerId },
];
