import { isDeepStrictEqual } from 'node:util';
import { type EnvironmentValue, toFileVariable } from './environment.ts';
import { toShownValue } from './mask.ts';
import type { SettingRow } from './rows.ts';
import type { Settings } from './schema.ts';
import { findAt, type Tree } from './tree.ts';

/** Place that a value comes from; a secret file is one that a variable `…_FILE` names. */
type SettingOrigin = (typeof SETTING_ORIGINS)[number];

/** Every place that a value comes from. */
export const SETTING_ORIGINS = ['default', 'file', 'environment', 'secret-file'] as const;

/** One setting in effect, without secrets. */
export interface ShownSetting {
  readonly name: string;
  readonly variable: string;
  /** As it may be written in a settings file, with its unit; null: not set. */
  readonly value: string | null;
  readonly from: SettingOrigin;
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
  if (written === undefined || isDeepStrictEqual(written, row.default))
    return { from: 'default', source: null };
  return { from: 'file', source: configFile ?? null };
}
