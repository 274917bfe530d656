import { SETTINGS } from '../ops/lists/plans.ts';
import type { ShownSetting } from '../settings/shown.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { toJson } from './json.ts';
import { readList } from './listing.ts';
import { toTable } from './table.ts';

/** `settings`: prints the settings of the running bridge, or those of this command, without secrets. */
export const addSettingsCommand: AddCommand = (program, context) => {
  const { loadSettings, write, writeError } = context;
  addCommand(program, 'settings', SETTINGS.command.about)
    .option('--json', 'as one JSON object')
    .option('--changed', 'only those that are not the default')
    .option('--here', 'those of this environment and file, which a bridge would start with here')
    .addHelpText('after', HELP)
    .action(async ({ json, changed, here }: { json?: true; changed?: true; here?: true }) => {
      const { shown, warnings } = loadSettings();
      const { whose, all } = here
        ? { whose: 'this environment and file; a running bridge may have others', all: shown }
        : await readSettings(context);
      const items = changed ? all.filter(({ from }) => from !== 'default') : all;
      const table = `Settings of ${whose}:\n\n${toTable(items, SETTINGS.columns, context)}`;
      write(json ? toJson({ items, nextCursor: null }) : table);
      if (here) for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

const HELP = `
--json prints { "items": [...], "nextCursor": null } as GET /ops/settings answers it.`;

async function readSettings(context: CliContext) {
  const client = context.connect();
  const reading = { path: '/settings', limit: Number.MAX_SAFE_INTEGER, context } as const;
  const { items: all } = await readList<ShownSetting>(client, reading);
  return { whose: `the bridge that answers at ${client.url}`, all };
}
