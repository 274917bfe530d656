import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { listCrossProblems, listWarnings } from './cross-rules.ts';
import type { SettingProblem } from './errors.ts';
import { SettingsError } from './errors.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';
import { settingRows, withValue } from './rows.ts';
import type { Settings } from './schema.ts';
import { settingsSchema } from './schema.ts';
import type { ShownSetting } from './shown.ts';
import { listShownSettings, toShownRefusal } from './shown.ts';
import type { Environment, Given, SettingsSource } from './sources.ts';
import { readSources } from './sources.ts';

/** Settings that allow a start. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Values that are allowed but rarely meant: one sentence each, free of secrets. */
  readonly warnings: readonly string[];
  /** Every setting in effect, without secrets. */
  readonly shown: readonly ShownSetting[];
  /** Files that hold secrets, as variables `…_FILE` name them. */
  readonly secretFiles: readonly string[];
  /** Place of the file of providers and tokens, which need not be there. */
  readonly providersFile: string;
  /** Reads the same sources again. */
  readonly reread: () => ReturnType<typeof readSettings>;
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
  const { settings, problems, given } = readSettings(source);
  // Only now: beside a setting that could not be read, "is not set" would mislead.
  const found = problems.length > 0 ? problems : listCrossProblems(settings);
  if (found.length > 0) throw new SettingsError(found);
  return {
    settings,
    warnings: [...listMisspelt(env), ...listWarnings(settings)],
    shown: listShownSettings(settingRows, settings, given),
    secretFiles: [...given.values()].flatMap(({ origin, source: name }) =>
      origin === 'secret-file' ? (env[name] ?? []) : [],
    ),
    providersFile: join(dirname(source.configFile ?? ''), 'providers.yaml'),
    reread: () => readSettings(source),
  };
}

/**
 * Reads settings as far as their sources can be used: a default stands for whatever cannot. `isUsable`: the value is the
 * one that they give, or is left out in sources that were read to their end.
 */
function readSettings(source: SettingsSource) {
  const problems: SettingProblem[] = [];
  const given = readSources(settingRows, source, (problem) => problems.push(problem));
  // What is parsed once is not worth the compiling of a parser.
  const result = settingsSchema.safeParse(toTree(given), { jitless: true });
  problems.push(...(result.error?.issues ?? []).map((issue) => toProblem(issue, given)));
  const wrong = new Set(problems.map(({ setting }) => setting));
  const usable = new Map([...given].filter(([name]) => !wrong.has(name)));
  const parsed = result.data ?? settingsSchema.parse(toTree(usable), { jitless: true });
  // A file that cannot be read, or has a key that is none, may hold any setting.
  const isRead = settingRows.filter(({ name }) => wrong.has(name)).length === wrong.size;
  const isUsable = (name: string) => usable.has(name) || (isRead && !wrong.has(name));
  const settings = { ...parsed, database: { url: toStoreUrl(parsed) } };
  return { settings, problems, given, isUsable };
}

function toTree(given: ReadonlyMap<string, Given>): object {
  return [...given.values()].reduce(
    (tree, { row, value }) => withValue(tree, row.path, value),
    NOTHING,
  );
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
  const where = within.map((key) => (typeof key === 'number' ? `entry ${key + 1}` : String(key)));
  const place = [`${setting} (from ${source}):`, ...where].join(' ').replace(/(?<!:)$/, ':');
  return { setting, message: `${place} ${toWords(issue, row)}.` };
}

/** What is wrong with a part of a value. An unknown key may be a value, and so a secret. */
function toWords(issue: z.core.$ZodIssue, { secret, allowed }: SettingRow): string {
  if (issue.code === 'unrecognized_keys')
    return secret ? 'has an unknown key' : `${issue.message}; allowed: ${allowed}`;
  // A key that is wrong itself has its words one level deeper.
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message;
}

/** Shorter names resemble too many that have nothing to do with the bridge. */
const LOOKALIKE_LENGTH_MIN = 8;

/** Lists a warning for each variable that resembles a setting and is none. Values are never shown. */
function listMisspelt(env: Environment): string[] {
  const own = settingRows.flatMap(({ variable, fileVariable }) => [variable, fileVariable ?? []]);
  const known = ['CONFIG', ...own.flat()];
  const candidates = known.filter(({ length }) => length >= LOOKALIKE_LENGTH_MIN);
  const unknown = Object.keys(env).filter((name) => env[name] && !known.includes(name));
  return unknown.flatMap((name) => {
    const plain = settingRows.find(({ variable }) => name === `${variable}_FILE`)?.variable;
    if (plain) return [`The environment variable ${name} is not read, only ${plain} is.`];
    const nearest = findNearest(name, candidates);
    if (nearest === undefined) return [];
    return [`The environment variable ${name} is not read. Did you mean ${nearest}?`];
  });
}

/** Address of the store. The sandbox has its own default: a store belongs to one service for ever. */
export function toStoreUrl({ database, upstream }: Settings): string {
  const isSandbox = upstream.url === undefined;
  return database.url ?? (isSandbox ? 'sqlite:data/sandbox-bridge.db' : 'sqlite:data/bridge.db');
}

/** Finds the whole path of the store's file; undefined: the store is PostgreSQL. */
export function findStoreFile(settings: Settings): string | undefined {
  const path = /^sqlite:(.+)$/.exec(toStoreUrl(settings))?.[1];
  return path === undefined ? undefined : resolve(path);
}
