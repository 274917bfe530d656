/**
 * Exit codes, fit for scripts. 2 is for answers that are no failure and yet incomplete.
 * 64, 75 and 78 as in BSD's sysexits(3).
 */
export const exitCodes = {
  done: 0,
  failed: 1,
  incomplete: 2,
  usage: 64,
  later: 75,
  settings: 78,
} as const;

/** The exit codes as `--help` prints them; a command tells those that it has beside them. */
export const exitCodesHelp = `
Exit codes:
  0   done
  1   failed: the message says why
  64  unknown command or option
  78  the settings do not allow a start`;
