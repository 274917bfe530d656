import type { SettingProblem } from './errors.ts';
import type { SettingRow } from './rows.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that the environment sets. */
export interface EnvironmentValue {
  readonly row: SettingRow;
  readonly value: string;
  /** The variable that was used, which may end in `_FILE`. */
  readonly from: string;
}

interface EnvironmentSource {
  readonly env: Environment;
  /** Reads the file that a `…_FILE` variable names; throws when it cannot. */
  readonly readFile: (path: string) => string;
}

/**
 * Reads every setting's variable and, for secrets, the file that its `…_FILE` variable names.
 * A variable that is set to nothing counts as not set: that is how compose files write "not given".
 */
export function readEnvironment(
  rows: readonly SettingRow[],
  { env, readFile }: EnvironmentSource,
  onProblem: (problem: SettingProblem) => void,
): EnvironmentValue[] {
  return rows.flatMap((row) => {
    const value = env[row.variable];
    const from = toFileVariable(row);
    const path = from === undefined ? undefined : env[from];
    const refuse = (what: string, cause?: unknown) =>
      onProblem({ setting: row.name, message: `${row.name} ${what}.`, cause });
    if (!from || !path) return value ? [{ row, value, from: row.variable }] : [];
    try {
      if (!value) return [{ row, value: readFile(path).trim(), from }];
      refuse(`is set twice, by ${row.variable} and by ${from}; keep one`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      refuse(`is in a file that ${from} names and nobody can read: ${why}`, cause);
    }
    return [];
  });
}

/** The variable that names a file holding this secret; undefined when the setting is none. */
export function toFileVariable(row: SettingRow): string | undefined {
  return row.secret === undefined ? undefined : `${row.variable}_FILE`;
}
