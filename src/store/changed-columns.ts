/**
 * The columns in which a row is to differ from what was read. Only these are written: what the same
 * transaction changed elsewhere in the row stays, and a short statement is a cheap one.
 */
export function toChangedColumns<Row extends object>(before: Row, after: Row): Partial<Row> {
  const changed: Partial<Row> = {};
  for (const name of Object.keys(after) as (keyof Row)[]) {
    if (after[name] !== before[name]) changed[name] = after[name];
  }
  return changed;
}
