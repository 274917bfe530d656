import type { Settings } from '../settings/schema.ts';
import type { AddCommand } from './context.ts';
import { createProgress, type Progress } from './progress.ts';

/** Makes a backup of the store of the settings. */
type BackUp = (settings: Settings, file: string, told: Progress['tell']) => Promise<void>;

/** `backup`: copies one moment of the store into a file, while the bridge goes on. */
export function backupCommand(backUp: BackUp): AddCommand {
  return (program, context) => {
    const { loadSettings, write } = context;
    program
      .command('backup')
      .description('write the store into a new file, while the bridge goes on (SQLite)')
      .argument('<file>', 'where to; it must not exist yet')
      .addHelpText('after', help)
      .action(async (file: string) => {
        const progress = createProgress(context);
        try {
          await backUp(loadSettings().settings, file, progress.tell);
        } finally {
          progress.end();
        }
        write(`The store is in ${file}, proven whole. Keep it as secret as the store.\n`);
      });
  };
}

const help = `
Of a PostgreSQL store, pg_dump makes the backup. Back with it: scim-bridge restore <file>.`;
