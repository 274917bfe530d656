import type { Settings } from '../settings/schema.ts';
import type { AddCommand } from './context.ts';

/** Marks the store of the settings as a restored backup. */
export type MarkRestored = (settings: Settings) => Promise<void>;

/** `restore`: says that the store is a backup, so that the next start does not do everything again. */
export function restoreCommand(markRestored: MarkRestored): AddCommand {
  return (program, { loadSettings, write }) => {
    program
      .command('restore')
      .description('say that the store is a restored backup; the bridge must not be running')
      .action(async () => {
        await markRestored(loadSettings().settings);
        write('The next start holds what waits until the plan of `recovery show` is approved.\n');
      });
  };
}
