import type { HandoverOutcome } from '../domain/handover.ts';
import type { HandoverAnswer, HandoverItem } from '../ops/schemas/handover.ts';
import type { AccessCommand } from './ask-access.ts';
import { askWithExport, type ExportOptions, MAP, toLimit, toShort, toSums } from './ask-export.ts';
import type { CliContext } from './context.ts';
import { toJson } from './json.ts';
import { type Column, toDim } from './table.ts';

interface Options extends ExportOptions {
  readonly file?: string;
}

/** Adds `provider switch`: plans that people and groups go to another provider. */
export function addSwitch({ parent, context }: Pick<AccessCommand, 'parent' | 'context'>): void {
  parent
    .command('switch <from> <to>')
    .description('plan that people and groups of a provider go to another one (a running bridge)')
    .option('--file <file>', 'people of the other provider: those alone go who are found in it')
    .option(...MAP)
    .option('--dry-run', 'tell, and make no plan')
    .option(...toLimit('lines'))
    .option('--json', 'as one JSON object')
    .addHelpText('after', HELP)
    .action(async (from: string, to: string, options: Options) => {
      const { file, json } = options;
      const path = `/providers/${encodeURIComponent(from)}/switch` as const;
      const request = { path, query: { to }, options };
      const answer = await askWithExport<HandoverAnswer>(context, file, request);
      context.write(json ? toJson(answer) : toText(answer, options, context));
    });
}

const HELP = `
  handed over         goes to the other provider; SCIM ids, accounts and memberships stay as they are
  ambiguous           it is not sure which row of the file it is: stays
  only here           the file does not have it: stays
  only in the file    the other provider has it, and nobody here is it

People are found by the externalId of the earlier provider (a column formerExternalId), then by userName, then by address.
Groups all go. Nothing is changed before the plan is approved, and nothing in the service.`;

const WORDS: Readonly<Record<HandoverOutcome, string>> = {
  'handed-over': 'handed over',
  ambiguous: 'ambiguous',
  'only-here': 'only here',
  'only-file': 'only in the file',
};

function toText(
  { from, to, planId, hash, counts, items }: HandoverAnswer,
  { limit }: Options,
  context: CliContext,
): string {
  const sums = toSums(WORDS, counts) || 'nothing belongs to it';
  const table = toShort(items, { columns: COLUMNS, limit, context });
  const next =
    planId === null
      ? 'No plan was made.\n'
      : `scim-bridge plan approve ${planId} ${hash}   does exactly this, as far as it still holds\nscim-bridge plan discard ${planId}   does nothing of it\n`;
  return `${from} to ${to}: ${sums}.\n${table}\n${next}`;
}

const COLUMNS: readonly Column<HandoverItem>[] = [
  { head: 'outcome', cell: ({ outcome }) => WORDS[outcome] },
  { head: 'type', cell: ({ type }) => type },
  { head: 'who', cell: ({ name }) => name ?? '' },
  { head: 'found by', cell: ({ by }) => by ?? '' },
  { head: 'row', cell: ({ row }) => `${row ?? ''}` },
  { head: 'new externalId', rank: 'minor', cell: ({ externalId }) => externalId ?? '' },
  { head: 'id', rank: 'minor', cell: ({ id }) => toDim(id ?? '') },
];
