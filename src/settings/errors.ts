import { BridgeError } from '../domain/values.ts';

/** One problem with the settings, ready to be printed. Never holds the value of a secret. */
export interface SettingProblem {
  /** Path of the setting (`upstream.timeout`) or, for an unknown setting, the name as written. */
  readonly setting: string;
  /** The problem and the allowed values, as a whole sentence. */
  readonly message: string;
  readonly cause?: unknown;
}

/** The settings are wrong or incomplete. Code `settings-invalid`; the message lists every problem at once. */
export class SettingsError extends BridgeError {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingProblem[];
  constructor(found: readonly SettingProblem[]) {
    // A list with three bad entries is one problem.
    const problems = [...new Map(found.map((one) => [one.message, one])).values()];
    const lines = problems.map(({ message }) => `  - ${message}`);
    super('settings-invalid', ['These settings are wrong or missing:', ...lines].join('\n'), {
      cause: problems.find(({ cause }) => cause !== undefined)?.cause,
    });
    this.problems = problems;
  }
}
