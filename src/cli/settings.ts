import { toShownValue } from '../settings/mask.ts';
import { listSettingRows } from '../settings/rows.ts';
import { settingsSchema } from '../settings/schema.ts';
import { findAt } from '../settings/tree.ts';
import type { AddCommand } from './context.ts';
import { toJson } from './json.ts';

/** `settings`: prints the settings in effect, without secrets. */
export const addSettingsCommand: AddCommand = (program, { loadSettings, write, writeError }) => {
  program
    .command('settings')
    .description('print the settings in effect, without secrets')
    .option('--json', 'as one JSON object')
    .action(({ json }: { json?: true }) => {
      const { settings, warnings } = loadSettings();
      const shown = listSettingRows(settingsSchema).map((row) => ({
        name: row.name,
        value: toShownValue(row, findAt(settings, row.path)),
      }));
      write(json ? toJson(toObject(shown)) : toTable(shown));
      for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

function toObject(shown: readonly ShownSetting[]): Record<string, string> {
  return Object.fromEntries(shown.map(({ name, value }) => [name, value]));
}

function toTable(shown: readonly ShownSetting[]): string {
  const width = Math.max(...shown.map(({ name }) => name.length));
  return shown.map(({ name, value }) => `${name.padEnd(width)}  ${value}\n`).join('');
}
