import type { z } from 'zod';
import { listCrossProblems, listWarnings } from './cross-rules.ts';
import { type SettingProblem, SettingsError } from './errors.ts';
import { findNearest } from './nearest.ts';
import { type SettingRow, settingRows, withValue } from './rows.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { listShownSettings, type ShownSetting, toShownRefusal } from './shown.ts';
import { type Environment, type Given, readSources, type SettingsSource } from './sources.ts';
import { toStoreUrl } from './store-url.ts';

export type { SettingsSource } from './sources.ts';

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

/** A section that is left out is as good as an empty one. */
const NOTHING: object = Object.fromEntries(
  settingRows.flatMap(({ path: [section = '', key] }) =>
    key === undefined ? [] : [[section, {}]],
  ),
);

/** Reads, checks and completes all settings; the only effect is `readFile`. @throws SettingsError with every problem */
export function loadSettings(source: SettingsSource): LoadedSettings {
  const { env } = source;
  const problems: SettingProblem[] = [];
  const given = readSources(settingRows, source, (problem) => problems.push(problem));
  const input = [...given.values()].reduce(
    (tree, { row, value }) => withValue(tree, row.path, value),
    NOTHING,
  );
  // What is parsed once is not worth the compiling of a parser.
  const result = settingsSchema.safeParse(input, { jitless: true });
  problems.push(...(result.error?.issues ?? []).map((issue) => toProblem(issue, given)));
  if (!result.success || problems.length > 0) throw toError(problems);
  const settings = { ...result.data, database: { url: toStoreUrl(result.data) } };
  // Only now: beside a setting that could not be read, "is not set" would mislead.
  const crossProblems = listCrossProblems(settings);
  if (crossProblems.length > 0) throw toError(crossProblems);
  return {
    settings,
    warnings: [...listMisspelt(env), ...listWarnings(settings)],
    shown: listShownSettings(settingRows, settings, given),
    secretFiles: [...given.values()].flatMap(({ origin, source: name }) =>
      origin === 'secret-file' ? (env[name] ?? []) : [],
    ),
  };
}

/** A list with three bad entries is one problem. */
function toError(problems: readonly SettingProblem[]): SettingsError {
  return new SettingsError([...new Map(problems.map((one) => [one.message, one])).values()]);
}

/** A refusal of the schema for an operator: name, value unless it is a secret, source, allowed values. */
function toProblem(issue: z.core.$ZodIssue, given: ReadonlyMap<string, Given>): SettingProblem {
  const row = settingRows.find(({ path }) => path.every((key, at) => issue.path[at] === key));
  const { source, value } = given.get(row?.name ?? '') ?? {};
  if (row === undefined) return { setting: issue.path.join('.'), message: issue.message };
  const { name: setting, hasParts, allowed } = row;
  const within = issue.path.slice(row.path.length);
  if (!hasParts || (within.length === 0 && issue.code !== 'unrecognized_keys')) {
    const shown = toShownRefusal(row, value);
    return { setting, message: `${setting} is ${shown} (from ${source}); allowed: ${allowed}.` };
  }
  const where = within.map(
    (key) => ` ${typeof key === 'number' ? `entry ${key + 1}` : String(key)}`,
  );
  const place = [`${setting} (from ${source}):`, ...where].join('').replace(/(?<!:)$/, ':');
  return { setting, message: `${place} ${toWords(issue, row)}.` };
}

/** What is wrong with a part of a value. An unknown key may be a value, and so a secret. */
function toWords(issue: z.core.$ZodIssue, { secret }: SettingRow): string {
  if (issue.code === 'unrecognized_keys' && secret) return 'has an unknown key';
  // A key that is wrong itself has its words one level deeper.
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message;
}

/** Read before there are settings. */
const OTHER_VARIABLES = ['CONFIG'];
/** Shorter names resemble too many that have nothing to do with the bridge. */
const LOOKALIKE_LENGTH_MIN = 8;

/** Lists a warning for each variable that resembles a setting and is none. Values are never shown. */
function listMisspelt(env: Environment): string[] {
  const known = settingRows.flatMap(({ variable, fileVariable = variable }) => [
    variable,
    fileVariable,
  ]);
  const candidates = known.filter(({ length }) => length >= LOOKALIKE_LENGTH_MIN);
  const unknown = Object.keys(env).filter(
    (name) => env[name] && !known.includes(name) && !OTHER_VARIABLES.includes(name),
  );
  return unknown.flatMap((name) => {
    const nearest = findNearest(name, candidates);
    if (nearest === undefined) return [];
    return [`The environment variable ${name} is not read. Did you mean ${nearest}?`];
  });
}
