import { Argument, Option } from 'commander';
import { commandOf, YES } from './command.ts';
import type { MoveOptions } from './store-work.ts';

// The store is loaded on demand: no other command needs it.
const load = () => import('./store-work.ts');

/** `backup`: copies one moment of the store into a file, while the bridge goes on. */
export const backupCommand = commandOf({
  usage: 'backup',
  arguments: [new Argument('<file>', 'where to; it must not exist yet')],
  about: 'write the store into a new file, while the bridge goes on (SQLite)',
  help: `
Of a PostgreSQL store, pg_dump makes the backup. Back with it: scim-bridge restore <file>.`,
  run: async (call) => (await load()).backUp(call),
});

/** `restore`: puts a backup back, or records that it was, so that the next start does not repeat old changes. */
export const restoreCommand = commandOf({
  usage: 'restore',
  arguments: [
    new Argument('[file]', 'a backup of a SQLite store; without it the store is one already'),
  ],
  about:
    'put a backup in the place of the store, or say that it was; the bridge must not be running',
  options: [YES],
  run: async (call) => (await load()).restore(call),
});

const TO = new Option('--to <url>', 'postgres://user:password@host/database, empty');

/** `migrate-store`: moves the store from SQLite to PostgreSQL, or takes that back. */
export const migrateStoreCommand = commandOf<MoveOptions>({
  usage: 'migrate-store',
  about: 'move the store from SQLite to PostgreSQL; the bridge must not be running',
  options: [
    TO.conflicts(['toFile', 'undo']),
    ['--to-file <file>', 'a file with that address, so that no list of processes shows it'],
    ['--undo', 'make the file the store again, when no bridge has run on PostgreSQL'],
    YES,
  ],
  help: `
DATABASE_URL is the file that is moved (sqlite:…). The copy is one transaction: after a crash or an error the
database has no row, as before, and the file is untouched; run the command again.`,
  run: async (call) => (await load()).migrateStore(call),
});
