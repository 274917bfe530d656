import { Argument, Option } from 'commander';
import { toCount } from '../domain/text.ts';
import type { Column } from '../ops/lists/list.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { type CliContext, commandOf, WrongUsage, YES } from './command.ts';
import type { Moved } from './store-work.ts';
import { toTable } from './table.ts';

// The store is loaded on demand: no other command needs it.
const load = () => import('./store-work.ts');

const STEPS = {
  copying: 'Copying',
  proving: 'Proving it whole',
  preparing: 'Bringing it up to date',
} as const;

/** The engine copies in one call, so that how far it is cannot be seen. */
function tellSteps({ showProgress }: Pick<CliContext, 'showProgress'>) {
  return (step: keyof typeof STEPS) => showProgress?.(STEPS[step]);
}

/** `backup`: copies one moment of the store into a file, while the bridge goes on. */
export const backupCommand = commandOf({
  usage: 'backup',
  arguments: [new Argument('<file>', 'where to; it must not exist yet')],
  about: 'write the store into a new file, while the bridge goes on (SQLite)',
  help: `
Of a PostgreSQL store, pg_dump makes the backup. Back with it: scim-bridge restore <file>.`,
  async run({ words: [file = ''], loadSettings, showProgress }) {
    const { backUpStore } = await load();
    backUpStore(loadSettings().settings, file, tellSteps({ showProgress }));
    return { text: `The store is in ${file}, proven whole. Keep it as secret as the store.\n` };
  },
});

const NEXT_START =
  'The next start holds what waits until the plan of `scim-bridge plan show` is decided.\n';

/** `restore`: puts a backup back, or records that it was, so that the next start does not repeat old changes. */
export const restoreCommand = commandOf({
  usage: 'restore',
  arguments: [
    new Argument('[file]', 'a backup of a SQLite store; without it the store is one already'),
  ],
  about:
    'put a backup in the place of the store, or say that it was; the bridge must not be running',
  options: [YES],
  async run({ words: [file], loadSettings, confirm, showProgress }) {
    const { settings } = loadSettings();
    const question =
      file === undefined
        ? 'Everything that waits is held until you approve it. Is the store a restored backup?'
        : `Put ${file} in the place of the store? What happened since that backup is forgotten.`;
    if (!(await confirm(question))) return undefined;
    const { markRestored, restoreStore } = await load();
    if (file === undefined) {
      await markRestored(toStoreUrl(settings));
      return { text: NEXT_START };
    }
    const keptAs = await restoreStore(settings, file, tellSteps({ showProgress }));
    const done = `The backup is the store now. What was there before: ${keptAs}\n`;
    return { text: `${done}${NEXT_START}` };
  },
});

interface MoveOptions {
  readonly to?: string;
  readonly toFile?: string;
  readonly undo?: true;
}

/** `migrate-store`: moves the store from SQLite to PostgreSQL, or takes that back. */
export const migrateStoreCommand = commandOf<MoveOptions>({
  usage: 'migrate-store',
  about: 'move the store from SQLite to PostgreSQL; the bridge must not be running',
  options: [
    new Option('--to <url>', 'postgres://user:password@host/database, empty').conflicts([
      'toFile',
      'undo',
    ]),
    ['--to-file <file>', 'a file with that address, so that no list of processes shows it'],
    ['--undo', 'make the file the store again, when no bridge has run on PostgreSQL'],
    YES,
  ],
  help: `
DATABASE_URL is the file that is moved (sqlite:…). The copy is one transaction: after a crash or an error the
database has no row, as before, and the file is untouched; run the command again.`,
  async run({ options: { to: url, toFile, undo }, confirm, readFile, ...context }) {
    const { settings } = context.loadSettings();
    const { migrateStore, undoMove } = await load();
    if (undo) {
      // A bridge that has run on PostgreSQL has changed the service since: the file would be an old backup of it.
      const question =
        'Make the file the store again? Only where no bridge has run on PostgreSQL yet.';
      if (!(await confirm(question))) return undefined;
      const path = await undoMove(settings);
      const next = `set DATABASE_URL to sqlite:${path}. Empty the database before another move.`;
      return { text: `${path} is the store again: ${next}\n` };
    }
    const to = url ?? (toFile === undefined ? undefined : readAddress(toFile, readFile));
    if (to === undefined)
      throw new WrongUsage('error: one of --to, --to-file and --undo is needed');
    const moved = await migrateStore(settings, to, ({ done, total }) =>
      context.showProgress?.(`Moving ${Math.floor((100 * done) / total)} %`),
    );
    return { text: toMovedText(moved, toTable(moved.tables, TABLE_COLUMNS, context)) };
  },
});

/** @throws WrongUsage */
function readAddress(file: string, readFile: CliContext['readFile']): string {
  try {
    return readFile(file).trim();
  } catch {
    throw new WrongUsage(`error: --to-file: ${file} cannot be read`);
  }
}

function toMovedText({ path, tables }: Moved, table: string): string {
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  return `${table}
${tables.length} tables with ${toCount(rows, 'row')} are the same in both stores, row by row.

What to do now:
  1. Set DATABASE_URL to the new address, with its password.
  2. Start the bridge.
  3. When it runs well, delete ${path}, which is read-only now: it holds personal data.

Until a bridge has run on PostgreSQL, scim-bridge migrate-store --undo makes the file the store again.
`;
}

const TABLE_COLUMNS: readonly Column<Moved['tables'][number]>[] = [
  { name: 'table', value: ({ name }) => name },
  { name: 'rows' },
];
