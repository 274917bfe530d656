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

/** What the environment says: the values, and what is wrong with them. */
export interface EnvironmentReading {
  readonly values: readonly EnvironmentValue[];
  readonly problems: readonly SettingProblem[];
}

interface EnvironmentSource {
  readonly rows: readonly SettingRow[];
  readonly env: Environment;
  /** Reads the file that a `…_FILE` variable names; throws when it cannot. */
  readonly readFile: (path: string) => string;
}

/**
 * Reads every setting's variable and, for secrets, the file that its `…_FILE` variable names.
 * A variable that is set to nothing counts as not set: that is how compose files write "not given".
 */
export function readEnvironment({ rows, env, readFile }: EnvironmentSource): EnvironmentReading {
  const readings = rows.map((row) => readVariable({ row, env, readFile }));
  return {
    values: readings.flatMap((reading) => ('value' in reading ? [reading] : [])),
    problems: readings.flatMap((reading) => ('message' in reading ? [reading] : [])),
  };
}

interface VariableSource extends Omit<EnvironmentSource, 'rows'> {
  readonly row: SettingRow;
}

interface NotSet {
  readonly kind: 'not-set';
}

function readVariable({
  row,
  env,
  readFile,
}: VariableSource): EnvironmentValue | SettingProblem | NotSet {
  const direct = env[row.variable];
  const fileVariable = toFileVariable(row);
  const path = fileVariable === undefined ? undefined : env[fileVariable];
  if (path && direct) {
    const message = `${row.name} is set twice: by ${row.variable} and by ${fileVariable}; keep one of them.`;
    return { setting: row.name, message };
  }
  if (path && fileVariable !== undefined)
    return readSecretFile({ row, path, from: fileVariable, readFile });
  return direct ? { row, value: direct, from: row.variable } : { kind: 'not-set' };
}

interface SecretFile {
  readonly row: SettingRow;
  readonly path: string;
  readonly from: string;
  readonly readFile: (path: string) => string;
}

function readSecretFile({
  row,
  path,
  from,
  readFile,
}: SecretFile): EnvironmentValue | SettingProblem {
  try {
    return { row, value: readFile(path).trim(), from };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return {
      setting: row.name,
      message: `${row.name}: the file that ${from} names cannot be read: ${why}.`,
      cause,
    };
  }
}

/** The variable that names a file holding this secret; undefined when the setting is none. */
export function toFileVariable(row: SettingRow): string | undefined {
  return row.secret === undefined ? undefined : `${row.variable}_FILE`;
}
