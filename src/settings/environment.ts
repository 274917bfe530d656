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

/** Values of the environment, and the problems with them. */
interface EnvironmentReading {
  readonly values: readonly EnvironmentValue[];
  readonly problems: readonly SettingProblem[];
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
  source: EnvironmentSource,
): EnvironmentReading {
  const readings = rows.map((row) => readSetting(row, source));
  return {
    values: readings.flatMap(({ values }) => values),
    problems: readings.flatMap(({ problems }) => problems),
  };
}

/** The variable that names a file holding this secret; undefined when the setting is none. */
export function toFileVariable(row: SettingRow): string | undefined {
  return row.secret === undefined ? undefined : `${row.variable}_FILE`;
}

function readSetting(row: SettingRow, { env, readFile }: EnvironmentSource): EnvironmentReading {
  const value = env[row.variable];
  const from = toFileVariable(row);
  const path = from === undefined ? undefined : env[from];
  if (!from || !path) return value ? found(row, value, row.variable) : nothing;
  if (value) return refused(row, `is set twice, by ${row.variable} and by ${from}; keep one`);
  try {
    return found(row, readFile(path).trim(), from);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return refused(row, `is in a file that ${from} names and nobody can read: ${why}`, cause);
  }
}

const nothing: EnvironmentReading = { values: [], problems: [] };

function found(row: SettingRow, value: string, from: string): EnvironmentReading {
  return { values: [{ row, value, from }], problems: [] };
}

function refused(row: SettingRow, what: string, cause?: unknown): EnvironmentReading {
  return { values: [], problems: [{ setting: row.name, message: `${row.name} ${what}.`, cause }] };
}
