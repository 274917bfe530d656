import type { Settings } from '../settings/schema.ts';
import { confirm, YES } from './act-command.ts';
import type { AddCommand } from './context.ts';
import { createProgress, type Progress } from './progress.ts';

/** Restores a store. */
export interface Restoring {
  /** Marks the store of the settings as a restored backup. */
  readonly markRestored: (settings: Settings) => Promise<void>;
  /** Replaces the store by a backup, marked so, and returns the path under which the former store is kept. */
  readonly restoreStore: (
    settings: Settings,
    file: string,
    told: Progress['tell'],
  ) => Promise<string>;
}

/** `restore`: puts a backup back, or records that it was, so that the next start does not repeat old changes. */
export function restoreCommand({ markRestored, restoreStore }: Restoring): AddCommand {
  return (program, context) => {
    const { loadSettings, write } = context;
    const command = program.command('restore');
    command
      .description(
        'put a backup in the place of the store, or say that it was; the bridge must not be running',
      )
      .argument('[file]', 'a backup of a SQLite store; without it the store is one already')
      .option(...YES)
      .action(async (file: string | undefined, { yes }: { yes?: true }) => {
        const { settings } = loadSettings();
        const question =
          file === undefined
            ? 'Everything that waits is held until you approve it. Is the store a restored backup?'
            : `Put ${file} in the place of the store? What happened since that backup is forgotten.`;
        if (!(await confirm(command, context, { yes, question }))) return;
        if (file === undefined) {
          await markRestored(settings);
        } else {
          const progress = createProgress(context);
          const restoring = restoreStore(settings, file, progress.tell);
          const keptAs = await restoring.finally(progress.end);
          write(`The backup is the store now. What was there before: ${keptAs}\n`);
        }
        write(
          'The next start holds what waits until the plan of `scim-bridge plan show` is decided.\n',
        );
      });
  };
}
