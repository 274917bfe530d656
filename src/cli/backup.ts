import { confirm, YES } from './act-command.ts';
import type { AddCommand } from './context.ts';
import { createProgress } from './progress.ts';

// The store is loaded on demand: no other command needs it.
const load = () => import('./backup-store.ts');

/** `backup`: copies one moment of the store into a file, while the bridge goes on. */
export const addBackupCommand: AddCommand = (program, context) => {
  program
    .command('backup')
    .description('write the store into a new file, while the bridge goes on (SQLite)')
    .argument('<file>', 'where to; it must not exist yet')
    .addHelpText('after', HELP)
    .action(async (file: string) => {
      const { backUpStore } = await load();
      const progress = createProgress(context);
      const { settings } = context.loadSettings();
      await backUpStore(settings, file, progress.tell).finally(progress.end);
      context.write(`The store is in ${file}, proven whole. Keep it as secret as the store.\n`);
    });
};

const HELP = `
Of a PostgreSQL store, pg_dump makes the backup. Back with it: scim-bridge restore <file>.`;

/** `restore`: puts a backup back, or records that it was, so that the next start does not repeat old changes. */
export const addRestoreCommand: AddCommand = (program, context) => {
  const command = program.command('restore');
  command
    .description(
      'put a backup in the place of the store, or say that it was; the bridge must not be running',
    )
    .argument('[file]', 'a backup of a SQLite store; without it the store is one already')
    .option(...YES)
    .action(async (file: string | undefined, { yes }: { yes?: true }) => {
      const { settings } = context.loadSettings();
      const question =
        file === undefined
          ? 'Everything that waits is held until you approve it. Is the store a restored backup?'
          : `Put ${file} in the place of the store? What happened since that backup is forgotten.`;
      if (!(await confirm(command, context, { yes, question }))) return;
      const { markRestored, restoreStore } = await load();
      if (file === undefined) {
        await markRestored(settings);
      } else {
        const progress = createProgress(context);
        const keptAs = await restoreStore(settings, file, progress.tell).finally(progress.end);
        context.write(`The backup is the store now. What was there before: ${keptAs}\n`);
      }
      context.write(
        'The next start holds what waits until the plan of `scim-bridge plan show` is decided.\n',
      );
    });
};
