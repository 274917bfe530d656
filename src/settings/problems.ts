import type { z } from 'zod';
import type { EnvironmentValue } from './environment.ts';
import type { SettingProblem } from './errors.ts';
import { toShownRefusal } from './mask.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';
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
    // A value with parts, or a list of them, says by itself which part is wrong.
    if (issue.code === 'custom' && issue.params !== undefined) {
      const { entry } = issue.params;
      const which = entry === undefined ? '' : `entry ${entry} `;
      return [toProblem(path, origins, `${which}${issue.message}`)];
    }
    if (issue.code !== 'unrecognized_keys') return [toProblem(path, origins)];
    return issue.keys.map((key) => toUnknownKey([...path, key].join('.'), origins));
  });
  // A list with three bad entries is one problem.
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}

function toProblem(
  path: readonly string[],
  { rows, values, input, configFile }: Origins,
  what?: string,
): SettingProblem {
  const row = rows.find((candidate) => candidate.path.every((key, index) => path[index] === key));
  if (row === undefined) {
    const setting = path.join('.');
    return {
      setting,
      message: `${setting} (in ${configFile}) is a section and must hold settings by name.`,
    };
  }
  const from = values.find((value) => value.row === row)?.from ?? configFile;
  if (what !== undefined) {
    return { setting: row.name, message: `${row.name} (from ${from}): ${what}.` };
  }
  const shown = toShownRefusal(row, findAt(input, row.path));
  const message = `${row.name} is ${shown} (from ${from}); allowed: ${row.allowed}.`;
  return { setting: row.name, message };
}

function toUnknownKey(name: string, { rows, configFile }: Origins): SettingProblem {
  const known = rows.flatMap((row) => [row.name, ...row.path.slice(0, -1)]);
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return {
    setting: name,
    message: `${name} (in ${configFile}) is no setting of the bridge.${hint}`,
  };
}
