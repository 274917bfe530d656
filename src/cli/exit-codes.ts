/**
 * How a command ends, fit for scripts. 2 is left for answers that are no failures.
 * 64 and 78 as in BSD's sysexits(3).
 */
export const exitCodes = { done: 0, failed: 1, usage: 64, settings: 78 } as const;

/** The exit codes as `--help` prints them. */
export const exitCodesHelp = `
Exit codes:
  0   done
  1   failed: the message says why
  64  unknown command or option
  78  the settings do not allow a start`;
