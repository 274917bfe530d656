import type { Settings } from '../settings/schema.ts';
import type { AddCommand } from './context.ts';

/** Restores a store. */
export interface Restoring {
  /** Marks the store of the settings as a restored backup. */
  readonly markRestored: (settings: Settings) => Promise<void>;
  /** Replaces the store by a backup, marked so, and returns the path under which the former store is kept. */
  readonly restoreStore: (settings: Settings, file: string) => Promise<string>;
}

/** `restore`: puts a backup back, or records that it was, so that the next start does not repeat old changes. */
export function restoreCommand({ markRestored, restoreStore }: Restoring): AddCommand {
  return (program, { loadSettings, write }) => {
    program
      .command('restore')
      .description(
        'put a backup in the place of the store, or say that it was; the bridge must not be running',
      )
      .argument('[file]', 'a backup of a SQLite store; without it the store is one already')
      .action(async (file: string | undefined) => {
        const { settings } = loadSettings();
        if (file === undefined) {
          await markRestored(settings);
        } else {
          const keptAs = await restoreStore(settings, file);
          write(`The backup is the store now. What was there before: ${keptAs}\n`);
        }
        write(
          'The next start holds what waits until the plan of `scim-bridge plan show` is decided.\n',
        );
      });
  };
}
