import { type Command, Option } from 'commander';
import { toCount } from '../domain/text.ts';
import type { Column } from '../ops/lists/list.ts';
import { confirm, YES } from './act-command.ts';
import type { AddCommand, CliContext } from './context.ts';
import type { Moved } from './move-store.ts';
import { createProgress } from './progress.ts';
import { toTable } from './table.ts';

interface Options {
  readonly to?: string;
  readonly toFile?: string;
  readonly undo?: true;
  readonly yes?: true;
}

// Loaded on demand: no other command needs it.
const load = () => import('./move-store.ts');

/** `migrate-store`: moves the store from SQLite to PostgreSQL. */
export const addMigrateStoreCommand: AddCommand = (program, context) => {
  const target = new Option('--to <url>', 'postgres://user:password@host/database, empty');
  const command = program.command('migrate-store');
  command
    .description('move the store from SQLite to PostgreSQL; the bridge must not be running')
    .addOption(target.conflicts(['toFile', 'undo']))
    .option('--to-file <file>', 'a file with that address, so that no list of processes shows it')
    .option('--undo', 'make the file the store again, when no bridge has run on PostgreSQL')
    .option(...YES)
    .addHelpText('after', help)
    .action(async (options: Options) => {
      if (options.undo) return await undo(command, context, options);
      const { settings } = context.loadSettings();
      const to = options.to ?? readAddress(command, context, options);
      if (to === undefined)
        return command.error('error: one of --to, --to-file and --undo is needed');
      const { migrateStore } = await load();
      const progress = createProgress(context);
      const told = (part: { done: number; total: number }) => progress.tell('Moving', part);
      writeMoved(context, await migrateStore(settings, to, told).finally(progress.end), to);
    });
};

/** A bridge that has run on PostgreSQL has changed the service since: the file would be an old backup of it. */
async function undo(command: Command, context: CliContext, { yes }: Options): Promise<void> {
  const { settings } = context.loadSettings();
  const question = 'Make the file the store again? Only where no bridge has run on PostgreSQL yet.';
  if (!(await confirm(command, context, { yes, question }))) return;
  const path = (await load()).undoMove(settings);
  context.write(
    `${path} is the store again: set DATABASE_URL to sqlite:${path}. Empty the database before another move.\n`,
  );
}

function readAddress(
  command: Command,
  { readFile }: CliContext,
  { toFile }: Options,
): string | undefined {
  if (toFile === undefined) return undefined;
  try {
    return readFile(toFile).trim();
  } catch {
    return command.error(`error: --to-file: ${toFile} cannot be read`);
  }
}

function writeMoved(context: CliContext, { path, tables, had }: Moved, to: string): void {
  const { write } = context;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  write(
    `${had ? 'An earlier run had copied everything.\n\n' : ''}${toTable(tables, COLUMNS, context)}\n`,
  );
  write(`${tables.length} tables with ${toCount(rows, 'row')} are the same in both stores, by count and by hash.

What to do now:
  1. Set DATABASE_URL to the new address, with its password: ${withoutPassword(to)}
  2. Start the bridge.
  3. When it runs well, delete ${path}, which is read-only now: it holds personal data.

Until a bridge has run on PostgreSQL, scim-bridge migrate-store --undo makes the file the store again.
`);
}

const COLUMNS: readonly Column<Moved['tables'][number]>[] = [
  { name: 'table', value: ({ name }) => name },
  { name: 'rows', value: ({ rows }) => rows },
  { name: 'hash', value: ({ hash }) => hash.slice(0, 16) },
];

function withoutPassword(to: string): string {
  const url = URL.parse(to);
  if (url === null) return 'postgres://…';
  if (url.password !== '') url.password = '***';
  const secret = [...url.searchParams.keys()].filter((name) => /password/i.test(name));
  for (const name of secret) url.searchParams.set(name, '***');
  return url.href;
}

const help = `
DATABASE_URL is the file that is moved (sqlite:…). The copy is one transaction: after a crash or an error the
database has no row, as before, and the file is untouched; run the command again.`;
