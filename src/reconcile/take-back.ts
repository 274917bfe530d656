import { ask, onlyWaiting } from '../domain/cell.ts';
import type { JsonObject } from '../domain/json.ts';
import { type FieldsOfKind, takeBackWrite } from '../domain/undo.ts';
import { parseCells, parseStored } from '../store/engine/columns.ts';
import { isUserRow, type ResourceRow } from '../store/resources/rows.ts';
import type { Before, Undo } from '../store/resources/undo.ts';

/** Refused write of a user or group, as far as its own fields go. */
export interface RefusedWrite<Undo, Field extends string> {
  readonly undo: Undo;
  /** Fields that were refused. */
  readonly fields: readonly Field[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The columns after the refused fields were taken back, or all that was written where no other write was stored since. */
export function revertColumns<Field extends string, Columns>(
  row: ResourceRow,
  { undo: { before, after }, fields, isLast }: RefusedWrite<Undo<Before<Field>>, Field>,
  kind: FieldsOfKind<Field>,
  toColumns: (attributes: JsonObject) => Columns,
) {
  const version = row.version + 1;
  const refused = {
    current: parseStored<JsonObject>(row.attributes),
    cells: parseCells<Field>(row),
    written: { before: before?.attributes ?? {}, after: parseStored<JsonObject>(after) },
    cellsBefore: before?.cells ?? {},
    ...{ fields, isLast, version },
  };
  const { attributes, cells } = takeBackWrite(refused, kind);
  return {
    ...toColumns(attributes),
    cells: JSON.stringify(cells),
    version,
    deleted_at: before?.deleted === false ? null : row.deleted_at,
  };
}

/**
 * Hides a resource whose creation was taken back while the service may hold what a lost create made, which is looked
 * for.
 */
export function hideNotCreated<Row extends ResourceRow>(row: Row, now: number): Row {
  const version = row.version + 1;
  const existence = isUserRow(row) ? 'account' : 'existence';
  const cells = ask(onlyWaiting(parseCells(row), []), [existence], version);
  return { ...row, deleted_at: now, version, cells: JSON.stringify(cells), must_look: 1 };
}

/** True when a refused write was taken back as a whole: the resource is managed, or deleted, as before. */
export function isTakenBack(before: ResourceRow, after: ResourceRow): boolean {
  return after.origin !== before.origin || after.deleted_at !== before.deleted_at;
}
