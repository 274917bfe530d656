import { readConfigFile } from './config-file.ts';
import { listCrossProblems, listWarnings } from './cross-rules.ts';
import { type Environment, readEnvironment, toFileVariable } from './environment.ts';
import { type SettingProblem, SettingsError } from './errors.ts';
import { toProblems } from './problems.ts';
import { settingRows } from './rows.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { listShownSettings, type ShownSetting } from './shown.ts';
import { toStoreUrl } from './store-url.ts';
import { type Tree, withValue } from './tree.ts';
import { listMisspelt } from './unknown-variables.ts';

/** Sources of the settings: a YAML file, overridden by the environment. */
export interface SettingsSource {
  readonly env: Environment;
  /** Returns a file's text; throws when it cannot. Used for `configFile` and for the files of `…_FILE` variables. */
  readonly readFile: (path: string) => string;
  /** The YAML file; without one the defaults and the environment decide. */
  readonly configFile?: string | undefined;
}

/** Settings that allow a start. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Values that are allowed but rarely meant: one sentence each, free of secrets. */
  readonly warnings: readonly string[];
  /** Every setting in effect, without secrets. */
  readonly shown: readonly ShownSetting[];
  /** Files that hold secrets, as variables `…_FILE` name them. */
  readonly secretFiles: readonly string[];
}

/**
 * Reads, checks and completes all settings; the only effect is `readFile`.
 * @throws SettingsError that lists every problem at once.
 */
export function loadSettings({ env, readFile, configFile }: SettingsSource): LoadedSettings {
  const file = readConfigFile(configFile, readFile);
  const environment = readEnvironment(settingRows, { env, readFile });
  const input = environment.values.reduce<Tree>(
    (tree, { row, value }) => withValue(tree, row.path, value),
    file.tree,
  );
  // What is parsed once is not worth the compiling of a parser.
  const result = settingsSchema.safeParse(input, { jitless: true });
  const problems: SettingProblem[] = [
    ...file.problems,
    ...environment.problems,
    ...toProblems(result.error, {
      rows: settingRows,
      values: environment.values,
      input,
      configFile,
    }),
  ];
  if (!result.success || problems.length > 0) throw new SettingsError(problems);
  const settings = { ...result.data, database: { url: toStoreUrl(result.data) } };
  // Only now: beside a setting that could not be read, "is not set" would mislead.
  const crossProblems = listCrossProblems(settings);
  if (crossProblems.length > 0) throw new SettingsError(crossProblems);
  const sources = { values: environment.values, file: file.tree, configFile };
  return {
    settings,
    warnings: [...listMisspelt(settingRows, env), ...listWarnings(settings)],
    shown: listShownSettings(settingRows, settings, sources),
    secretFiles: environment.values.flatMap(({ row, from }) => {
      const path = env[from];
      return from === toFileVariable(row) && path !== undefined ? [path] : [];
    }),
  };
}
