import type { ShownSetting } from '../settings/shown.ts';
import type { AddCommand } from './context.ts';
import { toJson } from './json.ts';

/** `settings`: prints the settings in effect, without secrets. */
export const addSettingsCommand: AddCommand = (program, { loadSettings, write, writeError }) => {
  program
    .command('settings')
    .description('print the settings in effect, without secrets')
    .option('--json', 'as one JSON object')
    .action(({ json }: { json?: true }) => {
      const { shown, warnings } = loadSettings();
      write(json ? toJson({ items: shown, nextCursor: null }) : toTable(shown));
      for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

function toTable(shown: readonly ShownSetting[]): string {
  const width = Math.max(...shown.map(({ name }) => name.length));
  return shown
    .map(({ name, value, source }) => {
      const from = source === null ? '' : `  (${source})`;
      return `${name.padEnd(width)}  ${value ?? '(not set)'}${from}\n`;
    })
    .join('');
}
