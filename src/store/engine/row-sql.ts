import { type RawBuilder, sql } from 'kysely';
import { StoreError } from './store-error.ts';

/** Values by their columns; one that is undefined is left out. */
type Row = Readonly<Record<string, unknown>>;

/**
 * SQL of the changed columns of a row, such as `"active" = 0, "version" = 2`. What every request writes is written with it:
 * kysely's builder makes several objects for each column, which together cost more than the statement.
 */
export function toAssignments(change: Row): RawBuilder<unknown> {
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const column of listGiven(change)) {
    texts.push(`${texts.length === 0 ? '' : ', '}"${column}" = `);
    values.push(change[column]);
  }
  return toSql([...texts, ''], values);
}

/**
 * SQL of new rows, such as `("id", "kind") values (1, 'look'), (2, 'list')`; see `toAssignments`.
 * @throws StoreError when one has a column that another has not
 */
export function toValues(rows: readonly Row[]): RawBuilder<unknown> {
  const columns = listGiven(rows[0] ?? {});
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const row of rows) {
    const isLike =
      listGiven(row).length === columns.length &&
      columns.every((column) => row[column] !== undefined);
    if (!isLike) throw new StoreError('store-failed', 'rows of one statement differ in columns');
    for (const column of columns) {
      texts.push(column === columns[0] ? '), (' : ', ');
      values.push(row[column]);
    }
  }
  texts[0] = `("${columns.join('", "')}") values (`;
  return toSql([...texts, ')'], values);
}

function listGiven(row: Row): string[] {
  return Object.keys(row).filter((column) => row[column] !== undefined);
}

/** SQL with values between its texts, as a template of `sql` makes it. */
function toSql(texts: string[], values: readonly unknown[]): RawBuilder<unknown> {
  return sql(Object.assign(texts, { raw: texts }), ...values);
}
