import { isDeepStrictEqual } from 'node:util';
import { type EnvironmentValue, toFileVariable } from './environment.ts';
import type { SettingRow } from './rows.ts';
import type { Settings } from './schema.ts';
import { findAt, type Tree } from './tree.ts';

/** Every place that a value comes from; a secret file is one that a variable `…_FILE` names. */
export const SETTING_ORIGINS = ['default', 'file', 'environment', 'secret-file'] as const;

/** One setting in effect, without secrets. */
export interface ShownSetting {
  readonly name: string;
  readonly variable: string;
  /** As it may be written in a settings file, with its unit; null: not set. */
  readonly value: string | null;
  readonly from: (typeof SETTING_ORIGINS)[number];
  /** Variable or settings file that sets it; null: the default holds. */
  readonly source: string | null;
}

/** Sources of settings that were read. */
interface ReadSources {
  readonly values: readonly EnvironmentValue[];
  readonly file: Tree;
  readonly configFile: string | undefined;
}

/** Lists every setting in effect with the place that its value comes from. */
export function listShownSettings(
  rows: readonly SettingRow[],
  settings: Settings,
  sources: ReadSources,
): ShownSetting[] {
  return rows.map((row) => {
    const value = findAt(settings, row.path);
    return {
      name: row.name,
      variable: row.variable,
      value: value === undefined ? null : toShownValue(row, value),
      ...findOrigin(row, sources),
    };
  });
}

function findOrigin(
  row: SettingRow,
  { values, file, configFile }: ReadSources,
): Pick<ShownSetting, 'from' | 'source'> {
  const given = values.find(({ row: { name } }) => name === row.name);
  if (given !== undefined) {
    const isFile = given.from === toFileVariable(row);
    return { from: isFile ? 'secret-file' : 'environment', source: given.from };
  }
  const written = findAt(file, row.path);
  // The file that comes with the bridge writes every default out.
  const isDefault = written === undefined || isDeepStrictEqual(written, row.default);
  return isDefault
    ? { from: 'default', source: null }
    : { from: 'file', source: configFile ?? null };
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
