import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { BridgeError } from '../../domain/errors.ts';
import { select, UNLIMITED } from '../engine/dialect.ts';
import { migrate } from '../engine/migrate.ts';
import type { Db, Store } from '../store.ts';
import { listTables, readBatches, type SourceTable, type TextRow } from './source.ts';

/** The two stores of a move. */
export interface Move {
  /** The SQLite file, which is only read. */
  readonly source: DatabaseSync;
  /** PostgreSQL; migrated by the move. */
  readonly target: Store;
  /** Told how many rows are copied and compared. */
  readonly onProgress: (part: { readonly done: number; readonly total: number }) => void;
}

interface MovedTable extends Digest {
  readonly name: string;
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
export async function moveStore({ source, target, onProgress }: Move): Promise<Proof> {
  await assertFree(target);
  await migrate(target);
  const tables = listTables(source);
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  return target.write(async (tx) => {
    await takeTables(tx, tables);
    const filled = await findFilled(tx, tables);
    const moved: MovedTable[] = [];
    let done = 0;
    for (const table of tables) {
      const digest = await sendTable(tx, source, { table, isCopied: filled === undefined });
      if (!isDeepStrictEqual(digest, await digestArrived(tx, table))) {
        throw toDifference(table.name, filled);
      }
      await continueNumbers(tx, table);
      moved.push({ name: table.name, ...digest });
      done += digest.rows;
      onProgress({ done, total });
    }
    return { tables: moved, had: filled !== undefined };
  });
}

/** Makes sure that the target is of the bridge or empty, and can hold every text. @throws BridgeError `move-failed` */
async function assertFree({ read }: Store): Promise<void> {
  const rows = await select<{ encoding: string; tables: number; isBridge: boolean }>(read)`
    select current_setting('server_encoding') as encoding,
      to_regclass('migrations') is not null as "isBridge",
      (select count(*) from information_schema.tables where table_schema = current_schema()) as tables`;
  const [found] = rows;
  if (found?.encoding !== 'UTF8') {
    const message = `the target is encoded in ${found?.encoding ?? 'nothing'}, not in UTF8`;
    throw new BridgeError('move-failed', message);
  }
  if (found.isBridge || Number(found.tables) === 0) return;
  const message = 'the target holds tables of something else: give it a database of its own';
  throw new BridgeError('move-failed', message);
}

/**
 * Keeps everybody else away from the tables until the commit, and takes the limits of time away: the copy is one
 * transaction, so that after a crash the target is as it was.
 */
async function takeTables(tx: Db, tables: readonly SourceTable[]): Promise<void> {
  await sql.raw(UNLIMITED).execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(tx);
}

async function findFilled(tx: Db, tables: readonly SourceTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    const rows = await select(tx)`select 1 from ${sql.table(name)} limit 1`;
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** Reads a table of the source, copies it where nothing is there yet, and hashes it. */
async function sendTable(
  tx: Db,
  source: DatabaseSync,
  { table, isCopied }: { readonly table: SourceTable; readonly isCopied: boolean },
): Promise<Digest> {
  const digest = createDigest();
  for (const rows of readBatches(source, table)) {
    if (isCopied) await insertRows(tx, table, rows);
    for (const row of rows) digest.add(row);
  }
  return digest.result();
}

/** Inserts rows as they are: in one JSON, of which the table knows the types, because a parameter for each value is more work. */
async function insertRows(
  tx: Db,
  { name, columns }: SourceTable,
  rows: readonly TextRow[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, n) => [column, row[n]])),
  );
  await sql`insert into ${sql.table(name)} (${names}) select ${names}
    from json_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(objects)}::json)`.execute(
    tx,
  );
}

const FETCH_ROWS = 1_000;

/** Reads a table of the target back, in pieces, and hashes it. */
async function digestArrived(tx: Db, { name, columns }: SourceTable): Promise<Digest> {
  const digest = createDigest();
  const texts = sql.join(
    columns.map((column, n) => sql`${sql.ref(column)}::text as ${sql.ref(`c${n}`)}`),
  );
  await sql`declare moved no scroll cursor for select ${texts} from ${sql.table(name)}`.execute(tx);
  for (;;) {
    const fetch = sql.raw(`fetch forward ${FETCH_ROWS} from moved`);
    const rows = await select<Record<string, string | null>>(tx)`${fetch}`;
    for (const row of rows) digest.add(columns.map((_, n) => row[`c${n}`] ?? null));
    if (rows.length < FETCH_ROWS) break;
  }
  await sql`close moved`.execute(tx);
  return digest.result();
}

/** Lets a table that numbers its rows go on behind the last number that was ever given out. */
async function continueNumbers(tx: Db, { name, numbered }: SourceTable): Promise<void> {
  if (numbered === undefined || numbered.last < 1n) return;
  const sequence = sql`pg_get_serial_sequence(${name}, ${numbered.column})`;
  await sql`select setval(${sequence}, ${numbered.last.toString()}::bigint)`.execute(tx);
}

/** Number of rows of a table, and one hash of all of them in any order. */
interface Digest {
  readonly rows: number;
  readonly hash: string;
}

const MODULUS = 2n ** 256n;

/** Digest that rows are added to one by one. Sums of hashes need no order, in which the engines may differ. */
function createDigest(): { add(row: TextRow): void; result(): Digest } {
  let rows = 0;
  let sum = 0n;
  return {
    add(row) {
      rows += 1;
      // JSON keeps apart what separators would not: null and text, and where one value ends.
      const hash = createHash('sha256').update(JSON.stringify(row)).digest('hex');
      sum = (sum + BigInt(`0x${hash}`)) % MODULUS;
    },
    result: () => ({ rows, hash: sum.toString(16).padStart(64, '0') }),
  };
}

function toDifference(name: string, filled: string | undefined): BridgeError {
  const message =
    filled === undefined
      ? `${name} did not arrive as it is; the target is as it was`
      : `the target holds another store already (${filled} has rows, ${name} differs): give it an empty database`;
  return new BridgeError('move-failed', message);
}
