import type { z } from 'zod';
import type { EnvironmentValue } from './environment.ts';
import type { SettingProblem } from './errors.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';
import { toShownRefusal } from './shown.ts';
import { findAt, type Tree } from './tree.ts';

/** Sources of the refused values, for the messages. */
export interface Origins {
  readonly rows: readonly SettingRow[];
  readonly values: readonly EnvironmentValue[];
  readonly input: Tree;
  readonly configFile: string | undefined;
}

/** Describes the refusals of the schema for an operator: name, value unless it is a secret, source, allowed values. */
export function toProblems(error: z.ZodError | undefined, origins: Origins): SettingProblem[] {
  const all = (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.map(String);
    const row = origins.rows.find(({ path: own }) => own.every((key, at) => path[at] === key));
    if (row !== undefined) return [toProblem(row, issue, origins)];
    if (issue.code !== 'unrecognized_keys') return [toSectionProblem(path.join('.'), origins)];
    return issue.keys.map((key) => toUnknownKey([...path, key].join('.'), origins));
  });
  // A list with three bad entries is one problem.
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}

function toProblem(
  row: SettingRow,
  issue: z.core.$ZodIssue,
  { values, input, configFile }: Origins,
): SettingProblem {
  const from = values.find((value) => value.row === row)?.from ?? configFile;
  const within = issue.path.slice(row.path.length);
  if (row.hasParts && (within.length > 0 || issue.code === 'unrecognized_keys')) {
    const where = within.map((key) => (typeof key === 'number' ? `entry ${key + 1}` : String(key)));
    const place = [`${row.name} (from ${from}):`, ...where].join(' ').replace(/(?<!:)$/, ':');
    return { setting: row.name, message: `${place} ${toWords(issue, row)}.` };
  }
  const shown = toShownRefusal(row, findAt(input, row.path));
  const message = `${row.name} is ${shown} (from ${from}); allowed: ${row.allowed}.`;
  return { setting: row.name, message };
}

/** What is wrong with a part of a value. An unknown key may be a value, and so a secret. */
function toWords(issue: z.core.$ZodIssue, { secret }: SettingRow): string {
  if (issue.code === 'unrecognized_keys' && secret) return 'has an unknown key';
  // A key that is wrong itself has its words one level deeper.
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message;
}

function toSectionProblem(setting: string, { configFile }: Origins): SettingProblem {
  const message = `${setting} (in ${configFile}) is a section and must hold settings by name.`;
  return { setting, message };
}

function toUnknownKey(setting: string, { rows, configFile }: Origins): SettingProblem {
  const known = rows.flatMap((row) => [row.name, ...row.path.slice(0, -1)]);
  const nearest = findNearest(setting, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return { setting, message: `${setting} (in ${configFile}) is no setting of the bridge.${hint}` };
}
