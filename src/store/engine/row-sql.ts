import { type RawBuilder, sql } from 'kysely';
import { StoreError } from './store-error.ts';

/**
 * SQL of the changed columns of a row, such as `"active" = 0, "version" = 2`; one that is undefined is left out. kysely's
 * builder makes several objects for each column, which together cost more than the statement.
 */
export function toAssignments(change: object): RawBuilder<unknown> {
  const given = listGiven(change);
  const texts = given.map(([column], index) => `${index === 0 ? '' : ', '}"${column}" = `);
  return toSql(
    [...texts, ''],
    given.map(([, value]) => value),
  );
}

/**
 * SQL of new rows, such as `("id", "kind") values (1, 'look'), (2, 'list')`; see `toAssignments`.
 * @throws StoreError when one has a column that another has not
 */
export function toValues(rows: readonly object[]): RawBuilder<unknown> {
  const columns = listGiven(rows[0] ?? {}).map(([column]) => column);
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const row of rows) {
    const given = new Map(listGiven(row));
    if (given.size !== columns.length || !columns.every((column) => given.has(column))) {
      throw new StoreError('store-failed', 'rows of one statement differ in columns');
    }
    for (const column of columns) {
      texts.push(column === columns[0] ? '), (' : ', ');
      values.push(given.get(column));
    }
  }
  texts[0] = `("${columns.join('", "')}") values (`;
  return toSql([...texts, ')'], values);
}

function listGiven(row: object): [string, unknown][] {
  return Object.entries(row).filter(([, value]) => value !== undefined);
}

/** SQL with values between its texts, as a template of `sql` makes it. */
function toSql(texts: string[], values: readonly unknown[]): RawBuilder<unknown> {
  return sql(Object.assign(texts, { raw: texts }), ...values);
}
