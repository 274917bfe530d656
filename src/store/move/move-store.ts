import { sql } from 'kysely';
import { BridgeError } from '../../domain/errors.ts';
import { migrate } from '../engine/migrate.ts';
import type { Db, Store } from '../store.ts';
import type { Source, SourceTable } from './source.ts';
import { createDigest, type TableDigest } from './table-digest.ts';
import {
  type ColumnTypes,
  continueNumbers,
  digestTarget,
  findFilled,
  insertRows,
  readTypes,
  takeTables,
} from './target.ts';

/** A table that is proven to be the same in both stores. */
interface MovedTable extends TableDigest {
  readonly name: string;
}

/** The two stores of a move. */
export interface Move {
  readonly source: Source;
  /** PostgreSQL; migrated by the move. */
  readonly target: Store;
  /** Told how far it has come, in rows: each is copied and then compared. */
  readonly onProgress: (
    step: MoveStep,
    part: { readonly done: number; readonly total: number },
  ) => void;
}

/** Step of a move. */
export type MoveStep = 'copying' | 'comparing';

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
export async function moveStore({ source, target, onProgress }: Move): Promise<Proof> {
  await assertFree(target);
  await migrate(target);
  const tables = source.listTables();
  return await target.write(async (tx) => {
    await takeTables(tx, tables);
    const types = await readTypes(tx, tables);
    const filled = await findFilled(tx);
    const total = countSteps(tables, filled);
    let done = 0;
    const count = (step: MoveStep) => (rows: number) => {
      done += rows;
      onProgress(step, { done, total });
    };
    if (filled === undefined) {
      await copyTables(tx, source, { tables, types, count: count('copying') });
    }
    const compared = await compareTables(tx, source, { tables, count: count('comparing') });
    const differing = compared.find(({ isSame }) => !isSame);
    if (differing !== undefined) throw toDifference(differing.name, filled);
    await continueNumbers(tx, tables);
    return { tables: compared, had: filled !== undefined };
  });
}

function countSteps(tables: readonly SourceTable[], filled: string | undefined): number {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return filled === undefined ? rows * 2 : rows;
}

/** Makes sure that the target is of the bridge or empty, and can hold every text. @throws BridgeError `move-failed` */
export async function assertFree({ read, engine }: Store): Promise<void> {
  if (engine !== 'postgres') throw new BridgeError('move-failed', 'the target is no PostgreSQL');
  const { rows } = await sql<Found>`
    select current_setting('server_encoding') as encoding,
      to_regclass('kysely_migration') is not null as "isBridge",
      has_schema_privilege(current_schema(), 'create') as "mayCreate",
      (select count(*) from information_schema.tables where table_schema = current_schema()) as tables`.execute(
    read,
  );
  const [found] = rows;
  if (found === undefined)
    throw new BridgeError('move-failed', 'the target says nothing of itself');
  const { encoding, tables, isBridge, mayCreate } = found;
  if (encoding !== 'UTF8') {
    throw new BridgeError('move-failed', `the target is encoded in ${encoding}, not in UTF8`);
  }
  if (!isBridge && !mayCreate) {
    throw new BridgeError('move-failed', 'the user of the target may not create tables there');
  }
  if (!isBridge && tables > 0) {
    throw new BridgeError(
      'move-failed',
      'the target holds tables of something else: give it a database of its own',
    );
  }
}

const REFUSED: ReadonlySet<string> = new Set(['store-failed', 'store-conflict', 'store-reference']);

interface Work {
  readonly tables: readonly SourceTable[];
  /** Told the rows that are done, batch by batch. */
  readonly count: (rows: number) => void;
}

/** Facts about a target before the move. */
interface Found {
  readonly encoding: string;
  readonly tables: number;
  readonly isBridge: boolean;
  readonly mayCreate: boolean;
}

async function copyTables(
  tx: Db,
  source: Source,
  { tables, types, count }: Work & { readonly types: ColumnTypes },
): Promise<void> {
  for (const table of tables) {
    try {
      for (const rows of source.readBatches(table)) {
        await insertRows(tx, table, { rows, types });
        count(rows.length);
      }
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
  source: Source,
  { tables, count }: Work,
): Promise<(MovedTable & { isSame: boolean })[]> {
  const compared: (MovedTable & { isSame: boolean })[] = [];
  for (const table of tables) {
    const digest = createDigest();
    for (const batch of source.readBatches(table)) for (const row of batch) digest.add(row);
    const held = digest.result();
    const arrived = await digestTarget(tx, table, count);
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
