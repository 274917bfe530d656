import type { Command } from 'commander';
import type { CliContext } from './context.ts';

/** Option that answers the question before something dangerous. */
export const YES = ['--yes', 'do it without asking'] as const;

/**
 * Asks before something dangerous is done; false: the person said no. Where nobody can be asked, `--yes` is wanted, and
 * without it the command ends with the code of wrong usage.
 */
export async function confirm(
  command: Command,
  { ask, writeError }: CliContext,
  { yes, question }: { readonly yes: true | undefined; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (ask === undefined) {
    command.error(`error: ${question} Nobody can be asked here: say --yes. Nothing was done.`);
  }
  const answer = await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  writeError('Nothing was done.\n');
  return false;
}
