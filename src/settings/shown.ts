import { isDeepStrictEqual } from 'node:util';
import type { SettingRow } from './rows.ts';
import { findAt } from './rows.ts';
import type { Settings } from './schema.ts';
import type { Given } from './sources.ts';

/** One setting in effect, without secrets. */
export type ShownSetting = ReturnType<typeof listShownSettings>[number];

/** Lists every setting in effect with the place that its value comes from; `source` null: the default holds. */
export function listShownSettings(
  rows: readonly SettingRow[],
  settings: Settings,
  given: ReadonlyMap<string, Given>,
) {
  return rows.map((row) => {
    const { name, variable } = row;
    const value = findAt(settings, row.path);
    const shown = value === undefined ? null : toShownValue(row, value);
    const by = given.get(name);
    // The file that comes with the bridge writes every default out.
    const isWritten = by?.origin === 'file' && isDeepStrictEqual(by.value, row.default);
    if (by === undefined || isWritten)
      return { name, variable, value: shown, from: 'default', source: null } as const;
    return { name, variable, value: shown, from: by.origin, source: by.source };
  });
}

/** Prints a value without secrets and as it may be written in a settings file. */
export function toShownValue(row: SettingRow, value: unknown): string {
  if (row.secret === 'value') {
    return Array.isArray(value) ? `(hidden, ${value.length})` : '(hidden)';
  }
  if (row.show !== undefined) return row.show(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.join(', ');
  }
  if (row.secret === 'password') return maskCredentials(String(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Prints a refused value: shortened, on one line, and without anything that may be a secret. */
export function toShownRefusal(row: SettingRow, value: unknown): string {
  if (row.secret !== undefined) return '(hidden)';
  const masked = typeof value === 'string' ? maskCredentials(value) : value;
  const shown = JSON.stringify(masked) ?? String(masked);
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}

/** An address without its credentials and without its query, because drivers read passwords from it. */
function maskCredentials(address: string): string {
  return address
    .replace(/\/\/.*@/s, '//(hidden)@')
    .replace(/^([a-z]+:\/\/[^?#]*[?#]).*$/is, '$1(hidden)');
}
