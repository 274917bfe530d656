import { Option } from 'commander';
import type { Settings } from '../settings/schema.ts';
import type { AddCommand, CliContext } from './context.ts';
import type { MoveCheck, Moved } from './move-store.ts';

/** Functions that move the store of the settings. */
export interface MovingStore {
  readonly checkMove: (settings: Settings, to: string) => Promise<MoveCheck>;
  readonly migrateStore: (
    settings: Settings,
    to: string,
    onTable: (step: 'copy' | 'compare', name: string) => void,
  ) => Promise<Moved>;
  readonly undoMove: (settings: Settings) => Promise<string>;
}

interface Options {
  readonly to?: string;
  readonly toFile?: string;
  readonly check?: true;
  readonly undo?: true;
}

/** `migrate-store`: moves the store from SQLite to PostgreSQL. */
export function migrateStoreCommand(moving: MovingStore): AddCommand {
  return (program, context) => {
    const target = new Option('--to <url>', 'postgres://user:password@host/database, empty');
    program
      .command('migrate-store')
      .description('move the store from SQLite to PostgreSQL; the bridge must not be running')
      .addOption(target.conflicts(['toFile', 'undo']))
      .option('--to-file <file>', 'a file with that address, so that no list of processes shows it')
      .option('--check', 'only look at both; the bridge may run')
      .option('--undo', 'make the file the store again, when no bridge has run on PostgreSQL')
      .addHelpText('after', help)
      .action(async (options: Options, command) => {
        const { settings } = context.loadSettings();
        if (options.undo) return writeUndone(context, await moving.undoMove(settings));
        const to = options.to ?? readAddress(context, options);
        if (to === undefined)
          return command.error('error: one of --to, --to-file and --undo is needed');
        if (options.check) return writeCheck(context, await moving.checkMove(settings, to));
        const tell = (step: 'copy' | 'compare', name: string) =>
          context.writeError(`${step === 'copy' ? 'copying' : 'comparing'} ${name}\n`);
        writeMoved(context, await moving.migrateStore(settings, to, tell), to);
      });
  };
}

function readAddress({ readFile }: CliContext, { toFile }: Options): string | undefined {
  return toFile === undefined ? undefined : readFile(toFile).trim();
}

function writeCheck({ write }: CliContext, { path, bytes, isRunning }: MoveCheck): void {
  write(
    `The store ${path} (${(bytes / 1_048_576).toFixed(1)} MB) is whole, and the database is there, in UTF-8.\n`,
  );
  write(
    isRunning ? 'The bridge is running: stop it before the move.\n' : 'The bridge is stopped.\n',
  );
}

function writeMoved({ write }: CliContext, { path, tables, had }: Moved, to: string): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  write(`${had ? 'An earlier run had copied everything.\n\n' : ''}${toTable(tables)}\n`);
  write(`${tables.length} tables with ${rows} rows are the same in both stores, by count and by hash.

What to do now:
  1. Set DATABASE_URL to the new address, with its password: ${withoutPassword(to)}
  2. Start the bridge.
  3. When it runs well, delete ${path}, which is read-only now: it holds personal data.

Until a bridge has run on PostgreSQL, scim-bridge migrate-store --undo makes the file the store again.
`);
}

function toTable(tables: Moved['tables']): string {
  const width = Math.max(...tables.map(({ name }) => name.length));
  return tables
    .map(
      ({ name, rows, hash }) =>
        `${name.padEnd(width)}  ${String(rows).padStart(9)}  ${hash.slice(0, 16)}\n`,
    )
    .join('');
}

function withoutPassword(to: string): string {
  const url = URL.parse(to);
  if (url === null) return 'postgres://…';
  if (url.password !== '') url.password = '***';
  return `${url.protocol}//${url.username === '' ? '' : `${url.username}${url.password === '' ? '' : ':***'}@`}${url.host}${url.pathname}`;
}

function writeUndone({ write }: CliContext, path: string): void {
  write(
    `${path} is the store again: set DATABASE_URL to sqlite:${path}. Empty the database before another move.\n`,
  );
}

const help = `
DATABASE_URL is the file that is moved (sqlite:…). The copy is one transaction: after a crash or an error the
database is as it was and the file is untouched; run the command again.

Exit codes:
  0   done
  1   nothing was moved: the message says why`;
