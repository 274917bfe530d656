import { sql } from 'kysely';
import { BridgeError } from '../../domain/errors.ts';
import { migrate } from '../engine/migrate.ts';
import type { Db, Store } from '../store.ts';
import type { Source, SourceTable } from './source.ts';
import { createDigest, type TableDigest } from './table-digest.ts';
import {
  assertSameTables,
  continueNumbers,
  digestTarget,
  findFilled,
  insertRows,
  takeTables,
} from './target.ts';

/** A table that is proven to be the same in both stores. */
export interface MovedTable extends TableDigest {
  readonly name: string;
}

/** The two stores of a move. */
export interface Move {
  readonly source: Source;
  /** PostgreSQL; migrated by the move. */
  readonly target: Store;
  /** Called for each table before its rows are copied or compared. */
  readonly onTable: (step: 'copy' | 'compare', name: string) => void;
}

/** Proof of a move. `had` is true when an earlier run had copied everything. */
export interface Proof {
  readonly tables: readonly MovedTable[];
  readonly had: boolean;
}

/**
 * Copies every table into an empty store and compares what arrived, row by row by count and hash, in one transaction:
 * nothing stays of a move that fails or is cut off. A target that holds exactly the same is taken as moved.
 * @throws BridgeError `move-failed`; StoreError. The source is only read.
 */
export async function moveStore({ source, target, onTable }: Move): Promise<Proof> {
  await assertFree(target);
  await migrate(target);
  const tables = source.listTables();
  return await target.write(async (tx) => {
    await takeTables(tx, tables);
    await assertSameTables(tx, tables);
    const filled = await findFilled(tx, tables);
    if (filled === undefined) await copyTables(tx, { source, target, onTable }, tables);
    const compared = await compareTables(tx, { source, target, onTable }, tables);
    const differing = compared.find(({ isSame }) => !isSame);
    if (differing !== undefined) throw toDifference(differing.name, filled);
    await continueNumbers(tx, tables);
    return { tables: compared, had: filled !== undefined };
  });
}

/** Makes sure that the target is of the bridge or empty, and can hold every text. @throws BridgeError `move-failed` */
export async function assertFree({ read, engine }: Store): Promise<void> {
  if (engine !== 'postgres') throw new BridgeError('move-failed', 'the target is no PostgreSQL');
  const { rows } = await sql<{ encoding: string; tables: number; isBridge: boolean }>`
    select current_setting('server_encoding') as encoding,
      to_regclass('kysely_migration') is not null as "isBridge",
      (select count(*) from information_schema.tables where table_schema = current_schema()) as tables`.execute(
    read,
  );
  const [{ encoding, tables, isBridge } = { encoding: '', tables: 0, isBridge: false }] = rows;
  if (encoding !== 'UTF8') {
    throw new BridgeError('move-failed', `the target is encoded in ${encoding}, not in UTF8`);
  }
  if (!isBridge && tables > 0) {
    throw new BridgeError(
      'move-failed',
      'the target holds tables of something else: give it a database of its own',
    );
  }
}

const REFUSED: ReadonlySet<string> = new Set(['store-failed', 'store-conflict', 'store-reference']);

async function copyTables(
  tx: Db,
  { source, onTable }: Move,
  tables: readonly SourceTable[],
): Promise<void> {
  for (const table of tables) {
    onTable('copy', table.name);
    try {
      for (const batch of source.readBatches(table)) await insertRows(tx, table, batch);
    } catch (cause) {
      // What passes by itself is tried again, and what says where it went wrong needs no more words.
      if (cause instanceof BridgeError && !REFUSED.has(cause.code)) throw cause;
      const message = `the rows of ${table.name} could not be copied; the target is as it was`;
      throw new BridgeError('move-failed', message, { cause });
    }
  }
}

async function compareTables(
  tx: Db,
  { source, onTable }: Move,
  tables: readonly SourceTable[],
): Promise<(MovedTable & { isSame: boolean })[]> {
  const compared: (MovedTable & { isSame: boolean })[] = [];
  for (const table of tables) {
    onTable('compare', table.name);
    const digest = createDigest();
    for (const batch of source.readBatches(table)) for (const row of batch) digest.add(row);
    const held = digest.result();
    const arrived = await digestTarget(tx, table);
    const isSame = held.rows === arrived.rows && held.hash === arrived.hash;
    compared.push({ name: table.name, ...arrived, isSame });
  }
  return compared;
}

function toDifference(name: string, filled: string | undefined): BridgeError {
  const message =
    filled === undefined
      ? `${name} did not arrive as it is; the target is as it was`
      : `the target holds another store already (${filled} has rows, ${name} differs): give it an empty database`;
  return new BridgeError('move-failed', message);
}
