import type { ShownSetting } from '../settings/shown.ts';
import type { AddCommand } from './context.ts';
import { toJson } from './json.ts';
import { type Column, toTable } from './table.ts';

/** `settings`: prints the settings in effect, without secrets. */
export const addSettingsCommand: AddCommand = (program, context) => {
  const { loadSettings, write, writeError } = context;
  program
    .command('settings')
    .description('print the settings in effect, without secrets')
    .option('--json', 'as one JSON object')
    .option('--changed', 'only those that are not the default')
    .addHelpText('after', help)
    .action(({ json, changed }: { json?: true; changed?: true }) => {
      const { shown, warnings } = loadSettings();
      const items = changed ? shown.filter(({ from }) => from !== 'default') : shown;
      write(json ? toJson({ items, nextCursor: null }) : toTable(items, COLUMNS, context));
      for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

const COLUMNS: readonly Column<ShownSetting>[] = [
  { head: 'setting', cell: ({ name }) => name },
  { head: 'value', cell: ({ value }) => value ?? '(not set)' },
  {
    head: 'from',
    cell: ({ from, source }) => ({
      text: source === null ? from : `${from} ${source}`,
      colour: from === 'default' ? 'dim' : 'bold',
    }),
  },
];

const help = `
These are the settings of this command's environment and file. Those of the running bridge: GET /ops/settings.
--json prints { "items": [...], "nextCursor": null } as that request answers it.`;
