import { isDeepStrictEqual } from 'node:util';
import { parseDocument } from 'yaml';
import { isJsonObject } from '../domain/values.ts';
import type { SettingProblem } from './errors.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Sources of the settings: a YAML file, overridden by the environment. */
export interface SettingsSource {
  readonly env: Environment;
  /** Returns a file's text; throws when it cannot. Used for `configFile` and for the files of `…_FILE` variables. */
  readonly readFile: (path: string) => string;
  /** The YAML file; without one the defaults and the environment decide. */
  readonly configFile?: string | undefined;
}

/** Every place that a value comes from; a secret file is one that a variable `…_FILE` names. */
export const SETTING_ORIGINS = ['default', 'file', 'environment', 'secret-file'] as const;

/** A value that a source sets. */
export interface Given {
  readonly row: SettingRow;
  readonly value: unknown;
  readonly origin: Exclude<(typeof SETTING_ORIGINS)[number], 'default'>;
  /** The settings file, or the variable, which may end in `_FILE`. */
  readonly source: string;
}

type OnProblem = (problem: SettingProblem) => void;

/** Reads every value that the sources set, of each setting at most one. */
export function readSources(
  rows: readonly SettingRow[],
  source: SettingsSource,
  onProblem: OnProblem,
): ReadonlyMap<string, Given> {
  const all = [...listWritten(rows, source, onProblem), ...listVariables(rows, source, onProblem)];
  return new Map(all.map((given) => [given.row.name, given]));
}

/** The values of the settings file. A key without a value, and a file with a problem, sets nothing. */
function* listWritten(
  rows: readonly SettingRow[],
  { configFile, readFile }: SettingsSource,
  onProblem: OnProblem,
): Generator<Given> {
  if (configFile === undefined) return;
  const sections = new Set(rows.flatMap(({ path }) => (path.length > 1 ? path.slice(0, 1) : [])));
  const names = [...rows.map(({ name }) => name), ...sections];
  const refuse = (setting: string, why: string) =>
    onProblem({ setting, message: `${setting} (in ${configFile}) ${why}` });

  function* walk(tree: object, parent: readonly string[]): Generator<Given> {
    for (const [key, value] of Object.entries(tree).filter(([, one]) => one !== null)) {
      const path = [...parent, key];
      const row = rows.find((one) => isDeepStrictEqual(one.path, path));
      const isSection = parent.length === 0 && sections.has(key);
      if (row !== undefined) yield { row, value, origin: 'file', source: configFile ?? '' };
      else if (isSection && isJsonObject(value)) yield* walk(value, path);
      else if (isSection) refuse(key, 'is a section and must hold settings by name.');
      else refuse(path.join('.'), `is no setting of the bridge.${toHint(path.join('.'), names)}`);
    }
  }

  yield* walk(readConfigFile(configFile, readFile, onProblem), []);
}

function toHint(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** Reads a YAML file of members by name; one with a problem has none. */
export function readConfigFile(
  path: string,
  readFile: SettingsSource['readFile'],
  onProblem: OnProblem,
): object {
  const refuse = (why: string, cause?: unknown) =>
    onProblem({ setting: path, message: `The file ${path} ${why}.`, cause });
  try {
    const document = parseDocument(readFile(path));
    const [error] = document.errors;
    const content: unknown = error === undefined ? (toContent(document) ?? {}) : {};
    if (isJsonObject(content) && error === undefined) return content;
    // Neither the parser's message nor the error is kept: both quote the file, which may hold secrets.
    const { line, col } = error?.linePos?.[0] ?? { line: 1, col: 1 };
    refuse(
      error === undefined
        ? 'must hold values by name'
        : `is no valid YAML at line ${line}, column ${col} (${error.code})`,
    );
  } catch (cause) {
    refuse(`cannot be read: ${toText(cause)}`, cause);
  }
  return {};
}

function toContent(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    // An alias without an anchor, or too many of them; its message would quote the value.
    return 'unreadable';
  }
}

/** The values of the variables and, for secrets, of `…_FILE`. A variable that is set to nothing counts as not set. */
function* listVariables(
  rows: readonly SettingRow[],
  { env, readFile }: SettingsSource,
  onProblem: OnProblem,
): Generator<Given> {
  for (const row of rows) {
    const { name, variable, fileVariable = '' } = row;
    const [value, path] = [env[variable], env[fileVariable]];
    if (!path) {
      if (value) yield { row, value, origin: 'environment', source: variable };
      continue;
    }
    const refuse = (what: string, cause?: unknown) =>
      onProblem({ setting: name, message: `${name} ${what}.`, cause });
    try {
      if (value) refuse(`is set twice, by ${variable} and by ${fileVariable}; keep one`);
      else yield { row, value: readFile(path).trim(), origin: 'secret-file', source: fileVariable };
    } catch (cause) {
      refuse(
        `is in a file that ${fileVariable} names and nobody can read: ${toText(cause)}`,
        cause,
      );
    }
  }
}

function toText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
