import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';

/**
 * The floor of what a first read writes: the same rows into an empty file with the same tables and indexes, by prepared
 * statements and nothing else, in a process of its own: `node test/bench/write-alone.ts --store <file> --folder <path>`.
 * Prints one JSON line, `{ ms }`, when it is done.
 */
const TABLES = ['resources', 'memberships'];
/** About what one page brings. */
const ROWS_PER_COMMIT = 1_000;

const { values } = parseArgs({
  options: { store: { type: 'string' }, folder: { type: 'string' } },
});
if (values.store === undefined || values.folder === undefined) {
  throw new Error('--store and --folder are needed');
}
const source = new DatabaseSync(values.store, { readOnly: true });
const target = new DatabaseSync(join(values.folder, 'written-alone.db'));
target.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
const isNamed = TABLES.map((name) => `'${name}'`).join();
const objects = source
  .prepare(`SELECT sql FROM sqlite_schema WHERE tbl_name IN (${isNamed}) AND sql IS NOT NULL`)
  .all();
for (const { sql } of objects) target.exec(String(sql));
const startedAt = performance.now();
for (const table of TABLES) copyRows(table);
const ms = performance.now() - startedAt;
process.stdout.write(`${JSON.stringify({ ms })}\n`);

function copyRows(table: string): void {
  const rows = source.prepare(`SELECT * FROM ${table}`);
  rows.setReturnArrays(true);
  const marks = rows.columns().map(() => '?');
  const insert = target.prepare(`INSERT INTO ${table} VALUES (${marks.join()})`);
  let written = 0;
  target.exec('BEGIN');
  for (const row of rows.iterate()) {
    insert.run(...Object.values(row));
    written += 1;
    if (written % ROWS_PER_COMMIT === 0) target.exec('COMMIT; BEGIN');
  }
  target.exec('COMMIT');
}
