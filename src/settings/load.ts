import { readConfigFile } from './config-file.ts';
import { listCrossProblems, listWarnings } from './cross-rules.ts';
import { type Environment, readEnvironment, toFileVariable } from './environment.ts';
import { type SettingProblem, SettingsError } from './errors.ts';
import { findNearest } from './nearest.ts';
import { toProblems } from './problems.ts';
import { type SettingRow, sectionNames, settingRows } from './rows.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { listShownSettings, type ShownSetting } from './shown.ts';
import { toStoreUrl } from './store-url.ts';
import { type Tree, withValue } from './tree.ts';

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
  const problems: SettingProblem[] = [];
  const onProblem = (problem: SettingProblem) => problems.push(problem);
  const file = readConfigFile(configFile, readFile, onProblem);
  const values = readEnvironment(settingRows, { env, readFile }, onProblem);
  const input = values.reduce<Tree>((tree, { row, value }) => withValue(tree, row.path, value), {
    ...Object.fromEntries(sectionNames.map((name) => [name, {}])),
    ...file,
  });
  // What is parsed once is not worth the compiling of a parser.
  const result = settingsSchema.safeParse(input, { jitless: true });
  problems.push(...toProblems(result.error, { rows: settingRows, values, input, configFile }));
  if (!result.success || problems.length > 0) throw new SettingsError(problems);
  const settings = { ...result.data, database: { url: toStoreUrl(result.data) } };
  // Only now: beside a setting that could not be read, "is not set" would mislead.
  const crossProblems = listCrossProblems(settings);
  if (crossProblems.length > 0) throw new SettingsError(crossProblems);
  return {
    settings,
    warnings: [...listMisspelt(settingRows, env), ...listWarnings(settings)],
    shown: listShownSettings(settingRows, settings, { values, file, configFile }),
    secretFiles: values.flatMap(({ row, from }) => {
      const path = env[from];
      return from === toFileVariable(row) && path !== undefined ? [path] : [];
    }),
  };
}

/** Read before there are settings. */
const otherVariables = ['CONFIG'];

/** Shorter names resemble too many that have nothing to do with the bridge. */
const lookalikeLengthMin = 8;

/**
 * Lists a warning for each variable that resembles a setting and is none. All others belong to other programs. Their values
 * are never shown.
 */
function listMisspelt(rows: readonly SettingRow[], env: Environment): string[] {
  const known = rows.flatMap((row) => [row.variable, toFileVariable(row) ?? row.variable]);
  const candidates = known.filter((candidate) => candidate.length >= lookalikeLengthMin);
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name) && !otherVariables.includes(name))
    .flatMap((name) => {
      const nearest = findNearest(name, candidates);
      if (nearest === undefined) return [];
      return [`The environment variable ${name} is not read. Did you mean ${nearest}?`];
    });
}
